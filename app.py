"""Thinkglass: a chat in which people watch a reasoning model think, act and answer. Start: `chainlit run app.py`.

The way of a message, and where each part lives:

    browser -> on_message              ui/chat_handlers.py, ui/session.py: one turn at a time, Stop
      Assistant.reply                  agents/assistant.py: the agent's run, its memory
        ReasoningReActAgent            agents/react/: prompt, live reading of replies, tools
          DeepSeek.astream_chat        llm/client.py: any OpenAI-compatible endpoint
      TurnEvent ...                    agents/events.py: the contract
    TurnView.show                      ui/turn_view.py: on the page, and by ui/data_layer/ on disk
    back: on_chat_resume(thread)       ui/past_chat.py: what a stored chat is gone on with

Handlers and wiring only: what they do is in the rooms above.
"""

import sys
from functools import partial
from typing import Any

import chainlit as cl
from chainlit.config import config

from agents.chat_profiles import load_profiles
from agents.react.small_model import SmallModelGuide
from llm.endpoint import configured_endpoint
from llm.local.connection import Connection
from llm.local.progress_line import show_progress
from settings import load_settings, secret
from tools import TOOL_NAMES, ToolConfig
from tools.mcp_servers import load_mcp_config
from tools.toolkit import Toolkit, forget_chat
from ui import auth, chat_handlers, guard, rejoining
from ui.background import in_background
from ui.chat import Chat
from ui.chat_settings import ChatSettings
from ui.consent import ConsentCard
from ui.cut_turns import steps_to_show
from ui.data_layer.errors import HistoryError
from ui.data_layer.places import chats_folder
from ui.data_layer.wiring import install as keep_chats
from ui.guard.loop import mend_loop
from ui.language import texts_language
from ui.model_line import show_model_line
from ui.monitoring import Monitoring
from ui.monitoring.wiring import answer_operators
from ui.past_chat import PastChat, past_of
from ui.pickers import ModelChoice
from ui.profile_picker import profile_picked, profiles_on_page
from ui.quotas import Quotas
from ui.respondents import Respondents
from ui.session import end_all_turns
from ui.texts import TEXTS, Texts
from ui.turn.tally import Prices

settings = load_settings()
folder, chats = settings.thinkglass_data, chats_folder(settings.thinkglass_data)
guide = SmallModelGuide()
watch = Monitoring(otlp_endpoint=settings.otlp_endpoint, log_format=settings.log_format)
try:
    history = keep_chats(**settings.history_values, forget_chat=partial(forget_chat, chats))
    mcp = load_mcp_config(settings.mcp_config) if settings.mcp_config else {}
    tool_config, may_run_code = ToolConfig(**settings.tool_values), settings.run_python == "auto"
    toolkit = Toolkit(tool_config, chats_folder=chats, may_run_code=may_run_code, mcp_servers=mcp)
    profiles = load_profiles(tool_names=TOOL_NAMES)
    prices = Prices.from_text(settings.llm_prices)
    quotas = Quotas(history.history.database, **settings.quota_values)
    chat_handlers.install()
    auth.install(auth.AuthConfig(**settings.auth_values), history.history.database)
    guard.install(data_folder=folder, allowed_origins=settings.allowed_origins.split(","))
    rejoining.install()
except (ValueError, HistoryError) as error:
    sys.exit(f"Thinkglass can't start. {getattr(error, 'user_message', error)}")
connection = Connection(
    configured=configured_endpoint(*settings.endpoint) if settings.endpoint else None,
    own_ports={config.run.port},
    opening=[{"role": "system", "content": guide.system_prompt(guide.usable(toolkit.tools_to_describe()))}],
    **settings.local_values,
)
checks = {**history.checks, "model": connection.problem}
answer_operators(watch, checks=checks, data_folder=folder, token=secret(settings.metrics_token))
choice = ModelChoice(connection.endpoint)
respondents = Respondents(choice, guide=guide, client=settings.client_values, prices=prices, title=settings.chat_titles)
defaults = ChatSettings(**settings.model_dump(include={"temperature", "max_tokens", "max_rounds"}))


@cl.on_app_startup
async def on_app_startup() -> None:
    mend_loop()
    try:
        await history.start()
        await quotas.start()
    except HistoryError as error:
        sys.exit(f"Thinkglass can't start. {error.user_message}")
    connection.start()
    in_background(show_progress(connection, sys.stderr))
    in_background(toolkit.start())


@cl.on_app_shutdown
async def on_app_shutdown() -> None:
    await end_all_turns(patience_s=settings.shutdown_patience)
    await toolkit.close()
    await connection.close()
    watch.close()


@cl.set_chat_profiles
async def set_chat_profiles(user: cl.User | None, language: str | None) -> list[cl.ChatProfile]:
    return profiles_on_page(profiles, texts_language(language), _texts(language))


@cl.on_chat_start
async def on_chat_start() -> None:
    await _begin_chat(PastChat())


@cl.on_chat_resume
async def on_chat_resume(thread: dict[str, Any]) -> None:
    thread["steps"] = await steps_to_show(thread, _texts(cl.context.session.language))
    await _begin_chat(past_of(thread))


async def _begin_chat(past: PastChat) -> None:
    texts, session = _texts(cl.context.session.language), cl.context.session
    card = ConsentCard(texts)
    tools = toolkit.of_chat(session.thread_id, card.ask, sources=past.sources, used=past.tools)
    chat = Chat(
        partial(respondents.respondent, profile_picked(profiles, session.chat_profile), tools),
        connection.endpoint,
        toolkit.sandbox.probe,
        choice=choice,
        defaults=defaults,
        tools=tools,
        consent=card,
        monitoring=watch,
        quotas=quotas,
        texts=texts,
        past=past,
    )
    await chat.begin()
    in_background(chat.show_pickers())
    in_background(show_model_line(connection, texts))


def _texts(language: str | None) -> Texts:
    return TEXTS[texts_language(language)]
