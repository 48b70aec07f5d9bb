"""Network reads as they come: joined when they have piled up, at once when alone, with silences and ends told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from llm.errors import StreamCut
from llm.reads import Reads


class Body:
    """A body whose pieces the test hands over; None ends it, an exception breaks it."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self.is_closed = asyncio.Event()

    def hand_over(self, *pieces: bytes | Exception | None) -> None:
        for piece in pieces:
            self.queue.put_nowait(piece)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[AsyncIterator[bytes]]:
        try:
            yield self._pieces()
        finally:
            self.is_closed.set()

    async def _pieces(self) -> AsyncIterator[bytes]:
        while (piece := await self.queue.get()) is not None:
            if isinstance(piece, Exception):
                raise piece
            yield piece


async def test_what_has_piled_up_comes_as_one_piece_and_a_lone_one_at_once() -> None:
    body = Body()
    async with asyncio.timeout(5), Reads(body.opened, notice_after=60) as reads:
        body.hand_over(b"a")
        assert await reads.next() == b"a"
        body.hand_over(b"b", b"", b"c", b"d")
        assert await reads.next() == b"bcd"
        body.hand_over(b"e", None)
        assert [await reads.next(), await reads.next()] == [b"e", None]
    assert body.is_closed.is_set()


async def test_an_error_comes_after_all_that_was_read() -> None:
    body = Body()
    body.hand_over(b"a", b"b", StreamCut("gone"))
    reads = Reads(body.opened, notice_after=60)
    assert await reads.next() == b"ab"
    with pytest.raises(StreamCut):
        await reads.next()
    await reads.close()


async def test_silences_are_told_again_and_again_and_begin_anew_with_each_read() -> None:
    body = Body()
    async with asyncio.timeout(5), Reads(body.opened, notice_after=0.05) as reads:
        first, second = await reads.next(), await reads.next()
        assert isinstance(first, float)
        assert isinstance(second, float)
        assert 0.05 <= first < second
        body.hand_over(b"a")
        assert await reads.next() == b"a"
        again = await reads.next()
        assert isinstance(again, float)
        assert again < second


async def test_closing_closes_the_body_before_it_returns_also_after_a_cancelled_wait() -> None:
    closed, cancelled = Body(), Body()
    reads = Reads(closed.opened, notice_after=60)
    closed.hand_over(b"a")
    await reads.next()
    await reads.close()
    assert closed.is_closed.is_set()
    other = Reads(cancelled.opened, notice_after=60)
    cancelled.hand_over(b"a")
    await other.next()
    waiting = asyncio.ensure_future(other.next())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await other.close()
    assert cancelled.is_closed.is_set()
