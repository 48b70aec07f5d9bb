"""Steps and messages that grow: written to the page at its pace, and to the data layer every two seconds.

Knows Chainlit, and nothing of what the texts mean.
"""

import asyncio
import logging
from typing import Any

import chainlit as cl
from chainlit.data import get_data_layer
from chainlit.utils import utc_now

from agents.events import EndReason
from ui.citations import Citations
from ui.export import copyable
from ui.live_text import LiveText
from ui.pacing import PacedText
from ui.past_chat import WRITTEN
from ui.stored_turns import ENDED

logger = logging.getLogger(__name__)

SAVE_INTERVAL_S = 2.0


def new_step(name: str, kind: Any, *, icon: str) -> cl.Step:
    """A step of the turn that runs, begun now; not yet sent."""
    step = cl.Step(name=name, type=kind, icon=icon, parent_id=parent_id(), show_input=False)
    step.start = utc_now()
    return step


def parent_id() -> str | None:
    """The id of the turn that runs in this context."""
    current = cl.context.current_step
    return current.id if current else None


async def send_line(text: str, *, icon: str) -> None:
    """A quiet line of its own; it cannot be opened."""
    step = new_step(text, "undefined", icon=icon)
    step.end = step.start
    await step.send()


async def send_sentence(text: str, ended: EndReason, *, is_error: bool = True) -> None:
    """A message in the place of an answer, which says why there is none, and how the turn ended."""
    message: cl.Message | cl.ErrorMessage = cl.ErrorMessage(content=text) if is_error else cl.Message(content=text)
    message.metadata = {ENDED: {"ended": ended}}
    await message.send()


class PartialSaves:
    """Writes what grows to the data layer, where there is one, so that a crash costs two seconds of text at most.

    The page is not told: it has the text.
    """

    def __init__(self, target: cl.Step | cl.Message) -> None:
        self._target = target
        self._timer: asyncio.TimerHandle | None = None
        self._saving: asyncio.Task[None] | None = None

    def note(self) -> None:
        """There is more to write; it is written within two seconds."""
        if self._timer is None and get_data_layer():
            self._timer = asyncio.get_running_loop().call_later(SAVE_INTERVAL_S, self._begin_saving)

    async def close(self) -> None:
        """Leave the rest to the final write, which comes after those under way."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._saving:
            await asyncio.wait([self._saving])

    def _begin_saving(self) -> None:
        self._timer = None
        self._saving = asyncio.create_task(self._save())
        self._saving.add_done_callback(_note_failure)

    async def _save(self) -> None:
        layer = get_data_layer()
        if layer is None:
            return
        state: Any = {**self._target.to_dict(), "streaming": False}
        if self._target.persisted:
            await layer.update_step(state)
            return
        self._target.persisted = True
        await layer.create_step(state)


def _note_failure(saving: asyncio.Task[None]) -> None:
    """That is for the log and not for the turn."""
    if not saving.cancelled() and (error := saving.exception()):
        logger.error("what was written so far could not be kept: %s", type(error).__name__)


class GrowingStep:
    """A step that is being written, or the line alone where its text is not to be shown."""

    def __init__(self, step: cl.Step, *, shows_text: bool) -> None:
        self.step = step
        self._began = asyncio.get_running_loop().time()
        self._shows_text = shows_text
        self._text = LiveText(step)
        self._saves = PartialSaves(step)
        self._is_sent = False

    @property
    def seconds(self) -> float:
        return asyncio.get_running_loop().time() - self._began

    async def add(self, text: str) -> None:
        if self._shows_text:
            await self._text.add(text)
            self._saves.note()
        if not self._is_sent:
            self._is_sent = True
            await self._show_empty()

    async def finish(self, name: str) -> None:
        """End the text; the step gets its lasting name."""
        if self._shows_text:
            self.step.output = await self._text.finish()
        await self._saves.close()
        self.step.name = name
        self.step.end = utc_now()
        await self.step.update()

    async def _show_empty(self) -> None:
        """Chainlit shows no step whose text is only blanks so far, or not shown at all."""
        if not self.step.output.strip():
            await cl.context.emitter.send_step(self.step.to_dict())


class GrowingAnswer:
    """The answer's message, made at its first token."""

    def __init__(self) -> None:
        self.message = cl.Message(content="")
        self._written: list[str] = []
        self._text = LiveText(self.message)
        self._saves = PartialSaves(self.message)

    async def add(self, text: str) -> None:
        self._written.append(text)
        await self._text.add(text)
        self._saves.note()

    async def finish(self, citations: Citations | None = None) -> None:
        """End the text. A message that was written before is only brought up to date: Chainlit saves it once."""
        content = await self._text.finish()
        self.message.content, self.message.elements = citations.finish(content) if citations else (content, [])
        written = "".join(self._written)
        if copyable(self.message.content) != written:
            self.message.metadata = {**(self.message.metadata or {}), WRITTEN: written}
        await self._saves.close()
        await (self.message.update() if self.message.persisted else self.message.send())


class ThoughtLine:
    """A thought as a line of its own: the step's name is the text, so there is nothing to open."""

    def __init__(self) -> None:
        self._step = new_step("", "undefined", icon="message-circle-dashed")
        self._step.end = self._step.start
        self._text = PacedText(self._write)

    async def add(self, text: str) -> None:
        await self._text.add(text)

    async def finish(self) -> None:
        self._step.name += await self._text.stop()
        await self._step.update()

    async def _write(self, text: str) -> bool:
        is_new = not self._step.name
        self._step.name += text
        await (self._step.send() if is_new else cl.context.emitter.update_step(self._step.to_dict()))
        return True
