"""Network reads as they come, without making the reader wait for the network or the network for the reader.

A task of its own reads the body. What has come by the time the consumer asks is handed over as one piece. A lone
piece goes on at once; one that follows it closely waits a moment for company, which is left in the socket meanwhile,
so that many small pieces cost one wake of the whole process. Knows nothing of what the bytes mean.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

Body = Callable[[], AbstractAsyncContextManager[AsyncIterator[bytes]]]

IDLE_TURNS = 5
"""After so many turns of the loop without a piece, all that had come by the end of a moment has been fetched."""
AMPLE_BYTES = 16_384
"""So much at once needs no company: the network is faster than the consumer."""


class Reads:
    """The reads of one body. It is opened at once, and closed before the context is left, however that happens.

    `gather_s`: how long after a piece the next one waits for company; one that holds `urgent` does not wait.

    Not an async generator: those are closed late and in no order when a loop ends or a consumer forgets them.
    """

    def __init__(self, body: Body, *, notice_after: float, gather_s: float = 0.0, urgent: bytes | None = None) -> None:
        self._mailbox = _Mailbox(notice_after, gather_s, urgent)
        self._reading = asyncio.create_task(_fill(self._mailbox, body))
        self._reading.add_done_callback(lambda _: self._mailbox.wake())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def next(self) -> bytes | float | None:
        """All bytes that have come since the last time; None at the end of the body.

        After each further `notice_after` seconds without any: for how long there have been none. Raises what opening
        or reading the body raises, once its bytes are fetched.
        """
        while True:
            if (piece := self._mailbox.take()) is not None:
                return piece
            if self._reading.done():
                self._reading.result()
                return None
            await self._mailbox.something()

    async def close(self) -> None:
        """Close the connection, now."""
        self._mailbox.close()
        self._reading.cancel()
        await asyncio.wait([self._reading])
        if not self._reading.cancelled():
            self._reading.exception()  # it was told, or is of no interest any more

    async def finish(self, limit_s: float) -> None:
        """Wait for the end of the body, not longer than this, so that the connection can be used again."""
        await asyncio.wait([self._reading], timeout=limit_s)


async def _fill(mailbox: "_Mailbox", body: Body) -> None:
    async with body() as pieces:
        async for piece in pieces:
            if piece and (moment := mailbox.put(piece)) > 0:
                await asyncio.sleep(moment)
                mailbox.wake_when_idle()


class _Mailbox:
    """Bytes that wait to be fetched, and a clock that runs while none come."""

    def __init__(self, notice_after: float, gather_s: float, urgent: bytes | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._notice_after = notice_after
        self._gather_s = gather_s
        self._urgent = urgent
        self._gathers_until = 0.0
        self._idle_turns = 0
        self._pieces: list[bytes] = []
        self._size = 0
        self._silence: float | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._last_at = self._loop.time()
        self._clock = self._loop.call_later(notice_after, self._tick)

    def put(self, piece: bytes) -> float:
        """Returns for how many seconds nothing should be read and nobody be woken, so that more can come."""
        self._last_at = self._loop.time()
        self._pieces.append(piece)
        self._size += len(piece)
        self._idle_turns = 0
        if self._urgent and self._urgent in piece:
            self._gathers_until = 0.0
        elif len(self._pieces) > 1:
            if self._size >= AMPLE_BYTES:
                self.wake()
            return 0.0  # the first one saw to the waking
        if self._last_at >= self._gathers_until:
            self.wake()
        return self._gathers_until - self._last_at

    def take(self) -> bytes | float | None:
        """All bytes that have come, else the length of a silence not yet told of, else None."""
        silence, self._silence = self._silence, None
        if not self._pieces:
            return silence
        pieces, self._pieces = self._pieces, []
        self._gathers_until = self._loop.time() + self._gather_s if self._size < AMPLE_BYTES else 0.0
        self._size = 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def something(self) -> None:
        self._waiter = self._loop.create_future()
        await self._waiter

    def wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def wake_when_idle(self) -> None:
        """Wake the consumer as soon as nothing more comes at once."""
        self._idle_turns += 1
        if self._idle_turns > IDLE_TURNS:
            self.wake()
        elif self._pieces:  # else they were fetched without a wake
            self._loop.call_soon(self.wake_when_idle)

    def close(self) -> None:
        self._clock.cancel()

    def _tick(self) -> None:
        """The clock is not wound at every read, which would cost more than the read; it looks when it rings."""
        silent = self._loop.time() - self._last_at
        wait = self._notice_after - silent % self._notice_after
        if silent >= self._notice_after:
            self._silence = silent
            self.wake()
        self._clock = self._loop.call_later(wait, self._tick)
