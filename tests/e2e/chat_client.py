"""A person at the socket: speaks Chainlit's protocol as the page does, and keeps what the page would show."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import socketio


@dataclass(slots=True)
class Page:
    """Steps and messages by id, in the order in which they first appeared, how often each was emitted, and buttons,
    notices, what its scripts are told, the pickers' modes, the settings' widgets, and elements by id."""

    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    elements: dict[str, dict[str, Any]] = field(default_factory=dict)
    buttons: list[dict[str, Any]] = field(default_factory=list)
    toasts: list[dict[str, Any]] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    modes: list[dict[str, Any]] = field(default_factory=list)
    settings: list[dict[str, Any]] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    emits: int = 0

    def put(self, step: dict[str, Any]) -> None:
        """As the page does it: what belongs to a step that is gone does not come back."""
        self.emits += 1
        parent = step.get("parentId")
        if step["id"] in self.gone or parent in self.gone:
            self.gone.add(step["id"])
            return
        self.steps[step["id"]] = {**self.steps.get(step["id"], {}), **step}

    def say(self, message: dict[str, Any]) -> None:
        """The person's own questions are in `ChatClient.sent`."""

    def change(self, step: dict[str, Any]) -> None:
        """As `put`: a change of a question has to be seen, too."""
        self.put(step)

    def resume(self, thread: dict[str, Any]) -> None:
        """Tests of a stored chat look into `ChatClient.thread`; the steps here are those that came since."""

    def add_token(self, token: dict[str, Any]) -> None:
        self.emits += 1
        if token["id"] not in self.gone:
            self.steps[token["id"]]["output"] += token["token"]

    def remove(self, step: dict[str, Any]) -> None:
        """The step, and all that is in it."""
        self.steps.pop(step["id"], None)
        self.gone.add(step["id"])
        for inner in [s for s in self.steps.values() if s.get("parentId") == step["id"]]:
            self.remove(inner)

    def remove_button(self, button: dict[str, Any]) -> None:
        self.buttons = [known for known in self.buttons if known["id"] != button["id"]]

    def put_element(self, element: dict[str, Any]) -> None:
        self.elements[element["id"]] = element

    def remove_element(self, element: dict[str, Any]) -> None:
        self.elements.pop(element["id"], None)

    def props_of(self, name: str) -> list[dict[str, Any]]:
        """What each custom element of this name shows."""
        return [one["props"] for one in self.elements.values() if (one["type"], one["name"]) == ("custom", name)]

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


CONNECTION_LIMIT_S = 30
"""As long as this a client may not notice that the server went away while it connected."""


class Lost(Exception):
    """The server is gone, or the connection to it."""


class ChatClient:
    """One browser session. `ask` sends a question; `idle` is set while nothing runs.

    `cookies` are those of a browser that was here before; `thread` is the id of its chat to go on with; `session` and
    `page` those of a page that was open when the server ended; `patience` is how long a connection may take, in
    seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        language: str = "en-US",
        profile: str = "",
        cookies: httpx.Cookies | None = None,
        thread: str = "",
        session: str = "",
        page: Page | None = None,
        patience: float = 15,
    ) -> None:
        self.page = page or Page()
        self.idle = asyncio.Event()
        self.changed = asyncio.Event()
        self.thread: dict[str, Any] = {"id": thread}
        self.http = httpx.AsyncClient(base_url=url, timeout=30, cookies=cookies)
        self._url = url
        self._language = language
        self._profile = profile
        self._socket = socketio.AsyncClient(reconnection=False)
        self.session_id = session or str(uuid.uuid4())
        self.sent: list[dict[str, Any]] = []
        self._patience = patience
        self._is_lost = False
        self._starts = self._ends = 0
        for event in ("new_message", "stream_start"):
            self._socket.on(event, self._noting(self.page.put))
        self._socket.on("update_message", self._noting(self.page.change))
        self._socket.on("stream_token", self._noting(self.page.add_token))
        self._socket.on("delete_message", self._noting(self.page.remove))
        self._socket.on("element", self._noting(self.page.put_element))
        self._socket.on("remove_element", self._noting(self.page.remove_element))
        self._socket.on("action", self._noting(lambda button: self.page.buttons.append(button)))
        self._socket.on("remove_action", self._noting(self.page.remove_button))
        self._socket.on("toast", self._noting(self.page.toasts.append))
        self._socket.on("window_message", self._noting(self.page.told.append))
        self._socket.on("set_modes", self._noting(lambda modes: setattr(self.page, "modes", modes)))
        self._socket.on("chat_settings", self._noting(lambda widgets: setattr(self.page, "settings", widgets)))
        self._socket.on("first_interaction", self._noting(self._begin_thread))
        self._socket.on("resume_thread", self._noting(self._resume))
        self._socket.on("task_start", self._note_start)
        self._socket.on("task_end", self._note_end)
        self._socket.on("disconnect", self._note_loss)

    async def connect(self) -> None:
        await self.http.get("/", headers={"Accept": "text/html"})
        await self._open()
        if self.thread["id"]:
            await self.until(lambda _: "steps" in self.thread, limit=self._patience)
            return
        await self.until(lambda page: bool(page.steps), limit=self._patience)  # the model's line ends the start
        await self.until(lambda _: self._ends >= 2)  # of the connection, and of the chat's start

    async def reconnect(self) -> None:
        """Lose the connection and come back with the same session, as the page does by itself."""
        await self._socket.disconnect()
        known = self._starts + self._ends
        await self._open()
        await self.until(lambda _: self._starts + self._ends > known, limit=self._patience)

    async def _open(self) -> None:
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        auth = {
            "sessionId": self.session_id,
            "clientType": "webapp",
            "userEnv": "{}",
            "chatProfile": self._profile,
            "threadId": self.thread["id"],
        }
        self._is_lost = False
        await self._socket.connect(
            self._url,
            auth=auth,
            headers={"Accept-Language": self._language, "Cookie": cookie},
            socketio_path="/ws/socket.io",
            transports=["websocket"],
            wait_timeout=CONNECTION_LIMIT_S,
        )
        await self._socket.emit("connection_successful")

    async def close(self) -> None:
        await self._socket.disconnect()
        await self.http.aclose()

    async def upload(self, name: str, content: bytes, mime: str) -> dict[str, str]:
        """Put a file into the box, as the paper clip does; returns what `send` takes."""
        address = f"/project/file?session_id={self.session_id}"
        response = await self.http.post(address, files={"file": (name, content, mime)})
        response.raise_for_status()
        return {"id": str(response.json()["id"])}

    async def send(self, text: str, *, files: Sequence[dict[str, str]] = (), **modes: str) -> str:
        """Send a question, with files and what is picked, without waiting; returns its id."""
        self.idle.clear()
        message = {"id": str(uuid.uuid4()), "name": "user", "type": "user_message", "output": text,
                   "createdAt": "2026-01-01T00:00:00.000Z", "metadata": {}, "modes": modes or None}  # fmt: skip
        self.sent.append(message)
        self.page.say(message)
        await self._socket.emit("client_message", {"message": message, "fileReferences": list(files)})
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
        body = {"sessionId": self.session_id, "action": button}
        return (await self.http.post("/project/action", json=body)).status_code

    async def until(self, claim: Callable[[Page], bool], *, limit: float = 15) -> None:
        """Wait until `claim` holds for the page. Raises `Lost` where the connection ends before."""
        async with asyncio.timeout(limit):
            while not claim(self.page):
                if self._is_lost:
                    raise Lost
                self.changed.clear()
                await self.changed.wait()

    def _resume(self, thread: dict[str, Any]) -> None:
        self.thread.update(thread)
        self.page.resume(thread)

    def _note_loss(self, *_: Any) -> None:
        self._is_lost = True
        self.changed.set()

    def _note_start(self, *_: Any) -> None:
        self._starts += 1
        self.idle.clear()
        self.changed.set()

    def _begin_thread(self, fact: dict[str, Any]) -> None:
        """The list of chats is read anew by this, too: `interaction` is a name that the chat has from now on."""
        self.thread.update(id=fact["thread_id"], name=fact["interaction"])

    def _note_end(self, *_: Any) -> None:
        self._ends += 1
        self.idle.set()
        self.changed.set()

    async def tell(self, message: dict[str, Any]) -> None:
        """Say something in the page's window, as its scripts do."""
        await self._socket.emit("window_message", message)

    async def set(self, **entries: Any) -> None:
        """Confirm the settings panel with these entries, and wait until they hold."""
        await self._socket.call("chat_settings_change", entries)

    def _noting(self, act: Callable[[Any], None]) -> Callable[[dict[str, Any]], None]:
        def note(payload: Any) -> None:
            act(payload)
            self.changed.set()

        return note


class Late(ChatClient):
    """A page whose chat is not there: it is told so, and begins anew."""

    async def connect(self) -> None:
        await self.http.get("/", headers={"Accept": "text/html"})
        self._socket.on("resume_thread_error", self._noting(self.page.told.append))
        await self._open()
        await self.until(lambda page: bool(page.told and page.steps) and self._ends >= 2)


@contextlib.asynccontextmanager
async def chatting(url: str, **who: Any) -> AsyncIterator[ChatClient]:
    """A connected client."""
    client = ChatClient(url, **who)
    await client.connect()
    try:
        yield client
    finally:
        await client.close()
