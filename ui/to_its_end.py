"""What a cancellation must not leave half done."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Do it; if the task is cancelled meanwhile, to the end all the same, and only then be cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
