import asyncio
import sys
from pathlib import Path

import pytest

from llm.local.lock import file_lock
from tests.llm.local.site import LIMIT_S

ROOT = Path(__file__).parents[3]
HOLDER = """
import asyncio, sys
from pathlib import Path
from llm.local.lock import file_lock

async def main():
    async with file_lock(Path(sys.argv[1])):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def enter(path: Path) -> None:
    async with file_lock(path):
        pass


async def test_a_lock_is_free_again_after_use(tmp_path: Path) -> None:
    for _ in range(2):
        await asyncio.wait_for(enter(tmp_path / "lock"), LIMIT_S)


async def test_another_process_keeps_it_until_it_dies(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = (sys.executable, "-c", HOLDER, str(path))
    holder = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert holder.stdout
    assert await holder.stdout.readline() == b"held\n"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(enter(path), 0.7)
    holder.kill()
    await asyncio.wait_for(enter(path), LIMIT_S)
    await holder.wait()
