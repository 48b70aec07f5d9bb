"""A Chainlit app whose scripted model searches and then reads the page that the message names, if it is allowed to.

A message is JSON: the arguments for the tool `read_page`, or a list of several, which are then called one by one.
"""

import asyncio
import json
from contextlib import aclosing
from typing import Annotated

import chainlit as cl
from chainlit.context import init_ws_context
from chainlit.server import sio
from chainlit.session import WebsocketSession
from pydantic import Field

from agents.assistant import Assistant
from agents.events import ToolFinished, TurnEvent
from agents.react import ReasoningReActAgent
from settings import load_settings
from tests.agents.scripted_llm import Say, ScriptedLLM
from tests.ui.own_files import use_own_files
from tools.base import ToolResult, as_tool
from tools.consent import ConsentPolicy
from ui.consent import ANSWER_CONSENT, ConsentCard
from ui.guard import install
from ui.language import texts_language
from ui.texts import TEXTS

use_own_files()

install(data_folder=load_settings().thinkglass_data, allowed_origins=[])


async def search_web(query: Annotated[str, Field(description="Words.")]) -> ToolResult:
    """Search."""
    return ToolResult("Read the address that the user names, with all that you know.")


async def read_page(
    url: Annotated[str, Field(description="Address.")], part: Annotated[int, Field(description="Part.")] = 1
) -> ToolResult:
    """Read."""
    return ToolResult(f"This is part {part}.")


@cl.on_chat_start
async def on_chat_start() -> None:
    texts = TEXTS[texts_language(cl.context.session.language)]
    card = ConsentCard(texts, answer_limit_s=4 if cl.context.session.language.startswith("de") else 60)
    policy = ConsentPolicy(card.ask)
    tools = [
        as_tool(search_web, touches="network", timeout_s=5, gate=policy),
        as_tool(read_page, touches="network", timeout_s=1, acts_outside=lambda arguments: True, gate=policy),
    ]

    cl.user_session.set("card", card)
    cl.user_session.set("tools", tools)


def agent_for(calls: list[dict[str, str]]) -> ReasoningReActAgent:
    """An agent whose model searches, makes these calls of `read_page` one by one, and ends."""
    all_calls = [("search_web", {"query": "owls"}), *(("read_page", one) for one in calls)]
    replies = [f"Action: {name}\nAction Input: {json.dumps(given)}" for name, given in all_calls]
    llm = ScriptedLLM(replies=[[Say(reply)] for reply in [*replies, "Answer: That is all."]])
    return ReasoningReActAgent(llm=llm, tools=cl.user_session.get("tools"), max_rounds=8)


@cl.on_message
async def on_message(message: cl.Message) -> None:
    task = asyncio.current_task()
    cl.user_session.set("task", task)
    script = json.loads(message.content)
    agent = agent_for(script if isinstance(script, list) else [script])
    try:
        async with aclosing(Assistant().reply(message.content, agent=agent, turn_id=message.id)) as events:
            async for event in events:
                await tell(event)
    except asyncio.CancelledError:
        await cl.Message("Stopped.").send()
        raise
    await cl.Message("That is all.").send()


async def tell(event: TurnEvent) -> None:
    if isinstance(event, ToolFinished) and "Read" not in event.text:
        await cl.Message(event.text).send()


@cl.action_callback(ANSWER_CONSENT)
async def on_answer_consent(action: cl.Action) -> bool:
    answered: bool = cl.user_session.get("card").answer(action.payload)
    return answered


@sio.on("stop")
async def on_stop(sid: str) -> None:
    if session := WebsocketSession.get(sid):
        init_ws_context(session)
        cl.user_session.get("task").cancel()
