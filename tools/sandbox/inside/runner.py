"""The confined process: shuts itself in, then runs one piece of code after the other as the server sends them.

What it writes is not to be trusted, as the code that it runs can do all that it can.
"""

import fcntl
import json
import os
import secrets
import shutil
import signal
import struct
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from tools.sandbox.inside.attempt import Attempt
from tools.sandbox.inside.cell import Notebook
from tools.sandbox.inside.confine import OPEN_FILES, Plan, confine
from tools.sandbox.inside.file_times import prepare_utime
from tools.sandbox.inside.self_test import attack

_MOST_FILES = 1 << 20
"""More a Linux process can't hold open, unless its administrator has raised `fs.nr_open`."""


class Channel:
    """Frames of JSON to and from the server, each after its length in 4 bytes.

    Its descriptors lie beyond those that code may open, so that nobody closes or writes to them by chance.
    """

    def __init__(self, requests: int, reports: int) -> None:
        self._requests, self._reports = _moved(requests), _moved(reports)
        _close_all_but({self._requests, self._reports})

    def next_request(self) -> dict[str, str] | None:
        """What to run next; None when the server has gone."""
        length = self._read(4)
        if len(length) < 4:
            return None
        request: dict[str, str] = json.loads(self._read(*struct.unpack("=I", length)))
        return request

    def send(self, report: dict[str, Any]) -> None:
        """Hand a report to the server."""
        body = json.dumps(report, ensure_ascii=False).encode("utf-8", "replace")  # half characters are no JSON
        left = memoryview(struct.pack("=I", len(body)) + body)
        while left:
            left = left[os.write(self._reports, left) :]

    def _read(self, size: int) -> bytes:
        parts = b""
        while len(parts) < size:
            part = os.read(self._requests, size - len(parts))
            if not part:
                break
            parts += part
        return parts


def main() -> None:
    """Run until the server closes the channel. The one argument holds the `Plan` and what else there is to know."""
    told = json.loads(sys.argv[1])
    sys.argv[:] = [""]
    channel = Channel(told["requests"], told["reports"])
    plan = Plan(**told["plan"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    confine(plan)
    prepare_utime()
    _bring_fonts(told["fonts"], plan.scratch)
    notebook = Notebook(told["max_chars"])
    if told["self_test"]:
        notebook.offer(attack)
    channel.send({"token": told["token"]})
    while request := channel.next_request():
        _open_output()
        report = notebook.run(request["code"])
        with Attempt():
            sys.stdout.flush()
            sys.stderr.flush()
        channel.send(report | {"token": request["token"]})


def _moved(descriptor: int) -> int:
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, OPEN_FILES + 100 + secrets.randbelow(600))
    os.close(descriptor)
    return moved


def _close_all_but(kept: set[int]) -> None:
    """Of what was inherited, some has whatever number was free in a server that holds many files open."""
    for below, above in pairwise([2, *sorted(kept), _MOST_FILES]):
        os.closerange(below + 1, above)


def _open_output() -> None:
    """Give each call its own way out: the one before may have closed or replaced it."""
    with Attempt():
        sys.stdout = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def _bring_fonts(fonts: str, scratch: str) -> None:
    """Put the list of fonts that an earlier process has made where matplotlib looks for it: to make it takes long."""
    if fonts:
        shutil.copytree(fonts, Path(scratch, "matplotlib"))
