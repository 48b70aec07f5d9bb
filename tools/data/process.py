"""A short-lived process that reads strangers' files with large libraries, so that none of their faults is the server's.

It has no environment, limits on memory, time and disk, and an end: whatever happens to the call, it is killed.
The files come as descriptors that were opened and checked before, never as paths.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from tools.data.unreadable import Unreadable

_MAX_REPLY_BYTES = 8 * 1024 * 1024
_AT_ONCE = 3
"""Processes of all chats together, for each may take a gigabyte or two. The others wait; no task takes long."""
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_START = """
import sys, types
for name, path in (("tools", sys.argv[1]), ("tools.sandbox", sys.argv[1] + "/sandbox")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [path]
from tools.data.reader import main
main()
"""
"""Empty packages stand in for `tools` and its sandbox, whose own beginnings load every tool and take seconds."""


async def ask_reader(task: str, descriptors: Collection[int], *, timeout_s: float, **arguments: Any) -> Any:
    """Have the process do one task on open files; what it gives back, as JSON has it.

    Raises `Unreadable`; also where the process dies, for a healthy file does not kill its reader.
    """
    request = json.dumps({"task": task, "descriptors": list(descriptors), "arguments": arguments}).encode()
    try:
        async with _turns(), asyncio.timeout(timeout_s), _scratch() as folder, _process(descriptors, folder) as process:
            reply = await _exchange(process, request)
    except TimeoutError:
        raise Unreadable("too_slow", seconds=timeout_s) from None
    if reply is None:
        raise Unreadable("damaged")
    if "reason" in reply:
        raise Unreadable(reply["reason"], **reply["facts"])
    return reply["result"]


def _turns() -> asyncio.Semaphore:
    return _TURNS.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE))


@asynccontextmanager
async def _scratch() -> AsyncIterator[str]:
    folder = tempfile.mkdtemp()
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


@asynccontextmanager
async def _process(descriptors: Collection[int], folder: str) -> AsyncIterator[asyncio.subprocess.Process]:
    package = Path(__file__).parent.parent
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-B", "-X", "utf8", "-c", _START, str(package)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        pass_fds=tuple(descriptors),
        cwd=folder,
        env={},
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _exchange(process: asyncio.subprocess.Process, request: bytes) -> dict[str, Any] | None:
    assert process.stdin is not None  # noqa: S101  # a pipe
    assert process.stdout is not None  # noqa: S101  # a pipe
    with suppress(ConnectionError):
        process.stdin.write(request)
        await process.stdin.drain()
    process.stdin.close()
    reply = bytearray()
    while piece := await process.stdout.read(1 << 16):
        reply += piece
        if len(reply) > _MAX_REPLY_BYTES:
            return None
    with suppress(ValueError):
        return json.loads(reply)  # type: ignore[no-any-return]  # the reader writes only objects
    return None
