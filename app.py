"""Thinkglass: a chat in which people watch a reasoning model think, act and answer. Start: `chainlit run app.py`.

The way of a message, and where each part lives:

    browser -> on_message              here, and ui/session.py: one turn at a time, Stop
      Assistant.reply                  agents/assistant.py: the agent's run, its memory
        ReasoningReActAgent            agents/react/: prompt, live reading of replies, tools
          DeepSeek.astream_chat        llm/client.py: any OpenAI-compatible endpoint
      TurnEvent ...                    agents/events.py: the contract
    TurnView.show                      ui/turn_view.py: steps and messages on the page

Handlers and wiring only: what they do is in the rooms above.
"""

import asyncio
import logging
import sys
from collections.abc import Coroutine
from functools import partial
from typing import Any

import chainlit as cl
from chainlit.config import config
from chainlit.context import init_ws_context
from chainlit.server import sio
from chainlit.session import WebsocketSession

from agents.chat_profiles import ChatAgent, ChatProfile, build_agent, load_profiles
from agents.react.small_model import SmallModelGuide
from llm.client import client_for
from llm.endpoint import configured_endpoint
from llm.local.connection import Connection
from llm.local.progress_line import show_progress
from settings import load_settings, secret
from tools import ToolConfig, build_tools
from ui import guard
from ui.connection_check import CHECK_CONNECTION, ConnectionCheck
from ui.guard.loop import close_abandoned_generators
from ui.language import texts_language
from ui.model_line import show_model_line
from ui.profile_picker import profile_picked, profiles_on_page
from ui.session import ChatSession
from ui.texts import TEXTS, Texts

SESSION, CHECK = "chat", "check"

settings = load_settings()
logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every request, with the whole address
guard.install(data_folder=settings.thinkglass_data, allowed_origins=settings.allowed_origins.split(","))

tools = build_tools(
    ToolConfig(
        tavily_api_key=secret(settings.tavily_api_key),
        tavily_api_base=str(settings.tavily_api_base),
        openweather_api_key=secret(settings.openweather_api_key),
        openweather_api_base=str(settings.openweather_api_base),
        open_meteo_api_base=str(settings.open_meteo_api_base),
        open_meteo_geocoding_api_base=str(settings.open_meteo_geocoding_api_base),
        timeout_s=settings.tool_timeout,
    )
)
profiles = load_profiles(tool_names=[tool.metadata.get_name() for tool in tools])
background: set[asyncio.Task[None]] = set()
guide = SmallModelGuide()
connection = Connection(
    configured=configured_endpoint(*settings.endpoint) if settings.endpoint else None,
    local_model=settings.local_model,
    local_model_path=settings.local_model_path,
    cache_folder=settings.thinkglass_cache,
    own_ports={config.run.port},
    opening=[{"role": "system", "content": guide.system_prompt(tools)}],
)


async def agent_for_turn(profile: ChatProfile) -> ChatAgent:
    """The profile's agent on the model that answers now; waits for one, or raises the reason why there is none."""
    endpoint = await connection.endpoint()
    llm = client_for(
        endpoint,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        idle_timeout=settings.idle_timeout,
        connect_timeout=settings.connect_timeout,
        max_retries=settings.max_retries,
    )
    own_guide = guide if endpoint.needs_guide else None
    return build_agent(profile, llm, tools, max_rounds=settings.max_rounds, guide=own_guide)


@cl.on_app_startup
async def on_app_startup() -> None:
    close_abandoned_generators()
    connection.start()
    _in_background(show_progress(connection, sys.stderr))


@cl.on_app_shutdown
async def on_app_shutdown() -> None:
    await connection.close()


@cl.set_chat_profiles
async def set_chat_profiles(user: cl.User | None, language: str | None) -> list[cl.ChatProfile]:
    return profiles_on_page(profiles, texts_language(language), _texts(language))


@cl.on_chat_start
async def on_chat_start() -> None:
    texts = _texts(cl.context.session.language)
    profile = profile_picked(profiles, cl.context.session.chat_profile)
    cl.user_session.set(SESSION, ChatSession(partial(agent_for_turn, profile), texts))
    cl.user_session.set(CHECK, ConnectionCheck(connection.endpoint, texts))
    _in_background(show_model_line(connection, texts))


@cl.on_message
async def on_message(message: cl.Message) -> None:
    cl.context.session.current_task = asyncio.current_task()
    await cl.user_session.get(SESSION).answer(message)


@cl.action_callback(CHECK_CONNECTION)
async def on_check_connection(action: cl.Action) -> None:
    await cl.user_session.get(CHECK).run()


@sio.on("stop")
async def on_stop(sid: str) -> None:
    """Takes the place of Chainlit's own handler, which writes an English line into the chat."""
    if session := WebsocketSession.get(sid):
        init_ws_context(session)
        cl.user_session.get(SESSION).stop()


def _texts(language: str | None) -> Texts:
    return TEXTS[texts_language(language)]


def _in_background(work: Coroutine[Any, Any, None]) -> None:
    """Begin the work and hold its task until it is done: a task that nobody holds may vanish."""
    task = asyncio.create_task(work)
    background.add(task)
    task.add_done_callback(background.discard)
