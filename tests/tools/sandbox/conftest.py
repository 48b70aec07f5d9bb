"""Confined Python for the tests: one sandbox for a test file, in each mode that this machine has."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tools.sandbox import PythonSession, Sandbox, SandboxLimits
from tools.sandbox.confinement import Mode

LIMITS = SandboxLimits(seconds=60, memory_mb=1536, idle_s=300, max_live=3, queue_s=60)
"""Time enough for a machine that is busy with other things; who tests the limits sets them."""


MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Folders in memory, where there is such a place: how busy the disk is makes no difference then."""


async def ready_sandbox(mode: Mode, limits: SandboxLimits = LIMITS) -> Sandbox:
    box = Sandbox(limits, modes=(mode,))
    confinement = await box.probe()
    if confinement.mode is None:
        await box.close()
        pytest.skip(f"{mode} IS NOT TESTED: {confinement.reason} {confinement.detail}")
    return box


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["bubblewrap", "landlock"])
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    box = await ready_sandbox(request.param)
    yield box
    await box.close()


@pytest.fixture(scope="module")
def chats() -> Iterator[Path]:
    """A folder for folders of chats, as a server would keep it."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.fixture
def empty_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest_asyncio.fixture(loop_scope="module")
async def session(sandbox: Sandbox, chats: Path) -> AsyncIterator[PythonSession]:
    own = sandbox.session(new_chat(chats))
    yield own
    await own.close()


def confined_processes() -> set[int]:
    """The processes that the sandboxes of this test run have alive."""
    found = set[int]()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = b"tools.sandbox.inside.runner" in (entry / "cmdline").read_bytes() and _is_below_us(entry)
        except OSError:  # it has ended meanwhile
            continue
        if is_ours:
            found.add(int(entry.name))
    return found


def _is_below_us(entry: Path) -> bool:
    parent = int((entry / "stat").read_text("ascii").rpartition(")")[2].split()[1])
    return parent == os.getpid() or (parent > 1 and _is_below_us(Path(f"/proc/{parent}")))


async def until(condition: Callable[[], bool], *, within_s: float) -> None:
    """Wait until something has come true that sends no event."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110  # neither a file nor a process sends an event
            await asyncio.sleep(0.005)


def new_chat(chats: Path) -> Path:
    folder = chats / f"chat-{len(list(chats.iterdir()))}"
    folder.mkdir()
    return folder
