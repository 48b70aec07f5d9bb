"""The event loop does what nest_asyncio, which Chainlit applies, leaves out, and is not held up for long."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from ui.guard.loop import TIDY_EVERY_S, mend_loop


@pytest.fixture(autouse=True)
def garbage_is_looked_for_as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


async def test_what_is_loaded_is_not_looked_through_for_garbage_again() -> None:
    mend_loop()
    assert gc.get_freeze_count() > 100_000
    assert len(gc.get_objects()) < gc.get_freeze_count() / 10


async def test_timers_that_were_cancelled_are_forgotten_and_the_others_ring() -> None:
    loop: Any = asyncio.get_running_loop()
    mend_loop()
    ring = asyncio.Event()
    cancelled = [loop.call_later(300, ring.set) for _ in range(90)]  # of so few, asyncio itself forgets none
    for timer in cancelled:
        timer.cancel()
    loop.call_later(TIDY_EVERY_S + 0.2, ring.set)
    async with asyncio.timeout(60):
        await ring.wait()
    assert not [timer for timer in loop._scheduled if timer in cancelled]


async def test_a_generator_that_is_dropped_half_way_is_closed() -> None:
    mend_loop()
    closed = asyncio.Event()

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            closed.set()

    generator = numbers()
    assert await anext(generator) == 1
    del generator
    gc.collect()
    async with asyncio.timeout(10):
        await closed.wait()
