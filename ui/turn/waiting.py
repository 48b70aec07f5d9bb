"""The line that says that nothing has come yet. It comes late enough never to flicker, and is never stored."""

import asyncio

import chainlit as cl

from ui.texts import Texts, duration
from ui.turn.steps import new_step

SHOWN_AFTER_S = 0.7
WAITING_ICON, STALLED_ICON = "hourglass", "unplug"
"""The page's script tells by them how to go on counting the seconds."""


class WaitingLine:
    """At most one line. `begin` it when the model is called, `end` it when anything comes."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._timer: asyncio.Task[None] | None = None
        self._step: cl.Step | None = None

    def begin(self) -> None:
        """Say in a moment that the model is being waited for."""
        self._stop_timer()
        self._timer = asyncio.create_task(self._begin_later())

    async def stall(self, seconds: float) -> None:
        """Say that nothing has come for so long."""
        self._stop_timer()
        await self._show(self._texts.turn.stalled.format(duration=duration(self._texts, seconds)), icon=STALLED_ICON)

    async def end(self) -> None:
        """Take the line away."""
        if (step := self.hand_over()) is not None:
            await cl.context.emitter.delete_step(step.to_dict())

    def hand_over(self) -> cl.Step | None:
        """Give up the line as it stands on the page: what comes next can take its place by taking its id."""
        self._stop_timer()
        step, self._step = self._step, None
        return step

    async def _begin_later(self) -> None:
        await asyncio.sleep(SHOWN_AFTER_S)
        await self._show(self._texts.turn.waiting, icon=WAITING_ICON)

    async def _show(self, text: str, *, icon: str) -> None:
        if self._step is None:
            self._step = new_step(text, "undefined", icon=icon)
            self._step.default_open = True  # it may become a thinking step, and the page asks this only once
        self._step.name, self._step.icon = text, icon
        await cl.context.emitter.send_step(self._step.to_dict())

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
