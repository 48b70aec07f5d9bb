"""Nothing is written into the project at run time, and two servers do not delete each other's files."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.e2e.running_app import ROOT, RunningApp, running_app
from tests.security.attacker import APP, connected, handshake

CLAIM_AND_DIE = """
import os, signal, sys
from pathlib import Path
from ui.guard.files import claim_files_folder
folder = claim_files_folder(Path(sys.argv[1]))
(folder / "private").write_text("left behind")
os.kill(os.getpid(), signal.SIGKILL)
"""


def copied_project(folder: Path) -> Path:
    for name in (".chainlit", "public"):
        shutil.copytree(ROOT / name, folder / name)
    for page in ROOT.glob("chainlit*.md"):
        shutil.copy2(page, folder)
    return folder


def snapshot(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


async def test_files_lie_in_the_data_folder_and_nothing_in_the_project(tmp_path: Path) -> None:
    data, project = tmp_path / "data", copied_project(tmp_path / "project")
    before = snapshot(project)
    auth = handshake()
    with running_app(tmp_path, app=APP, app_root=project) as server:
        async with connected(server, auth) as chat:
            await chat.say("file text/plain")
            await chat.next("element")
            [mine] = (data / "files").iterdir()
            assert [path.name for path in mine.iterdir()] == [auth["sessionId"]]
            assert mine.stat().st_mode & 0o077 == 0
        assert not (project / ".files").exists()
        assert server.get("/").text
    assert snapshot(project) == before
    assert list((data / "files").iterdir()) == []


async def test_a_server_that_ends_leaves_the_files_of_the_other(server: RunningApp, tmp_path: Path) -> None:
    auth = handshake()
    async with connected(server, auth) as chat:
        with running_app(tmp_path, app=APP, THINKGLASS_DATA=str(server.data)):
            await chat.say("file text/plain")
            element = await chat.next("element")
        path = f"/project/file/{element['chainlitKey']}"
        assert server.get(path, params={"session_id": auth["sessionId"]}).status_code == 200
        await chat.say("file text/plain")
        await chat.next("element")


def test_what_a_killed_server_left_is_swept_out_at_the_next_start(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", CLAIM_AND_DIE, str(tmp_path)], cwd=ROOT, check=False)
    [left] = (tmp_path / "files").iterdir()
    assert (left / "private").exists()
    subprocess.run([sys.executable, "-c", CLAIM_AND_DIE, str(tmp_path)], cwd=ROOT, check=False)
    assert not left.exists()
