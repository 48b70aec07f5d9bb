"""Keeps the event loop going: what nest_asyncio, which Chainlit applies, leaves out of it, and no long pauses."""

import asyncio
import gc
import heapq
import sys
from collections.abc import AsyncGenerator
from typing import Any

from ui.background import in_background

TIDY_EVERY_S = 5.0
_GARBAGE_THRESHOLDS = 10_000, 20, 10


def mend_loop() -> None:
    """For as long as the running loop lives. Call it when what the app consists of is loaded."""
    loop = asyncio.get_running_loop()
    _look_for_garbage_less()
    _close_abandoned_generators(loop)
    _forget_cancelled_timers(loop)


def _look_for_garbage_less() -> None:
    """What is loaded is no garbage. To look through all of it again holds up every chat, with 200 of them for 0.5 s."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE_THRESHOLDS)


def _forget_cancelled_timers(loop: Any) -> None:
    """Every read of a stream sets a timer for its timeout, five minutes ahead, and cancels it when it has read.

    They would lie in the loop until then, with all that they hold: thousands of each stream.
    """
    timers = loop._scheduled  # there is no other way to them; it stays the same list
    timers[:] = [timer for timer in timers if not timer.cancelled()]
    heapq.heapify(timers)
    loop.call_later(TIDY_EVERY_S, _forget_cancelled_timers, loop)


def _close_abandoned_generators(loop: asyncio.AbstractEventLoop) -> None:
    """Have async generators that are dropped half-way closed by the loop.

    Without it the connection behind a stream that was left early stays open, and Python prints "async generator ignored
    GeneratorExit".
    """

    def close(generator: AsyncGenerator[Any, Any]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: in_background(aclose(generator)))

    async def aclose(generator: AsyncGenerator[Any, Any]) -> None:
        await generator.aclose()

    sys.set_asyncgen_hooks(finalizer=close)
