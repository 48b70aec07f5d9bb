"""Starts the engine in a process of its own and owns it: `child.py` as the app sees it.

The child ends when its stdin does, so it cannot outlive the app. Knows nothing of where weights come from.
"""

import asyncio
import importlib.util
import json
import os
import secrets
import sys
from collections import deque
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from llm.endpoint import Endpoint
from llm.local.errors import EngineFailed, EngineMissing
from llm.local.machine import physical_cores

_PROJECT = Path(__file__).resolve().parents[2]
_START_LIMIT_S = 180
_CLOSE_LIMIT_S = 2

EXTRA_BODY = MappingProxyType({"return_progress": True})
"""What every streamed request to this server has to carry. llama.cpp looks at the connection when it has something
to send; without progress to send, a stream closed by the client is not noticed until the prompt has been read."""

EXTRA_HEADERS = MappingProxyType({"Connection": "close"})
"""What every request has to carry. llama.cpp sometimes closes a connection after a stream without having said so;
a client that uses it again then reads that the server has disconnected (seen once in 30 requests)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A GGUF file and how to run it. `name` and `server` are for people (see `Endpoint`).

    An empty `chat_template` means the one inside the file.
    """

    path: Path
    name: str
    server: str
    context_tokens: int
    chat_template: str = ""


class EngineServer:
    """A running engine; made by `open_server`, ended by `close`."""

    def __init__(self, process: asyncio.subprocess.Process, endpoint: Endpoint, *, said: asyncio.Task[str]) -> None:
        self.endpoint = endpoint
        self._process = process
        self._said = said

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    async def ended(self) -> EngineFailed:
        """Wait for the process to end by itself and say how it did."""
        return EngineFailed(await _last_words(self._process, self._said))

    async def close(self) -> None:
        """End the process, and any generation with it."""
        await _end(self._process)


async def require_engine() -> None:
    """Raise `EngineMissing` where the engine cannot be loaded. Asked in a process of its own: it could crash."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise EngineMissing("No module named xllamacpp")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "import xllamacpp"), stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        _, said = await process.communicate()
    finally:
        await _end(process)
    if process.returncode:
        raise EngineMissing(f"exit code {process.returncode}: {said.decode(errors='replace')[-1000:].strip()}")


async def open_server(model: Model, slot_folder: Path) -> EngineServer:
    """Load the model in a new process and wait until it answers. Raises `EngineMissing` or `EngineFailed`."""
    api_key = secrets.token_urlsafe(24)
    async with AsyncExitStack() as stack:
        try:
            process = await _spawned(slot_folder)
        except OSError as error:
            raise EngineFailed(f"{type(error).__name__}: {error}") from error
        stack.push_async_callback(_end, process)
        said = asyncio.create_task(_tail(process.stderr))
        port = await _port(process, _job(model, slot_folder, api_key=api_key), said=said)
        stack.pop_all()
    endpoint = Endpoint(
        api_base=f"http://127.0.0.1:{port}/v1",
        api_key=api_key,
        model=model.name,
        source="builtin",
        server=model.server,
        context_tokens=model.context_tokens,
        needs_guide=bool(model.chat_template),
    )
    return EngineServer(process, endpoint, said=said)


async def _spawned(slot_folder: Path) -> asyncio.subprocess.Process:
    await asyncio.to_thread(slot_folder.mkdir, parents=True, exist_ok=True)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "llm.local.child"),
        cwd=_PROJECT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def _job(model: Model, slot_folder: Path, *, api_key: str) -> dict[str, Any]:
    cores = physical_cores()
    return {
        "model": str(model.path),
        "alias": model.name,
        "api_key": api_key,
        "chat_template": model.chat_template,
        "context_tokens": model.context_tokens,
        "slot_folder": f"{slot_folder}{os.sep}",  # the engine puts the file name right behind it
        "threads": max(1, cores - 1),  # one core stays with the app and the browser
        "batch_threads": cores,
        "parent": os.getpid(),
    }


async def _port(process: asyncio.subprocess.Process, job: dict[str, Any], *, said: asyncio.Task[str]) -> int:
    """Hand the job over and read the child's one line."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise EngineFailed("the child has no pipes")
    with suppress(ConnectionError):  # it died before it read: its last words say more
        stdin.write(json.dumps(job).encode() + b"\n")
        await stdin.drain()
    try:
        line = await asyncio.wait_for(stdout.readline(), _START_LIMIT_S)
    except TimeoutError as error:
        raise EngineFailed(f"not ready after {_START_LIMIT_S} s") from error
    if not line:
        raise EngineFailed(await _last_words(process, said))
    return _port_from(json.loads(line))


def _port_from(answer: dict[str, Any]) -> int:
    match answer:
        case {"port": int(port)}:
            return port
        case {"error": reason, "missing": True}:
            raise EngineMissing(reason)
        case _:
            raise EngineFailed(str(answer.get("error")))


async def _tail(stream: asyncio.StreamReader | None) -> str:
    """The last lines of a stream, which has to be read or its writer would block."""
    lines: deque[bytes] = deque(maxlen=20)
    while stream and (chunk := await stream.read(4096)):
        lines.extend(chunk.splitlines())
    return b"\n".join(lines).decode(errors="replace")


async def _last_words(process: asyncio.subprocess.Process, said: asyncio.Task[str]) -> str:
    code = await process.wait()
    return f"the engine's process ended with exit code {code}: {await said}"


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _CLOSE_LIMIT_S)
    except TimeoutError:
        process.kill()
        await process.wait()
