"""One confined process as the server holds it: start, ask, listen, pause, kill. It believes nothing it is told.

The event loop reads what comes, a piece at a time; nothing here waits for the process.
"""

import asyncio
import contextlib
import json
import os
import secrets
import select
import signal
import struct
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.sandbox.command import Command, Spot, command_for, libraries, readable
from tools.sandbox.confinement import Mode
from tools.sandbox.disk import remove_folder
from tools.sandbox.inside import landlock
from tools.sandbox.inside.confine import Plan
from tools.sandbox.limits import START_S, SandboxLimits
from tools.sandbox.output import Output
from tools.sandbox.report import MOST_BYTES, Report, report_from
from tools.sandbox.users import threads_of, user_of

MOST_REQUEST_BYTES = 60_000
"""A pipe takes this much at once even if nobody reads it."""
_MOST_PRINTED = 10 << 20
_MOST_REPORTS = 4
_PIECE = 1 << 16
_NICE = 5
_OWN_LIBRARIES = "/proc/self/maps"
"""Where scikit-learn looks for its native libraries. bubblewrap shows no /proc, which it can live with as well."""


class NotStarted(Exception):
    """The process did not become ready; the words are what the system or the process said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How processes are started: the mode that holds here, the limits, and a list of fonts or None."""

    mode: Mode
    limits: SandboxLimits
    fonts: Path | None = None
    self_test: bool = False


class ConfinedProcess:
    """A running Python behind its walls. Made by `start_process`; whoever starts it kills it."""

    def __init__(self, process: subprocess.Popen[bytes], scratch: Path, requests: int) -> None:
        self.pid = process.pid
        self.scratch = scratch
        self.output = Output(_PIECE)
        self.printed_too_much = asyncio.Event()
        self._process = process
        self._requests = requests
        self._handle = os.pidfd_open(process.pid)
        self._frame = bytearray()
        self._reports = asyncio.Queue[bytes]()
        self._readers: list[int] = []
        self._heard = 0
        self._reaping: asyncio.Future[int] | None = None

    def listen(self, descriptor: int, hear: Callable[[bytes], bool]) -> None:
        """Hand over what can be read from the descriptor, piece by piece, until `hear` has enough."""

        def read() -> None:
            with contextlib.suppress(BlockingIOError):
                piece = os.read(descriptor, _PIECE)
                self._heard += len(piece)
                if not hear(piece):
                    asyncio.get_running_loop().remove_reader(descriptor)

        os.set_blocking(descriptor, False)
        asyncio.get_running_loop().add_reader(descriptor, read)
        self._readers.append(descriptor)

    def hear_output(self, piece: bytes) -> bool:
        """A piece of what the code prints."""
        self.output.feed(piece)
        if self.output.total > _MOST_PRINTED:
            self.printed_too_much.set()
        return bool(piece)

    def hear_reports(self, piece: bytes) -> bool:
        """A piece of the channel; an empty report stands for its end, be it by death, by too much or by nonsense."""
        self._frame += piece
        is_sound = bool(piece) and self._take_frames()
        if not is_sound:
            self._reports.put_nowait(b"")
        return is_sound

    def _take_frames(self) -> bool:
        while len(self._frame) >= 4:
            (length,) = struct.unpack_from("=I", self._frame)
            if not 0 < length <= MOST_BYTES or self._reports.qsize() >= _MOST_REPORTS:
                return False
            if len(self._frame) < 4 + length:
                return True
            self._reports.put_nowait(bytes(self._frame[4 : 4 + length]))
            del self._frame[: 4 + length]
        return True

    def become(self, pid: int) -> None:
        """From now on, stand for this process, which is the child of the one that was started."""
        handle = os.pidfd_open(pid)
        os.close(self._handle)
        self.pid, self._handle = pid, handle

    def yield_to_others(self) -> None:
        """Weigh less than the server does when processors are short."""
        os.setpriority(os.PRIO_PROCESS, self.pid, _NICE)
        with contextlib.suppress(OSError):  # where sessions are weighed as groups, and the server may say how
            Path(f"/proc/{self.pid}/autogroup").write_text(str(_NICE))

    def begin(self, max_chars: int) -> None:
        """Forget what was printed before."""
        self.output = Output(max_chars)
        self.printed_too_much = asyncio.Event()

    def ask(self, request: bytes) -> None:
        """Send a request of at most `MOST_REQUEST_BYTES` and let the process go on."""
        self.signal(signal.SIGCONT)
        os.write(self._requests, struct.pack("=I", len(request)) + request)

    async def report(self, token: str) -> Report | None:
        """The report of the call with this token; None where the process ended or sent something else."""
        body = await self._reports.get()
        return await asyncio.to_thread(report_from, body, token)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def pause(self) -> None:
        """Let it do nothing until the next request, whatever threads it has; take in what it had printed."""
        self.signal(signal.SIGSTOP)
        output = self._readers[0]
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(output, _PIECE):
                self._heard += len(piece)
                self.output.feed(piece)

    def memory_bytes(self) -> int:
        """The address space that it takes now; 0 where it has ended."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text("ascii").split()[0]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def written_bytes(self) -> int:
        """What it has written to files since it started, seen or not; 0 where the kernel does not count."""
        try:
            lines = Path(f"/proc/{self.pid}/io").read_text("ascii").splitlines()
        except OSError:
            return 0
        counts = {name: int(count) for name, _, count in (line.partition(": ") for line in lines)}
        return max(counts["write_bytes"], counts["wchar"] - self._heard)  # to disk, or to anything but the server

    async def exit_status(self) -> int | None:
        """How it ended, as a shell would say it; None where it is still there after a moment."""
        try:
            status = await asyncio.to_thread(self._process.wait, 0.5)
        except subprocess.TimeoutExpired:
            return None
        return status if status >= 0 else 128 - status

    def kill(self) -> None:
        """End it, with all that it has. Does not wait; `gone` does."""
        if self._reaping is not None:
            return
        loop = asyncio.get_running_loop()
        self.signal(signal.SIGKILL)
        self._process.kill()
        for descriptor in self._readers:
            loop.remove_reader(descriptor)
            os.close(descriptor)
        os.close(self._requests)
        self._reaping = loop.run_in_executor(None, self._reap)

    async def gone(self) -> None:
        """Wait until a killed process has ended."""
        if self._reaping is not None:
            await asyncio.shield(self._reaping)

    def _reap(self) -> int:
        status = self._process.wait()
        select.select([self._handle], [], [])  # readable once the confined process has ended, too
        os.close(self._handle)
        remove_folder(self.scratch)
        return status


async def start_process(setting: Setting, workspace: Path) -> ConfinedProcess:
    """Start a process for a chat's folder; it is ready and paused. Raises `NotStarted`."""
    user = user_of(workspace)
    if user is not None:
        os.chown(workspace, user, user)
    others = await asyncio.to_thread(threads_of, os.getuid() if user is None else user)
    token = secrets.token_hex(16)
    with contextlib.ExitStack() as undo:
        process, info = _launched(setting, workspace, user, others, token)
        undo.callback(process.kill)
        try:
            async with asyncio.timeout(START_S):
                await _find_confined(process, info, setting.mode)
                report = await process.report(token)
        except TimeoutError as error:
            raise NotStarted(f"it was not ready after {START_S} s; it said: {_last_words(process)}") from error
        if report is None:
            raise NotStarted(f"it ended; it said: {_last_words(process)}")
        process.yield_to_others()
        process.pause()
        undo.pop_all()
    return process


def _last_words(process: ConfinedProcess) -> str:
    return process.output.text().strip()[-500:] or "nothing"


def _launched(
    setting: Setting, workspace: Path, user: int | None, others: int, token: str
) -> tuple[ConfinedProcess, int]:
    """The process, and where bubblewrap says who its child is. In the loop's thread: a child ends with its thread."""
    scratch = Path(tempfile.mkdtemp(prefix="python-tool-"))
    if user is not None:
        os.chown(scratch, user, user)
    requests, reports, info, output = (os.pipe() for _ in range(4))
    command = command_for(setting.mode, Spot(workspace=workspace, scratch=scratch, fonts=setting.fonts), info=info[1])
    told = _told(setting, command, user, others) | {"requests": requests[0], "reports": reports[1], "token": token}
    inherited = (requests[0], reports[1], info[1])
    started = subprocess.Popen(  # noqa: S603
        [*command.arguments, json.dumps(told)],
        env=command.environment,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=output[1],
        stderr=output[1],
        pass_fds=inherited,
        start_new_session=True,
    )
    for descriptor in (*inherited, output[1]):
        os.close(descriptor)
    process = ConfinedProcess(started, scratch, requests[1])
    process.listen(output[0], process.hear_output)
    process.listen(reports[0], process.hear_reports)
    return process, info[0]


def _told(setting: Setting, command: Command, user: int | None, others: int) -> dict[str, object]:
    seen = command.seen
    plan = Plan(
        workspace=str(seen.workspace),
        scratch=str(seen.scratch),
        readable=[*readable(), *([str(seen.fonts)] if seen.fonts else []), _OWN_LIBRARIES],
        libraries=libraries(),
        user=user,
        landlock=landlock.version(),
        memory_mb=setting.limits.memory_mb,
        processes=setting.limits.processes + others,
    )
    return {
        "plan": asdict(plan),
        "fonts": str(seen.fonts or ""),
        "max_chars": setting.limits.output_chars,
        "self_test": setting.self_test,
    }


async def _find_confined(process: ConfinedProcess, info: int, mode: Mode) -> None:
    """Learn from bubblewrap which process is the confined one; with Landlock it is the one that was started."""
    told = await asyncio.to_thread(_read_line, info)
    if mode == "bubblewrap" and told:
        process.become(int(json.loads(told)["child-pid"]))


def _read_line(info: int) -> bytes:
    with open(info, "rb", buffering=0) as stream:  # a descriptor
        told = b""
        while b"}" not in told and (piece := stream.read(_PIECE)):
            told += piece
    return told
