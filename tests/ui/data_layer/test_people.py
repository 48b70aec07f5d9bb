"""What is kept for a person can be taken along, put back and erased, by the command too."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chainlit.element import CustomElement, Text
from chainlit.types import Feedback, Pagination, ThreadFilter
from chainlit.user import PersistedUser

from tests.ui.data_layer.conftest import NewLayer
from tests.ui.data_layer.people import new_id, person, step, texts, thread_of
from ui.data_layer.errors import BrokenExport
from ui.data_layer.file_folder import FileFolder
from ui.data_layer.layer import DataLayer
from ui.data_layer.people import erase_person, export_person, import_person
from ui.data_layer.places import files_folder

ROOT = Path(__file__).parents[3]


@pytest.fixture
def files(tmp_path: Path) -> FileFolder:
    return FileFolder(files_folder(tmp_path))


@pytest.fixture
async def alice(layer: DataLayer) -> PersistedUser:
    """Has two threads with everything in them; bob has one."""
    user = await person(layer)
    for thread_id in [await thread_of(layer, user, name) for name in ("first", "二")]:
        await layer.update_thread(thread_id, metadata={"chat_profile": "x"}, tags=["t"])
        run = step(thread_id, type="run", aKeyOfTheFuture=[1])
        await layer.create_step(run)
        await layer.create_step(step(thread_id, "an unmistakable answer", parentId=run["id"], tags=["a"]))
        await layer.upsert_feedback(Feedback(forId=run["id"], value=1, comment="good"))
        await layer.create_element(Text(name="file", content="内容", thread_id=thread_id, for_id=run["id"]))
        await layer.create_element(CustomElement(name="C", props={"n": 1}, thread_id=thread_id, for_id=run["id"]))
    bobs = await thread_of(layer, await person(layer, "bob"), "bob's")
    await layer.create_step(step(bobs, "bob's text"))
    return user


async def threads(layer: DataLayer, name: str) -> list[dict[str, Any] | None]:
    user = await layer.get_user(name)
    page = await layer.list_threads(Pagination(first=50), ThreadFilter(userId=user.id if user else ""))
    return [await layer.get_thread(listed["id"]) for listed in page.data]


@pytest.mark.usefixtures("alice")
async def test_exported_erased_imported_is_the_same(
    layer: DataLayer, new_layer: NewLayer, files: FileFolder, tmp_path: Path, count_files: Callable[[], int]
) -> None:
    before = await threads(layer, "alice")
    assert await export_person(layer.history, files, "alice", target=tmp_path / "a.zip") == 2
    assert await erase_person(layer.history, files, "alice", forget_chat=lambda _: None) == 2
    assert (await threads(layer, "alice"), await layer.get_user("alice"), count_files()) == ([], None, 0)
    again = new_layer()
    assert await import_person(again.history, files, "alice", source=tmp_path / "a.zip") == 2
    assert await threads(again, "alice") == before
    for thread in await threads(again, "alice"):
        assert thread
        kept = [e for e in thread["elements"] if e["objectKey"]]
        assert [files.path(e["objectKey"]).read_text("utf-8") for e in kept] == ["内容"]
    assert await import_person(again.history, files, "alice", source=tmp_path / "a.zip") == 0
    assert [thread and thread["name"] for thread in await threads(again, "bob")] == ["bob's"]


@pytest.mark.usefixtures("alice")
async def test_an_export_belongs_to_whom_it_is_imported_for(
    layer: DataLayer, files: FileFolder, tmp_path: Path
) -> None:
    await export_person(layer.history, files, "alice", target=tmp_path / "a.zip")
    assert await import_person(layer.history, files, "mallory", source=tmp_path / "a.zip") == 0
    assert (len(await threads(layer, "alice")), await threads(layer, "mallory")) == (2, [])


@pytest.mark.usefixtures("alice")
@pytest.mark.parametrize("url", ["sqlite"], indirect=True)  # PostgreSQL vacuums by itself
async def test_nothing_erased_can_be_read_from_the_disk(layer: DataLayer, files: FileFolder, tmp_path: Path) -> None:
    assert await layer.list_threads(Pagination(first=5), ThreadFilter(userId=new_id(), search="unmistakable"))
    await erase_person(layer.history, files, "alice", forget_chat=lambda _: None)
    await layer.close()
    on_disk = content_of(tmp_path)
    assert b"unmistakable" not in on_disk
    assert b"bob's text" in on_disk


def content_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["nobody", ""])
async def test_nobody_can_be_neither_exported_nor_erased(
    layer: DataLayer, files: FileFolder, tmp_path: Path, name: str
) -> None:
    with pytest.raises(LookupError):
        await export_person(layer.history, files, name, target=tmp_path / "n.zip")
    with pytest.raises(LookupError):
        await erase_person(layer.history, files, name, forget_chat=lambda _: None)


GOOD_HEAD = {"thinkglass": 1, "user": {"id": "u"}}
GOOD_THREAD = {"table": "threads", "row": {"id": "t", "activity": 1, "createdAt": "x"}}


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{"thinkglass": 2, "user": {"id": "u"}}],
        [{"user": {"id": "u"}}],
        [[]],
        [GOOD_HEAD, {"table": "threads", "row": {}}],
        [GOOD_HEAD, GOOD_THREAD, {"table": "steps", "row": {"id": "s", "threadId": "another"}}],
        [GOOD_HEAD, GOOD_THREAD, {"table": "users", "row": {"id": "s", "threadId": "t"}}],
        [GOOD_HEAD, GOOD_THREAD, {"table": "steps", "row": {"id": "s", "threadId": "t"}}],
    ],
)
async def test_a_damaged_export_is_refused_plainly(
    layer: DataLayer, files: FileFolder, tmp_path: Path, lines: list[object]
) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("history.jsonl", "\n".join(json.dumps(line) for line in lines))
    with pytest.raises(BrokenExport):
        await import_person(layer.history, files, "alice", source=tmp_path / "bad.zip")
    assert await texts(layer, "t") == []


async def test_what_is_no_zip_is_refused_plainly(layer: DataLayer, files: FileFolder, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"nothing of the kind")
    with pytest.raises(BrokenExport):
        await import_person(layer.history, files, "alice", source=tmp_path / "bad.zip")


def command(url: str, folder: Path, *arguments: str) -> tuple[int, str]:
    """Run the command as a person does; returns its status and the last line it said."""
    environment = {"DATABASE_URL": url, "THINKGLASS_DATA": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", "ui.data_layer", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)  # each of its runs takes seconds
@pytest.mark.usefixtures("alice")
async def test_the_command(layer: DataLayer, url: str, tmp_path: Path, count_files: Callable[[], int]) -> None:
    await layer.flush()
    target = tmp_path / "alice.zip"
    assert command(url, tmp_path, "export", "alice", str(target)) == (0, f"2 chats of alice are in {target} now.")
    assert target.stat().st_mode & 0o077 == 0
    assert command(url, tmp_path, "erase", "alice")[0] == 2
    assert count_files() == 2
    assert command(url, tmp_path, "erase", "alice", "--yes") == (0, "alice and 2 chats are erased.")
    assert count_files() == 0
    assert command(url, tmp_path, "erase", "alice", "--yes") == (1, "Nothing is kept for 'alice'.")
    assert command(url, tmp_path, "import", "alice", str(target)) == (0, f"2 chats from {target} are alice's now.")
    assert count_files() == 2
    assert command(url, tmp_path, "import", "alice", "missing.zip") == (1, "missing.zip: No such file or directory.")
    assert command("mysql://x", tmp_path, "erase", "a", "--yes")[1].startswith("DATABASE_URL must start with")
