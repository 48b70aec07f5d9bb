"""Work that nobody waits for."""

import asyncio
from collections.abc import Coroutine
from typing import Any

_tasks: set[asyncio.Task[None]] = set()


def in_background(work: Coroutine[Any, Any, None]) -> None:
    """Begin the work and hold its task until it is done: a task that nobody holds may vanish."""
    task = asyncio.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
