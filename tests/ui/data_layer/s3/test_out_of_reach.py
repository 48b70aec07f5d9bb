"""Plain words where the bucket of the files can't be used, and nothing lost but the files."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from chainlit.element import Text

from tests.e2e.running_app import RunningApp, free_port, running_app
from tests.ui.data_layer.people import new_id, person, step, texts, thread_of
from tests.ui.data_layer.s3.chats import ROOT, NewLayer, environment, keep, page_of
from tests.ui.data_layer.s3.server import BUCKET, KEYS, S3Server, running_s3
from tests.ui.data_layer.test_in_the_app import APP, LIMIT_S, browser
from ui.data_layer.errors import FilesForbidden, FilesUnavailable, NoBucket, NoCredentials
from ui.data_layer.layer import DataLayer
from ui.data_layer.s3_files import Bucket, S3Files


@pytest.mark.parametrize(
    ("address", "variables", "error"),
    [
        ({"name": "missing"}, {}, NoBucket),
        ({"name": "no bucket's name!"}, {}, NoBucket),
        ({"endpoint": f"http://127.0.0.1:{free_port()}"}, {}, FilesUnavailable),
        ({"region": "no region!"}, {}, FilesUnavailable),
        ({}, {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, NoCredentials),
        ({}, {"AWS_PROFILE": "missing"}, FilesUnavailable),
    ],
)
async def test_what_is_wrong_with_the_bucket_is_said_at_the_start(
    new_layer: NewLayer,
    s3: S3Server,
    monkeypatch: pytest.MonkeyPatch,
    address: dict[str, str],
    variables: dict[str, str],
    error: type[FilesUnavailable],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(FilesUnavailable) as caught:
        await new_layer(S3Files(Bucket({**s3.address(), **address}))).start()
    assert type(caught.value) is error


async def test_who_is_not_let_in_is_told_so(layer: DataLayer, new_layer: NewLayer, s3: S3Server) -> None:
    assert await layer.checks["files"]() is None
    s3.checks_keys(True)
    assert await layer.checks["files"]() == FilesForbidden.user_message
    with pytest.raises(FilesForbidden):
        await new_layer().start()


async def test_a_bucket_that_is_gone_costs_nothing_but_its_files(new_layer: NewLayer, tmp_path: Path) -> None:
    told = list[str]()

    async def tell(name: str) -> None:
        told.append(name)

    with running_s3() as s3:
        s3.empty()
        files = S3Files(Bucket(s3.address()))
        layer = new_layer(files, tell_unkept=tell)
        await layer.start()
        thread_id = await thread_of(layer, await person(layer))
        url = await keep(layer, thread_id, name="before", content="x")
    with pytest.raises(FilesUnavailable):
        await keep(layer, thread_id, name="after", content="y")
    await layer.create_step(step(thread_id, "still answered"))
    async with page_of(layer, files, "alice") as page:
        answer = await page.get(url)
    thread = await layer.get_thread(thread_id)
    assert thread
    assert (told, await texts(layer, thread_id), answer.status_code) == (["after"], ["still answered"], 503)
    assert [element["name"] for element in thread["elements"]] == ["before"]
    assert await layer.checks["files"]() == FilesUnavailable.user_message
    assert await layer.checks["database"]() is None


async def test_what_could_not_be_deleted_is_deleted_at_the_next_start(
    layer: DataLayer, new_layer: NewLayer, s3: S3Server
) -> None:
    thread_id = await thread_of(layer, await person(layer))
    for name in ("one", "two"):
        await keep(layer, thread_id, name=name, content="x")
    s3.checks_keys(True)
    await layer.delete_thread(thread_id)
    s3.checks_keys(False)
    assert (await layer.get_thread(thread_id), len(s3.keys())) == (None, 2)
    await new_layer().start()
    assert s3.keys() == []


async def test_a_bucket_that_hangs_holds_up_nobody_else(new_layer: NewLayer) -> None:
    asked, released = asyncio.Event(), asyncio.Event()

    async def hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await released.wait()
        writer.close()

    hanging = await asyncio.start_server(hang, "127.0.0.1", 0)
    endpoint = f"http://127.0.0.1:{hanging.sockets[0].getsockname()[1]}"
    layer = new_layer(S3Files(Bucket({"name": BUCKET, "endpoint": endpoint, "region": None})))
    await layer.history.start()
    user = await person(layer)
    slow, other = [await thread_of(layer, user, name) for name in ("slow", "other")]
    uploads = [
        asyncio.create_task(layer.create_element(Text(name="t", content="x", thread_id=slow, for_id=new_id())))
        for _ in range(20)
    ]
    await asyncio.wait_for(asked.wait(), LIMIT_S)
    try:
        async with asyncio.timeout(LIMIT_S / 3):
            await layer.create_step(step(other, "said"))
            assert await texts(layer, other) == ["said"]
            assert await layer.get_element(other, new_id()) is None
            await asyncio.to_thread(lambda: None)
        assert not any(upload.done() for upload in uploads)
    finally:
        released.set()
        hanging.close()
    results = await asyncio.gather(*uploads, return_exceptions=True)
    assert {type(result) for result in results} == {FilesUnavailable}


def test_without_boto3_the_start_says_what_to_install(s3: S3Server, tmp_path: Path) -> None:
    code = "import sys; sys.modules['boto3'] = None; import app"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=environment(s3, tmp_path), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    said = done.stderr.strip().splitlines()[-1]
    assert (done.returncode, said) == (
        1,
        "Thinkglass can't start. FILES_S3_BUCKET needs boto3, which is not installed. "
        "Install it: pip install boto3 -c constraints.txt",
    )


async def test_the_page_is_told_of_a_file_that_could_not_be_kept(tmp_path: Path) -> None:
    with running_s3() as s3:
        s3.empty()
        variables = {**KEYS, "FILES_S3_BUCKET": BUCKET, "FILES_S3_ENDPOINT": s3.url, "CHAINLIT_AUTH_SECRET": "s" * 32}
        with running_app(tmp_path, app=APP, **variables) as app:
            await lose_a_file(s3, app)


async def lose_a_file(s3: S3Server, app: RunningApp) -> None:
    async with browser(app, "alice") as alice:
        assert await alice.threads() == []
        await alice.say("client_message", "one", new_id())
        [element] = (await alice.thread())["elements"]
        file = await alice.http.get(element["url"])
        assert (file.content, file.headers["content-type"]) == (b"\x89PNG", "image/png")
        s3.process.kill()
        await alice.say("client_message", "two", new_id())
        async with asyncio.timeout(LIMIT_S):
            while not any("“plot” couldn't be saved" in each["name"] for each in (await alice.thread())["steps"]):
                pass
        said = [each["output"] for each in (await alice.thread())["steps"]]
        assert {"answer to one", "answer to two"} <= set(said)
        assert (await alice.http.get(element["url"])).status_code == 503


def test_the_operators_are_told(s3: S3Server, tmp_path: Path) -> None:
    """By the app as people start it."""
    variables = environment(s3, tmp_path)
    with pytest.raises(AssertionError, match=r"Thinkglass can't start\. There is no bucket"):
        begin(tmp_path, {**variables, "FILES_S3_BUCKET": "missing"})
    with running_app(tmp_path, **variables) as app:
        assert app.get("/ready").json()["files"] == "ok"
        s3.checks_keys(True)
        assert app.get("/ready").json()["files"] == FilesForbidden.user_message
        assert app.get("/ready").status_code == 503


def begin(folder: Path, variables: dict[str, str]) -> None:
    with running_app(folder, **variables):
        pass
