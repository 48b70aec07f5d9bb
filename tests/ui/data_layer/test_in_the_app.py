"""The data layer in a real Chainlit server: the page gets what it showed after a reload, and nobody else does."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import socketio

from tests.e2e.running_app import RunningApp, running_app

APP = "tests/ui/data_layer/app_that_keeps.py"
LIMIT_S = 30
TURN = [("Thinking", "thinking about {0}"), ("Assistant", "answer to {0}")]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app=APP, CHAINLIT_AUTH_SECRET="s" * 32) as app:
        yield app


class Browser:
    """Somebody's page: one session, and requests with the same login."""

    def __init__(self, app: RunningApp, name: str) -> None:
        self.http = httpx.AsyncClient(base_url=app.url, timeout=LIMIT_S)
        self.thread_id = ""
        self.idle = asyncio.Event()
        self.welcomed = asyncio.Event()
        self.resumed: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._name = name
        self._socket = socketio.AsyncClient(reconnection=False)
        self._socket.on("update_message", lambda *_: self.welcomed.set())
        self._socket.on("task_end", lambda *_: self.idle.set())
        self._socket.on("first_interaction", self._begun)
        self._socket.on("resume_thread", lambda thread: self.resumed.set_result(thread))

    async def connect(self, thread_id: str = "") -> None:
        (await self.http.post("/auth/header", headers={"x-user": self._name})).raise_for_status()
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "userEnv": "{}", "threadId": thread_id}
        await self._socket.connect(
            str(self.http.base_url), auth=auth, headers={"Cookie": cookies},
            socketio_path="/ws/socket.io", transports=["websocket"],
        )  # fmt: skip
        await self._socket.emit("connection_successful")
        if not thread_id:
            await asyncio.wait_for(self.welcomed.wait(), LIMIT_S)

    async def say(self, event: str, text: str, message_id: str) -> None:
        self.idle.clear()
        message = {"id": message_id, "name": self._name, "type": "user_message", "output": text, "createdAt": ""}
        await self._socket.emit(event, {"message": message, "fileReferences": []})
        await asyncio.wait_for(self.idle.wait(), LIMIT_S)

    async def threads(self) -> list[dict[str, Any]]:
        answer = await self.http.post("/project/threads", json={"pagination": {"first": 35}, "filter": {}})
        listed: list[dict[str, Any]] = answer.json()["data"]
        return listed

    async def thread(self) -> dict[str, Any]:
        answer = await self.http.get(f"/project/thread/{self.thread_id}")
        thread: dict[str, Any] = answer.raise_for_status().json()
        return thread

    async def close(self) -> None:
        await self._socket.disconnect()
        await self.http.aclose()

    def _begun(self, begun: dict[str, str]) -> None:
        self.thread_id = begun["thread_id"]


@asynccontextmanager
async def browser(app: RunningApp, name: str, thread_id: str = "") -> AsyncIterator[Browser]:
    browser = Browser(app, name)
    await browser.connect(thread_id)
    yield browser
    await browser.close()


def story(thread: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["name"], step["output"]) for step in thread["steps"] if step["type"] != "run"]


def turn(name: str, text: str) -> list[tuple[str, str]]:
    return [(name, text), *((author, said.format(text)) for author, said in TURN)]


async def test_a_reload_shows_what_the_page_showed(app: RunningApp) -> None:
    async with browser(app, "alice") as alice:
        first, second = str(uuid.uuid4()), str(uuid.uuid4())
        assert await alice.threads() == []  # a page that was only opened leaves nothing behind
        await alice.say("client_message", "one", first)
        await alice.say("client_message", "two", second)
        thread = await alice.thread()
        assert story(thread) == [("Assistant", "Welcome"), *turn("alice", "one"), *turn("alice", "two")]
        thinking = next(step for step in thread["steps"] if step["name"] == "Thinking")
        assert (thinking["metadata"], thinking["defaultOpen"], thinking["autoCollapse"]) == (
            {"icon": "brain"},
            True,
            True,
        )
        assert [t["name"] for t in await alice.threads()] == ["one"]
        async with browser(app, "alice", alice.thread_id) as again:
            resumed = await asyncio.wait_for(again.resumed, LIMIT_S)
            assert story(resumed) == story(thread)


async def test_what_was_edited_away_is_gone(app: RunningApp) -> None:
    async with browser(app, "bella") as bella:
        first, second = str(uuid.uuid4()), str(uuid.uuid4())
        await bella.say("client_message", "one", first)
        await bella.say("client_message", "two", second)
        await bella.say("edit_message", "uno", first)
        thread = await bella.thread()
        assert [text for _, text in story(thread)] == ["Welcome", "uno", "thinking about uno", "answer to uno"]
        assert [step["name"] for step in thread["steps"] if step["type"] == "run"] == ["on_chat_start", "on_message"]
        assert len(thread["elements"]) == 1


async def test_files_and_threads_are_their_owners(app: RunningApp) -> None:
    async with browser(app, "carol") as carol, browser(app, "mallory") as mallory:
        await carol.say("client_message", "one", str(uuid.uuid4()))
        [element] = (await carol.thread())["elements"]
        file = await carol.http.get(element["url"])
        assert (file.status_code, file.content, file.headers["content-type"]) == (200, b"\x89PNG", "image/png")
        assert (await mallory.http.get(element["url"])).status_code == 404
        assert (await mallory.http.get(f"/project/thread/{carol.thread_id}")).status_code == 401
        assert (await mallory.http.get(f"/project/thread/{uuid.uuid4()}")).status_code == 404
        async with httpx.AsyncClient(base_url=app.url) as nobody:
            assert (await nobody.get(element["url"])).status_code == 401
        deleted = await carol.http.request("DELETE", "/project/thread", json={"threadId": carol.thread_id})
        assert deleted.status_code == 200
        assert (await carol.http.get(element["url"])).status_code == 404
        assert await carol.threads() == []


def test_the_files_are_in_a_folder_that_no_start_sweeps(app: RunningApp) -> None:
    assert (app.data / "history.db").is_file()
    kept = [path for path in Path(app.data / "elements").rglob("*") if path.is_file()]
    assert len(kept) == 3  # alice's two, bella's one; carol's is deleted
