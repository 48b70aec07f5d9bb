"""One browser session's chat: one turn at a time, and a Stop that stops it. Knows no model and no wiring."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import cast

import chainlit as cl

from agents.assistant import Assistant
from agents.chat_profiles import ChatAgent
from llm.errors import LLMError
from ui.texts import Texts
from ui.turn_view import TurnView

logger = logging.getLogger(__name__)

MAX_QUESTION_CHARS = 200_000

AgentSource = Callable[[], Awaitable[ChatAgent]]
"""Gives the agent for a turn; waits until there is a model, or raises an `LLMError`."""


class ChatSession:
    """Answers the messages of one session in the order in which they came."""

    def __init__(self, agent_source: AgentSource, texts: Texts) -> None:
        self.texts = texts
        self._agent_source = agent_source
        self._assistant = Assistant()
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def answer(self, message: cl.Message) -> None:
        """Answer a new or edited message; waits until the turns before it are over."""
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        try:
            async with self._turn:
                await cl.context.emitter.task_start()
                await self._take_turn(message)
        finally:
            self._tasks.discard(task)

    def stop(self) -> None:
        """Stop the turn that runs and forget those that wait. A second call changes nothing."""
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()

    async def _take_turn(self, message: cl.Message) -> None:
        if len(message.content) > MAX_QUESTION_CHARS:
            refusal = self.texts.turn.too_long.format(length=len(message.content), limit=MAX_QUESTION_CHARS)
            await cl.ErrorMessage(content=refusal).send()
            return
        view = TurnView(self.texts)
        try:
            await self._show_reply(message, view)
        except asyncio.CancelledError:
            await view.end("stopped")
            raise
        except LLMError as error:
            await view.end("failed", error=error)
        except Exception as error:
            logger.exception("a turn failed unexpectedly")
            await view.end("failed", error=error)

    async def _show_reply(self, message: cl.Message, view: TurnView) -> None:
        agent = await self._agent_source()
        async with aclosing(self._assistant.reply(message.content, agent=agent, turn_id=message.id)) as events:
            async for event in events:
                await view.show(event)
