"""A person at the socket: speaks Chainlit's protocol as the page does, and keeps what the page would show."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import socketio


@dataclass(slots=True)
class Page:
    """Steps and messages by id, in the order in which they first appeared, how often each was emitted, and buttons."""

    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    buttons: list[dict[str, Any]] = field(default_factory=list)
    emits: int = 0

    def put(self, step: dict[str, Any]) -> None:
        self.emits += 1
        self.steps[step["id"]] = {**self.steps.get(step["id"], {}), **step}

    def add_token(self, token: dict[str, Any]) -> None:
        self.emits += 1
        self.steps[token["id"]]["output"] += token["token"]

    def remove(self, step: dict[str, Any]) -> None:
        self.steps.pop(step["id"], None)

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [step for step in self.steps.values() if step["type"] == kind]

    @property
    def answers(self) -> list[str]:
        return [step["output"] for step in self.of_type("assistant_message")]

    @property
    def story(self) -> list[tuple[str, str]]:
        """(type, name) of every step, and (type, text) of every message, as they stand on the page."""
        return [
            (step["type"], step["output"] if step["type"].endswith("message") else step["name"])
            for step in self.steps.values()
            if step["type"] != "run"
        ]


class ChatClient:
    """One browser session. `ask` sends a question; `idle` is set while nothing runs."""

    def __init__(self, url: str, *, language: str = "en-US", profile: str = "") -> None:
        self.page = Page()
        self.idle = asyncio.Event()
        self.changed = asyncio.Event()
        self._url = url
        self._language = language
        self._profile = profile
        self._socket = socketio.AsyncClient(reconnection=False)
        self._session_id = str(uuid.uuid4())
        for event in ("new_message", "update_message", "stream_start"):
            self._socket.on(event, self._noting(self.page.put))
        self._socket.on("stream_token", self._noting(self.page.add_token))
        self._socket.on("delete_message", self._noting(self.page.remove))
        self._socket.on("action", self._noting(self.page.buttons.append))
        self._socket.on("task_start", lambda *_: self.idle.clear())
        self._socket.on("task_end", lambda *_: self.idle.set())

    async def connect(self) -> None:
        auth = {
            "sessionId": self._session_id,
            "clientType": "webapp",
            "userEnv": "{}",
            "chatProfile": self._profile,
            "threadId": "",
        }
        await self._socket.connect(
            self._url,
            auth=auth,
            headers={"Accept-Language": self._language},
            socketio_path="/ws/socket.io",
            transports=["websocket"],
        )
        await self._socket.emit("connection_successful")
        await self.until(lambda page: bool(page.steps))  # the line that says which model answers ends the start
        await asyncio.wait_for(self.idle.wait(), 10)

    async def close(self) -> None:
        await self._socket.disconnect()

    async def send(self, text: str) -> str:
        """Send a question without waiting; returns its id."""
        self.idle.clear()
        message = {"id": str(uuid.uuid4()), "name": "user", "type": "user_message", "output": text,
                   "createdAt": "2026-01-01T00:00:00.000Z", "metadata": {}}  # fmt: skip
        await self._socket.emit("client_message", {"message": message, "fileReferences": []})
        return str(message["id"])

    async def edit(self, message_id: str, text: str) -> None:
        """Change a question that was sent, as the pencil does."""
        self.idle.clear()
        await self._socket.emit("edit_message", {"message": {"id": message_id, "output": text}})

    async def ask(self, text: str, *, limit: float = 30) -> str:
        """Send a question, wait until the turn is over, return the last message shown."""
        await self.send(text)
        await asyncio.wait_for(self.idle.wait(), limit)
        return self.page.answers[-1] if self.page.answers else ""

    async def stop(self) -> None:
        await self._socket.emit("stop")

    async def press(self, button: dict[str, Any]) -> int:
        """Press a button and wait until what it does is done; returns the HTTP status."""
        async with httpx.AsyncClient(timeout=30) as client:
            body = {"sessionId": self._session_id, "action": button}
            return (await client.post(f"{self._url}/project/action", json=body)).status_code

    async def until(self, claim: Callable[[Page], bool], *, limit: float = 15) -> None:
        """Wait until `claim` holds for the page."""
        async with asyncio.timeout(limit):
            while not claim(self.page):
                self.changed.clear()
                await self.changed.wait()

    def _noting(self, act: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
        def note(payload: dict[str, Any]) -> None:
            act(payload)
            self.changed.set()

        return note


@contextlib.asynccontextmanager
async def chatting(url: str, **who: str) -> AsyncIterator[ChatClient]:
    """A connected client."""
    client = ChatClient(url, **who)
    await client.connect()
    try:
        yield client
    finally:
        await client.close()
