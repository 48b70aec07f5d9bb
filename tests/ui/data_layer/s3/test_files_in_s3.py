"""The files of chats in a bucket: it does all that a folder does, and the page sees no difference."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest
from chainlit.element import File, Image, Text

from tests.ui.data_layer.people import person, thread_of
from tests.ui.data_layer.s3.chats import ROOT, NewLayer, environment, keep, page_of
from tests.ui.data_layer.s3.server import BUCKET, S3Server
from ui.data_layer.errors import FilesUnavailable, NoBucket
from ui.data_layer.layer import DataLayer
from ui.data_layer.people import erase_person, export_person, import_person
from ui.data_layer.places import files_folder
from ui.data_layer.s3_files import Bucket, S3Files
from ui.data_layer.storage import LocalFiles


async def test_files_are_kept_in_the_bucket_and_read_by_our_own_address(
    layer: DataLayer, s3: S3Server, tmp_path: Path
) -> None:
    large = os.urandom(9_000_000)
    (tmp_path / "large.bin").write_bytes(large)
    user = await person(layer)
    thread_id = await thread_of(layer, user)
    kept = {}
    for kind, values, content in [
        (Image, {"content": b"\x89PNG", "mime": "image/png"}, b"\x89PNG"),
        (Text, {"content": "内容"}, "内容".encode()),
        (File, {"content": None, "path": str(tmp_path / "large.bin")}, large),
    ]:
        url = await keep(layer, thread_id, kind, **values)
        assert url.startswith(f"/files/{user.id}/{thread_id}/")
        kept[url.removeprefix("/files/")] = content
    assert {key: s3.content(key) for key in s3.keys()} == kept  # noqa: SIM118 (a method, no dict)
    thread = await layer.get_thread(thread_id)
    assert thread
    assert [element["url"] for element in thread["elements"]] == [f"/files/{key}" for key in kept]
    assert not files_folder(tmp_path).exists()


RANGES = ["bytes=2-4", "bytes=-3", "bytes=8-", "bytes=0-", "bytes=0-99", "bytes=20-30"]
NAMES = [
    ("plot.png", "image/png"),
    ("报告\r\n.html", "text/html"),
    ('a"b', "image/svg+xml"),
    ("y", "a/b\r\nc"),
    ("x", "什么"),
]


@pytest.mark.parametrize(("name", "mime"), NAMES)
async def test_the_page_gets_what_it_gets_from_a_folder(
    new_layer: NewLayer, s3: S3Server, tmp_path: Path, name: str, mime: str
) -> None:
    """Status, headers and content, of the whole and of every range."""
    answers = []
    for files in (LocalFiles(files_folder(tmp_path)), S3Files(Bucket(s3.address()))):
        layer = new_layer(files)
        await layer.start()
        thread_id = await thread_of(layer, await person(layer))
        url = await keep(layer, thread_id, File, name=name, content=b"0123456789", mime=mime)
        async with page_of(layer, files, "alice") as page:
            got = [await page.get(url, headers={"range": part} if part else {}) for part in ["", *RANGES]]
        answers.append([described(answer) for answer in got])
    local, remote = answers
    assert remote == local
    assert [status for status, _, _ in remote] == [200, 206, 206, 206, 206, 206, 416]


def described(answer: httpx.Response) -> tuple[int, dict[str, str], bytes]:
    """Without the marks of a version, which each store makes its own way."""
    if answer.status_code == 416:
        return 416, {}, b""
    headers = {name: value for name, value in answer.headers.items() if name not in {"etag", "last-modified"}}
    return answer.status_code, headers, answer.content


@pytest.mark.parametrize(
    ("headers", "status", "content"),
    [
        ({"range": "bytes=1-2", "if-range": "the same"}, 206, b"12"),
        ({"range": "bytes=1-2", "if-range": '"another"'}, 200, b"0123456789"),
        ({"range": "bytes=0-1,4-5"}, 200, b"0123456789"),
        ({"range": "lines=1-2"}, 200, b"0123456789"),
        ({"range": "bytes=١-٢"}, 200, b"0123456789"),
    ],
)
async def test_a_part_is_only_sent_where_it_is_a_part_of_the_same(
    layer: DataLayer, s3: S3Server, headers: dict[str, str], status: int, content: bytes
) -> None:
    url = await keep(layer, await thread_of(layer, await person(layer)), content="0123456789")
    async with page_of(layer, S3Files(Bucket(s3.address())), "alice") as page:
        etag = (await page.get(url)).headers["etag"]
        sent = {name: etag if value == "the same" else value for name, value in headers.items()}
        answer = await page.get(url, headers={name: value.encode() for name, value in sent.items()})
    assert (answer.status_code, answer.content) == (status, content)


async def test_only_the_owner_reads_a_file(layer: DataLayer, s3: S3Server) -> None:
    url = await keep(layer, await thread_of(layer, await person(layer)))
    await person(layer, "bob")
    statuses = {}
    for name in ("alice", "bob"):
        async with page_of(layer, S3Files(Bucket(s3.address())), name) as page:
            statuses[name] = (await page.get(url)).status_code
            statuses[f"{name}, unknown"] = (await page.get(url[:-1] + "_")).status_code
    assert statuses == {"alice": 200, "alice, unknown": 404, "bob": 404, "bob, unknown": 404}


async def test_a_deleted_thread_takes_its_files_along(layer: DataLayer, s3: S3Server) -> None:
    user = await person(layer)
    gone, stays = [await thread_of(layer, user, name) for name in ("gone", "stays")]
    url, other = [await keep(layer, thread_id) for thread_id in (gone, stays)]
    await layer.delete_thread(gone)
    assert s3.keys() == [other.removeprefix("/files/")]
    async with page_of(layer, S3Files(Bucket(s3.address())), "alice") as page:
        assert ((await page.get(url)).status_code, (await page.get(other)).status_code) == (404, 200)


async def test_exported_erased_imported_is_the_same(layer: DataLayer, s3: S3Server, tmp_path: Path) -> None:
    alices, bobs = [await thread_of(layer, await person(layer, name)) for name in ("alice", "bob")]
    url, other = [await keep(layer, thread_id, content="内容") for thread_id in (alices, bobs)]
    user = await layer.get_user("alice")
    assert user
    bucket, key, target = Bucket(s3.address()), url.removeprefix("/files/"), tmp_path / "a.zip"
    s3.client.put_object(Bucket=BUCKET, Key=f"{user.id}/forgotten", Body=b"known to no element")
    assert await export_person(layer.history, bucket, "alice", target=target) == 1
    with zipfile.ZipFile(target) as archive:
        assert archive.read("files/1").decode() == "内容"
    await erase_person(layer.history, bucket, "alice", forget_chat=lambda _: None)
    assert s3.keys() == [other.removeprefix("/files/")]
    assert await import_person(layer.history, bucket, "alice", source=target) == 1
    assert s3.content(key).decode() == "内容"


async def test_an_import_that_broke_off_can_be_tried_again(layer: DataLayer, s3: S3Server, tmp_path: Path) -> None:
    thread_id, target = await thread_of(layer, await person(layer)), tmp_path / "a.zip"
    await keep(layer, thread_id)
    bucket = Bucket(s3.address())
    await export_person(layer.history, bucket, "alice", target=target)
    await erase_person(layer.history, bucket, "alice", forget_chat=lambda _: None)
    with pytest.raises(FilesUnavailable):
        await import_person(layer.history, Bucket(s3.address("missing")), "alice", source=target)
    assert await import_person(layer.history, bucket, "alice", source=target) == 1
    await layer.start()  # deletes what had to stay, and nothing else
    assert len(s3.keys()) == 1


async def test_the_command_looks_into_the_bucket(layer: DataLayer, s3: S3Server, tmp_path: Path) -> None:
    await keep(layer, await thread_of(layer, await person(layer)))
    await layer.flush()
    target = tmp_path / "a.zip"
    assert command(s3, tmp_path, "export", "alice", str(target)) == (0, f"1 chats of alice are in {target} now.")
    assert zipfile.ZipFile(target).read("files/1") == b"x"
    assert command(s3, tmp_path, "erase", "alice", "--yes") == (0, "alice and 1 chats are erased.")
    assert s3.keys() == []
    nowhere = command(s3, tmp_path, "import", "alice", str(target), FILES_S3_BUCKET="missing")
    assert nowhere == (1, NoBucket.user_message)


def command(s3: S3Server, folder: Path, *arguments: str, **others: str) -> tuple[int, str]:
    """Run the command as a person does; returns its status and the last line it said."""
    whole = [sys.executable, "-m", "ui.data_layer", *arguments]
    variables = {**environment(s3, folder), **others}
    done = subprocess.run(whole, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]
