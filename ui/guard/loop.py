"""What nest_asyncio, which Chainlit applies, leaves out of the event loop."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from typing import Any


def close_abandoned_generators() -> None:
    """Have async generators that are dropped half-way closed by the running loop, as asyncio does by itself.

    Without it the connection behind a stream that was left early stays open, and Python prints "async generator ignored
    GeneratorExit". Call it within the loop; it holds for the loop's thread.
    """
    loop = asyncio.get_running_loop()
    closing = set[asyncio.Task[None]]()

    def close(generator: AsyncGenerator[Any, Any]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(start_closing, generator)

    def start_closing(generator: AsyncGenerator[Any, Any]) -> None:
        task = loop.create_task(aclose(generator))
        closing.add(task)
        task.add_done_callback(closing.discard)

    async def aclose(generator: AsyncGenerator[Any, Any]) -> None:
        await generator.aclose()

    sys.set_asyncgen_hooks(finalizer=close)
