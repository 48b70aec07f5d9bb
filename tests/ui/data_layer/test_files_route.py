"""The address of kept files: their owner reads them, nobody else, and nothing runs as a page."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from chainlit.auth import get_current_user
from chainlit.element import File, Image
from chainlit.user import User
from fastapi import FastAPI

from tests.ui.data_layer.people import new_id, person, thread_of
from ui.data_layer.files_route import files_router
from ui.data_layer.layer import DataLayer
from ui.data_layer.places import files_folder
from ui.data_layer.storage import LocalFiles


class Page:
    """A browser that may log in as anybody."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.user: User | None = None

    async def get(self, url: str) -> httpx.Response:
        return await self.client.get(url)


@pytest.fixture
async def page(layer: DataLayer, tmp_path: Path) -> AsyncIterator[Page]:
    server = FastAPI()
    server.include_router(files_router(layer, LocalFiles(files_folder(tmp_path))))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(server), base_url="http://localhost") as client:
        page = Page(client)
        server.dependency_overrides[get_current_user] = lambda: page.user
        yield page


async def url_of(layer: DataLayer, name: str, mime: str, content: bytes = b"content") -> str:
    """The address of a file of alice's."""
    thread_id = await thread_of(layer, await person(layer))
    kind = Image if mime.startswith("image/") else File
    element = kind(name=name, content=content, mime=mime, thread_id=thread_id, for_id=new_id())
    await layer.create_element(element)
    read = await layer.get_element(thread_id, element.id)
    assert read
    return str(read["url"])


async def test_only_the_owner_reads_a_file(layer: DataLayer, page: Page) -> None:
    url = await url_of(layer, "notes.txt", "text/plain")
    await person(layer, "bob")
    answers = {}
    for name in ("alice", "bob", "Alice", "", None):
        page.user = User(identifier=name) if name is not None else None
        answers[name] = (await page.get(url)).status_code
    assert answers == {"alice": 200, "bob": 404, "Alice": 404, "": 404, None: 404}


@pytest.mark.parametrize(
    ("mime", "shown_as", "place"),
    [
        ("image/png", "image/png", "inline"),
        ("image/jpeg", "image/jpeg", "inline"),
        ("image/svg+xml", "image/svg+xml", "attachment"),
        ("text/html", "text/html; charset=utf-8", "attachment"),
        ("application/json", "application/json", "attachment"),
        ("text/html\r\nSet-Cookie: a=b", "application/octet-stream", "attachment"),
        ("什么", "application/octet-stream", "attachment"),
    ],
)
async def test_no_file_runs_as_a_page(layer: DataLayer, page: Page, mime: str, shown_as: str, place: str) -> None:
    url = await url_of(layer, 'a"; filename=\r\n报告.html', mime)
    page.user = User(identifier="alice")
    answer = await page.get(url)
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, b"content", shown_as)
    assert answer.headers["content-disposition"].startswith(place + ";")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers


async def test_what_is_not_there_is_not_found(layer: DataLayer, page: Page) -> None:
    url = await url_of(layer, "x", "text/plain")
    page.user = User(identifier="alice")
    user_id, thread_id, element_id = url.removeprefix("/files/").split("/")
    wrong = [
        f"/files/{user_id}/{thread_id}/{new_id()}",
        f"/files/{new_id()}/{thread_id}/{element_id}",
        f"/files/{user_id}/{new_id()}/{element_id}",
        f"/files/{user_id}/{thread_id}/..%2f..%2f..%2fhistory.db",
        f"/files/%2e%2e/{thread_id}/{element_id}",
    ]
    assert [(await page.get(path)).status_code for path in wrong] == [404] * len(wrong)
    await layer.delete_thread(thread_id)
    assert (await page.get(url)).status_code == 404
