"""Gives a new chat a title once its first answer is whole. The chat's next question always goes first.

Knows the page's list of chats and the store; must not know how a title is thought of, nor how a turn is answered.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias, cast, runtime_checkable

import chainlit as cl
from chainlit.data import get_data_layer

from agents.events import TurnEnded, TurnEvent
from llm.errors import LLMError

PATIENCE_S = 10.0

TitleSource: TypeAlias = Callable[[str, str], Awaitable[str | None]]
"""Makes a title of a question and its answer, or None; may raise an `LLMError`, and be cancelled."""


@runtime_checkable
class GivesTitles(Protocol):
    """A data layer that can name a thread, unless a person has."""

    async def retitle(self, thread_id: str, title: str, *, instead_of: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Exchange:
    turn_id: str
    question: str
    answer: str


class ChatTitle:
    """The title of one chat. Until it is given, the store has the first words, which Chainlit puts there."""

    def __init__(self, turns: Collection["asyncio.Task[None]"], *, is_new: bool) -> None:
        """`turns` are those of the chat that run or wait. A chat that is not new keeps the title that it has."""
        self._turns = turns
        self._is_open = is_new
        self._first_words: str | None = None
        self._exchange: _Exchange | None = None
        self._making: asyncio.Task[None] | None = None

    def give_way(self, question: str) -> None:
        """A question has come: it goes before the title, which is asked for again after the next answer."""
        if self._first_words is None:
            self._first_words = question
        if self._making:
            self._making.cancel()

    def begin(self, source: TitleSource | None, last: TurnEvent, *, turn_id: str, question: str, answer: str) -> None:
        """A turn is about to be over; `last` is its last event. Ask for the title when nothing runs any more."""
        is_whole = isinstance(last, TurnEnded) and last.reason == "answered" and not last.error
        if not (self._is_open and is_whole and answer):
            return
        if self._exchange is None or self._exchange.turn_id == turn_id:
            self._exchange = _Exchange(turn_id, question, answer)
        if source:
            turn = cast("asyncio.Task[None]", asyncio.current_task())
            self._making = asyncio.create_task(self._make(source, self._exchange, after=turn))

    async def _make(self, source: TitleSource, exchange: _Exchange, *, after: "asyncio.Task[None]") -> None:
        await asyncio.wait({after})
        if self._turns:
            return
        title = None
        with suppress(LLMError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                title = await source(exchange.question, exchange.answer)
        self._is_open, self._making = False, None
        if title:
            await self._give(title)

    async def _give(self, title: str) -> None:
        layer, thread_id = get_data_layer(), cl.context.session.thread_id
        if not isinstance(layer, GivesTitles):
            return
        if await layer.retitle(thread_id, title, instead_of=self._first_words or ""):
            # The page reads its list of chats again when it hears of a first interaction that it does not know.
            await cl.context.emitter.emit("first_interaction", {"interaction": title, "thread_id": thread_id})
