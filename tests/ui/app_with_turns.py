"""A Chainlit app that shows turns told here: a question names one of `TURNS`, and how its thinking is to be shown."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import chainlit as cl
from chainlit.server import sio
from chainlit.session import WebsocketSession

from agents.events import (
    AnswerDelta,
    Retrying,
    RoundStarted,
    Stalled,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnEvent,
    UsageReported,
)
from llm.errors import NoBalance
from settings import load_settings
from tests.ui.own_files import use_own_files
from tools.cards import SourceCard
from ui import guard, rejoining
from ui.language import texts_language
from ui.texts import TEXTS
from ui.turn.tally import Prices
from ui.turn_view import TurnView

use_own_files()

guard.install(data_folder=load_settings().thinkglass_data, allowed_origins=[])
rejoining.install()

CODE = "import math\n\nfor n in range(3):\n    print(n, math.sqrt(n))  # a ```fence``` within"
SOURCES = tuple(
    SourceCard(f"Lima {n}", f"https://example.org/{n}", "example.org", "Peru", n, False) for n in range(1, 6)
)
FOUND = (
    "[1] Lima - the capital of Peru\nhttps://example.org/1\nLima is the capital: key:value, **not bold**.\n\n[2] Peru"
)
TABLE = "| city | people |\n|---|---|\n| Lima | 10 |\n| Cusco | 1 |"
USAGE = UsageReported(1200, 900, 310, 430)
PRICES = Prices(input=0.28, cached=0.028, output=0.42)


async def long_thinking(lines: int, pause: float) -> AsyncIterator[TurnEvent]:
    for number in range(lines):
        yield ThinkingDelta(f"Line {number} of the thinking, which goes on and on.\n\n")
        await asyncio.sleep(pause)


async def whole() -> AsyncIterator[TurnEvent]:
    yield RoundStarted(1)
    async for event in long_thinking(14, 0.1):
        yield event
    yield ThinkingEnded(1.4)
    yield ThoughtDelta("I will look it up.")
    yield ToolStarted("a", "search_web", {"query": "capital of Peru", "topic": "general"})
    await asyncio.sleep(1.3)
    yield ToolFinished("a", FOUND, 1.3, display=SOURCES)
    yield USAGE
    yield RoundStarted(2)
    yield ThinkingDelta("Now the code.")
    yield ThinkingEnded(0.2)
    yield ToolStarted("b", "run_python", {"code": CODE})
    yield ToolFinished("b", "0 0.0\n1 1.0\n2 1.4142135623730951", 0.4)
    yield ToolStarted("c", "query_data", {"sql": "SELECT city, people\nFROM cities"})
    yield ToolFinished("c", TABLE, 0.0)
    yield ToolStarted("d", "get_issue", {"repository": "a/b", "number": 7})
    yield ToolFinished("d", '{"title": "It is slow", "labels": ["bug"]}', 0.2)
    yield ToolStarted("e", "get_weather", {"city": "Oslo"})
    yield ToolFinished("e", "No weather service could be reached. Say so plainly.", 0.1, is_error=True)
    yield USAGE
    yield RoundStarted(3)
    for word in ["**Lima**", "is", "the", "capital", "of", "Peru,", "as", "far", "as", "I", "could", "find", "out."]:
        yield AnswerDelta(word + " ")
        await asyncio.sleep(0.05)
    yield USAGE
    yield TurnEnded("answered", 81.2)


async def slow() -> AsyncIterator[TurnEvent]:
    """Thinks, works and answers, for about six seconds."""
    yield RoundStarted(1)
    async for event in long_thinking(25, 0.1):
        yield event
    yield ThinkingEnded(3)
    yield ToolStarted("a", "calculate", {"expression": "6*7"})
    await asyncio.sleep(0.7)
    yield ToolFinished("a", "6*7 = 42", 0.7)
    yield RoundStarted(2)
    for number in range(25):
        yield AnswerDelta(f"Word {number}. ")
        await asyncio.sleep(0.1)
    yield TurnEnded("answered", 6)


async def short() -> AsyncIterator[TurnEvent]:
    yield RoundStarted(1)
    yield ThinkingDelta("One line.")
    await asyncio.sleep(1)
    yield ThinkingEnded(1)
    yield AnswerDelta("Done.")
    yield TurnEnded("answered", 1)


async def late() -> AsyncIterator[TurnEvent]:
    yield RoundStarted(1)
    await asyncio.sleep(4)
    yield AnswerDelta("Done, late.")
    yield TurnEnded("answered", 4)


async def tool() -> AsyncIterator[TurnEvent]:
    """A tool that runs until it is stopped."""
    yield RoundStarted(1)
    yield ToolStarted("a", "run_python", {"code": CODE})
    await asyncio.Event().wait()


async def stuck() -> AsyncIterator[TurnEvent]:
    """A model that says nothing, thinks, and says nothing more until it is stopped."""
    yield RoundStarted(1)
    await asyncio.sleep(1.5)
    yield Stalled(58)
    yield Stalled(58)
    await asyncio.sleep(4)
    yield ThinkingDelta("Hm.")
    await asyncio.sleep(0.5)
    yield Stalled(20)
    await asyncio.Event().wait()


async def failing() -> AsyncIterator[TurnEvent]:
    yield RoundStarted(1)
    yield ThinkingDelta("Hm.")
    yield ThinkingEnded(1)
    yield Retrying("empty")
    yield RoundStarted(2)
    yield TurnEnded("failed", 3, NoBalance(host="api.example"))


TURNS: dict[str, Any] = {
    "whole": whole,
    "slow": slow,
    "short": short,
    "late": late,
    "tool": tool,
    "stuck": stuck,
    "failing": failing,
}


@cl.on_message
async def on_message(message: cl.Message) -> None:
    cl.context.session.current_task = asyncio.current_task()
    name, _, wish = message.content.partition(" ")
    texts = TEXTS[texts_language(cl.context.session.language)]
    view = TurnView(texts, thinking=wish or "fold")  # type: ignore[arg-type]  # a test names a real one
    view.charge(PRICES)
    try:
        async for event in TURNS[name]():
            await view.show(event)
        print(f"{name} is over", flush=True)  # noqa: T201  # for tests whose page cannot see it
    except asyncio.CancelledError:
        await view.end("stopped")
        raise


@sio.on("stop")
async def on_stop(sid: str) -> None:
    if (session := WebsocketSession.get(sid)) and session.current_task:
        session.current_task.cancel()
