"""Elements and their files survive a reload, whoever sent them how; only their owner reads them."""

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chainlit.element import CustomElement, Element, File, Image, Pdf, Task, TaskList, Text, Video
from chainlit.user import PersistedUser

from tests.ui.data_layer.conftest import NewLayer
from tests.ui.data_layer.people import new_id, person, step, thread_of
from ui.data_layer.file_folder import FileFolder, object_key
from ui.data_layer.layer import DataLayer
from ui.data_layer.places import files_folder

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.fixture
async def thread_id(layer: DataLayer) -> str:
    return await thread_of(layer, await person(layer))


async def reloaded(layer: DataLayer, thread_id: str) -> list[dict[str, Any]]:
    thread = await layer.get_thread(thread_id)
    assert thread
    elements: list[dict[str, Any]] = thread["elements"]
    return elements


def content_of(element: dict[str, Any], folder: Path) -> bytes:
    assert element["url"] == f"/files/{element['objectKey']}"
    return FileFolder(files_folder(folder)).path(element["objectKey"]).read_bytes()


async def test_all_kinds_come_back_in_order(layer: DataLayer, thread_id: str, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF-")
    sent: list[tuple[Element, bytes | None]] = [
        (Image(name="plot", content=PNG, mime="image/png", size="large", thread_id=thread_id), PNG),
        (Text(name="code", content="print(1)", language="python", display="side", thread_id=thread_id), b"print(1)"),
        (Pdf(name="report", path=str(tmp_path / "report.pdf"), page=3, thread_id=thread_id), b"%PDF-"),
        (File(name="../../etc/passwd", content=b"\x00", mime="text/html", thread_id=thread_id), b"\x00"),
        (Video(name="v", url="https://example.org/v.mp4", player_config={"a": [1]}, thread_id=thread_id), None),
        (CustomElement(name="Sources", props={"links": [{"t": "标题", "n": None}]}, thread_id=thread_id), None),
    ]
    message = step(thread_id, "see")
    for element, _ in sent:
        element.for_id = message["id"]
        await layer.create_element(element)
    read = await reloaded(layer, thread_id)
    assert [e["name"] for e in read] == [element.name for element, _ in sent]
    for (element, content), found in zip(sent, read, strict=True):
        own = {key: value for key, value in element.to_dict().items() if key not in {"url", "objectKey"}}
        assert {key: found[key] for key in own} == own
        if content is None:
            assert (found["url"], found["objectKey"]) == (element.url, None)
        else:
            assert content_of(found, tmp_path) == content


async def test_a_task_list_shows_its_last_state(layer: DataLayer, thread_id: str, tmp_path: Path) -> None:
    tasks = TaskList(tasks=[Task("one")], thread_id=thread_id)
    tasks.for_id = ""
    writing = []
    for status in ("Starting", "Running", "Done"):
        tasks.status = status
        await tasks.preprocess_content()
        writing.append(asyncio.create_task(layer.create_element(tasks)))
        await asyncio.sleep(0)
    [read] = await reloaded(layer, thread_id)
    assert json.loads(content_of(read, tmp_path))["status"] == "Done"
    await asyncio.wait(writing)


async def test_what_was_sent_last_is_there_at_once(layer: DataLayer, thread_id: str, tmp_path: Path) -> None:
    large = Text(name="large", content="x" * 5_000_000, thread_id=thread_id, for_id=new_id())
    writing = asyncio.create_task(layer.create_element(large))
    await asyncio.sleep(0)
    [read] = await reloaded(layer, thread_id)
    assert len(content_of(read, tmp_path)) == 5_000_000
    await writing


async def test_a_custom_element_keeps_the_props_it_was_updated_to(layer: DataLayer, thread_id: str) -> None:
    element = CustomElement(name="Form", props={"n": 1}, thread_id=thread_id, for_id=new_id())
    await layer.create_element(element)
    element.props = {"n": 2}
    await layer.create_element(element)
    assert [e["props"] for e in await reloaded(layer, thread_id)] == [{"n": 2}]


async def test_a_deleted_element_takes_its_file_along(
    layer: DataLayer, thread_id: str, count_files: Callable[[], int]
) -> None:
    element = Text(name="t", content="x", thread_id=thread_id, for_id=new_id())
    await layer.create_element(element)
    await layer.delete_element(element.id, new_id())
    assert (count_files(), len(await reloaded(layer, thread_id))) == (1, 1)
    await layer.delete_element(element.id, thread_id)
    assert (count_files(), await reloaded(layer, thread_id)) == (0, [])


async def test_an_element_cannot_be_put_over_another_threads(layer: DataLayer, thread_id: str) -> None:
    mine = CustomElement(name="Form", props={"mine": True}, thread_id=thread_id, for_id=new_id())
    await layer.create_element(mine)
    other_thread = await thread_of(layer, await person(layer, "mallory"))
    await layer.create_element(CustomElement(id=mine.id, name="x", props={}, thread_id=other_thread, for_id=new_id()))
    assert [e["props"] for e in await reloaded(layer, thread_id)] == [{"mine": True}]
    assert await reloaded(layer, other_thread) == []


async def test_a_file_that_cannot_be_read_fails_alone(layer: DataLayer, thread_id: str, tmp_path: Path) -> None:
    missing = File(name="gone", path=str(tmp_path / "gone"), thread_id=thread_id, for_id=new_id())
    with pytest.raises(FileNotFoundError):
        await layer.create_element(missing)
    await layer.create_element(Text(name="next", content="x", thread_id=thread_id, for_id=new_id()))
    assert [e["name"] for e in await reloaded(layer, thread_id)] == ["next"]


async def test_files_whose_deletion_a_crash_cut_short_go_at_the_next_start(
    layer: DataLayer, new_layer: NewLayer, thread_id: str, count_files: Callable[[], int]
) -> None:
    await layer.create_element(Text(name="t", content="x", thread_id=thread_id, for_id=new_id()))
    await layer.history.delete_thread(thread_id)  # rows only: here the process dies
    assert count_files() == 1
    await new_layer().start()
    assert count_files() == 0


@pytest.mark.parametrize(
    "part", ["..", ".", "", "/etc", "a/b", "C:\\x", "x\x00y", "\ud800", "CON:", "-rf", "名" * 200, "a" * 300]
)
def test_no_id_becomes_a_path_outside(tmp_path: Path, part: str) -> None:
    folder = FileFolder(tmp_path / "files")
    key = object_key(part, part, part)
    folder.copy_in(key, io.BytesIO(b"x"))
    [written] = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written == folder.path(key)
    assert len(written.relative_to(folder.folder).parts) == 3
    assert folder.path(f"../../{part}").is_relative_to(folder.folder)


def test_everybodys_key_is_another() -> None:
    users = ["alice", "bob", "..", "", None]
    assert len({object_key(user, "t", "e") for user in users}) == 4  # nobody is nobody


async def test_the_user_part_of_a_key_is_the_owners(layer: DataLayer) -> None:
    user: PersistedUser = await person(layer)
    thread_id = await thread_of(layer, user)
    element = Text(name="t", content="x", thread_id=thread_id, for_id=new_id())
    await layer.create_element(element)
    [read] = await reloaded(layer, thread_id)
    assert read["objectKey"] == f"{user.id}/{thread_id}/{element.id}"
