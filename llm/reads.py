"""Network reads as they come, without making the reader wait for the network or the network for the reader.

A task of its own reads the body. What has come by the time the consumer asks is handed over as one piece. Knows
nothing of what the bytes mean.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

Body = Callable[[], AbstractAsyncContextManager[AsyncIterator[bytes]]]


class Reads:
    """The reads of one body. It is opened at once, and closed before the context is left, however that happens.

    Not an async generator: those are closed late and in no order when a loop ends or a consumer forgets them.
    """

    def __init__(self, body: Body, *, notice_after: float) -> None:
        self._mailbox = _Mailbox(notice_after)
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
            if piece:
                mailbox.put(piece)


class _Mailbox:
    """Bytes that wait to be fetched, and a clock that runs while none come."""

    def __init__(self, notice_after: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._notice_after = notice_after
        self._pieces: list[bytes] = []
        self._silence: float | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._last_at = self._loop.time()
        self._clock = self._loop.call_later(notice_after, self._tick)

    def put(self, piece: bytes) -> None:
        self._last_at = self._loop.time()
        self._pieces.append(piece)
        self.wake()

    def take(self) -> bytes | float | None:
        """All bytes that have come, else the length of a silence not yet told of, else None."""
        silence, self._silence = self._silence, None
        if not self._pieces:
            return silence
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def something(self) -> None:
        self._waiter = self._loop.create_future()
        await self._waiter

    def wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

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
