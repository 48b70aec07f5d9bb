"""The attacks of `hostile_code` against every way of confining code that this machine has."""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import pytest_asyncio

from tests.security.hostile_appetite import CONSUMING
from tests.security.hostile_code import PRELUDE, REACHING, Hostile
from tests.tools.sandbox.conftest import MEMORY
from tools.sandbox import PythonSession, Sandbox, SandboxLimits
from tools.sandbox.confinement import Mode
from tools.sandbox.disk import remove_folder

pytestmark = pytest.mark.asyncio(loop_scope="module")

CANARY = "canary-of-the-server"
LIMITS = SandboxLimits(seconds=20, memory_mb=768, disk_mb=128, written_mb=384)
SHORT = replace(LIMITS, seconds=1)
"""For code that never ends by itself."""
ENDLESS = [attack for attack in CONSUMING if attack.ends_with == "took longer"]
OTHERS = [*REACHING, *(attack for attack in CONSUMING if attack not in ENDLESS)]


@dataclass(slots=True)
class Surroundings:
    """What is worth attacking: files, folders, open ports and a process, all of the server's own user."""

    root: Path
    decoy: subprocess.Popen[bytes]
    port: int
    abstract: str
    contacts: list[str] = field(default_factory=list)

    def fill_in(self, code: str) -> str:
        for mark, value in {
            "secret": self.root / "app" / "secret.env",
            "outside": self.root / "outside",
            "other": self.root / "chats" / "other",
            "port": self.port,
            "abstract": self.abstract,
            "decoy": self.decoy.pid,
            "server": os.getpid(),
        }.items():
            code = code.replace(f"<<{mark}>>", str(value))
        return code

    def state(self) -> dict[str, object]:
        """All that an attack could change, besides its own folder."""
        files = list(_all_but(self.root, "own"))
        return {
            "files": {str(path): (path.stat().st_mode, path.stat().st_size, path.stat().st_mtime_ns) for path in files},
            "decoy": (self.decoy.poll(), os.sched_getaffinity(self.decoy.pid), os.getpriority(0, self.decoy.pid)),
            "limits": Path(f"/proc/{self.decoy.pid}/limits").read_text("ascii"),
            "contacts": list(self.contacts),
        }


def _all_but(folder: Path, left_out: str) -> Iterator[Path]:
    """All files and folders below, without what is in those of that name: code may have made it too deep to walk."""
    for path in folder.iterdir():
        if path.name != left_out:
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from _all_but(path, left_out)


@pytest.fixture(scope="module")
def surroundings() -> Iterator[Surroundings]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, ExitStack() as undo:
        root = Path(folder)
        for path in (root, root / "app", root / "outside", root / "chats", root / "chats" / "other"):
            path.mkdir(exist_ok=True)
            path.chmod(0o777)  # nothing but the confinement is to hold code off
        for path in (root / "app" / "secret.env", root / "chats" / "other" / "private.txt"):
            path.write_text(CANARY, "utf-8")
            path.chmod(0o666)
        decoy = subprocess.Popen([sys.executable, "-c", "input()"], env={"API_KEY": CANARY}, stdin=subprocess.PIPE)
        undo.callback(decoy.kill)
        found = Surroundings(root, decoy, 0, f"attacked-{decoy.pid}")
        undo.enter_context(listening(found))
        yield found


@contextmanager
def listening(target: Surroundings) -> Iterator[None]:
    """Sockets that note who comes: a port for streams and datagrams, and two abstract names."""
    stream = socket.create_server(("127.0.0.1", 0))
    target.port = stream.getsockname()[1]
    datagram = socket.socket(type=socket.SOCK_DGRAM)
    datagram.bind(("127.0.0.1", target.port))
    named, named_datagram = (socket.socket(socket.AF_UNIX, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM))
    named.bind(f"\0{target.abstract}")
    named.listen()
    named_datagram.bind(f"\0{target.abstract}-datagram")
    sockets = [stream, datagram, named, named_datagram]

    def note(listener: socket.socket) -> None:
        try:
            came = listener.accept()[1] if listener.type == socket.SOCK_STREAM else listener.recv(10)
        except OSError:  # closed at the end
            return
        target.contacts.append(str(came))

    threads = [threading.Thread(target=note, args=(listener,), daemon=True) for listener in sockets]
    for thread in threads:
        thread.start()
    yield
    for listener in sockets:
        listener.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["bubblewrap", "landlock"])
async def sessions(
    request: pytest.FixtureRequest, surroundings: Surroundings
) -> AsyncIterator[dict[SandboxLimits, PythonSession]]:
    """A session with time enough and one with little, both in the chat's own folder."""
    mode: Mode = request.param
    folder = surroundings.root / "chats" / "own"
    folder.mkdir(exist_ok=True)
    boxes = {limits: Sandbox(limits, modes=(mode,)) for limits in (LIMITS, SHORT)}
    for box in boxes.values():
        confinement = await box.probe()
        if confinement.mode is None:
            pytest.skip(f"{mode} IS NOT TESTED: {confinement.reason} {confinement.detail}")
    yield {limits: box.session(folder) for limits, box in boxes.items()}
    for box in boxes.values():
        await box.close()
    await asyncio.to_thread(remove_folder, folder)


@pytest.mark.parametrize("attack", OTHERS, ids=lambda attack: attack.name)
async def test_an_attack_is_held_off(
    sessions: dict[SandboxLimits, PythonSession], surroundings: Surroundings, attack: Hostile
) -> None:
    await check(sessions[LIMITS], surroundings, attack)


@pytest.mark.parametrize("attack", ENDLESS, ids=lambda attack: attack.name)
async def test_code_without_end_is_ended(
    sessions: dict[SandboxLimits, PythonSession], surroundings: Surroundings, attack: Hostile
) -> None:
    await check(sessions[SHORT], surroundings, attack)


async def check(session: PythonSession, surroundings: Surroundings, attack: Hostile) -> None:
    await session.run(PRELUDE)
    before = surroundings.state()
    outcome = await session.run(surroundings.fill_in(attack.code))
    said = f"{outcome.printed}\n{outcome.value}\n{outcome.error}"
    assert "ESCAPED" not in said
    assert CANARY not in said
    assert surroundings.state() == before
    assert attack.is_told in said
    assert said.count("held ") >= attack.tries
    assert disk_bytes(surroundings.root / "chats" / "own") < 2 * (LIMITS.disk_mb << 20)
    if attack.ends_with is None:
        assert outcome.error is None
    else:
        assert attack.ends_with in (outcome.error or "")


def disk_bytes(folder: Path) -> int:
    """As `du` counts it, which walks folders however deep they are."""
    counted = subprocess.run(["du", "-sb", str(folder)], capture_output=True, text=True, check=False)
    return int(counted.stdout.split()[0])


async def test_the_chat_goes_on_after_all_of_it(sessions: dict[SandboxLimits, PythonSession]) -> None:
    assert (await sessions[LIMITS].run("6 * 7")).value == "42"
