"""The reader's own process: one request from its input, one reply to its output. Knows no workspace and no tool.

It shuts itself in before it looks at a file: limits everywhere, and on Linux no files but those it was handed and the
libraries, no network and no other program. DuckDB has its own lock besides (`tables.lock`); this is for faults in it.
"""

import json
import os
import resource
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.data.unreadable import Unreadable
from tools.sandbox.inside import landlock, seccomp

_MODULES = {
    "check_pdf": "pdf",
    "pdf_text": "pdf",
    "check_picture": "pictures",
    "check_json": "json_file",
    "check_workbook": "sheets",
    "sheet_text": "sheets",
    "schema": "queries",
    "query": "queries",
}
_MIB = 1024 * 1024
_MEMORY_BYTES = 3 * 1024 * _MIB
_FILE_BYTES = 1024 * _MIB
_LIBRARIES = (sys.prefix, sys.base_prefix, str(Path(__file__).parent.parent), "/usr/lib", "/lib", "/lib64")
_SYSTEM = ("/dev/null", "/dev/urandom", "/proc/self/cgroup", "/proc/meminfo", "/sys/fs/cgroup", "/usr/share/zoneinfo")
"""What libraries look up about the machine, DuckDB how much memory there is, and time zones."""
_CPU_SECONDS = 90
"""Whoever waits kills the process far earlier; this is for when that one is gone."""


def main() -> None:
    """Read the request, give up what is not needed, do the task, and write what came of it."""
    request = json.load(sys.stdin.buffer)
    task = _task(request["task"])
    reply_to = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no reply
    _limit()
    if sys.platform == "linux":
        with suppress(OSError):  # a kernel without it: then the limits and the libraries' own locks have to do
            _shut_in(request["descriptors"])
    with os.fdopen(reply_to, "w", encoding="utf-8") as output:
        json.dump(_reply(task, request["arguments"]), output)


def _limit() -> None:
    for what, most in (
        (resource.RLIMIT_AS, _MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
    ):
        resource.setrlimit(what, (most, most))


def _shut_in(descriptors: Iterable[int]) -> None:
    paths = [*_LIBRARIES, *_SYSTEM]
    readable = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths if Path(path).exists()]
    scratch = os.open(".", os.O_PATH | os.O_CLOEXEC)
    if abi := landlock.version():
        landlock.restrict([*readable, *descriptors], [scratch], abi=abi)
    seccomp.install(os.getpid())


def _reply(task: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"result": task(**arguments)}
    except Unreadable as error:
        return {"reason": error.reason, "facts": error.facts}
    except (MemoryError, RecursionError):
        return {"reason": "bomb", "facts": {}}


def _task(name: str) -> Callable[..., Any]:
    """Load what the task needs, and no more, while all files can still be read."""
    return getattr(import_module(f"tools.data.{_MODULES[name]}"), name)  # type: ignore[no-any-return]  # a function
