"""Text handed to the browser at a pace it can follow. Knows nothing of steps; `emit` does the sending.

Every emit makes the page parse the whole text again, so one emit per token freezes it at a few thousand tokens. The
first piece that shows goes out at once; after that at most one emit per `0.1 s + characters / 100,000 s`, and at least
one a second.
"""

import asyncio
from collections.abc import Awaitable, Callable

Emit = Callable[[str], Awaitable[bool]]
"""Sends a text; whether anything of it shows already."""

BASE_INTERVAL_S = 0.1
CHARS_PER_EXTRA_SECOND = 100_000
LONGEST_INTERVAL_S = 1.0


class PacedText:
    """Collects text and emits it in batches. Call `stop` at the end."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._waiting: list[str] = []
        self._sent_chars = 0
        self._timer: asyncio.Task[None] | None = None
        self._sending = asyncio.Lock()

    async def add(self, text: str) -> None:
        """Take more text; it is emitted now if the last emit is long enough ago, else with the next batch."""
        self._waiting.append(text)
        if self._timer is None and await self._send():
            self._timer = asyncio.create_task(self._send_after(self._interval()))

    async def stop(self) -> str:
        """Stop the clock. Returns what is waiting: whoever shows the whole text at its end need not emit it as well."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        async with self._sending:
            rest = "".join(self._waiting)
            self._waiting.clear()
            return rest

    def _interval(self) -> float:
        return min(BASE_INTERVAL_S + self._sent_chars / CHARS_PER_EXTRA_SECOND, LONGEST_INTERVAL_S)

    async def _send_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._timer = None
        if self._waiting:
            self._timer = asyncio.create_task(self._send_after(self._interval()))
            await self._send()

    async def _send(self) -> bool:
        async with self._sending:
            text = "".join(self._waiting)
            self._waiting.clear()
            self._sent_chars += len(text)
            return bool(text) and await self._emit(text)
