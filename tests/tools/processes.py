"""What the tests know of the processes that the tools start."""

import asyncio
import os
from pathlib import Path


def children() -> set[str]:
    """The processes that this one has started and that still live."""
    tasks = Path(f"/proc/{os.getpid()}/task")
    return {child for task in tasks.iterdir() for child in (task / "children").read_text().split()}


async def new_child(before: set[str]) -> None:
    """Wait until there is a process more than before."""
    async with asyncio.timeout(10):
        while not await asyncio.to_thread(children) - before:
            pass
