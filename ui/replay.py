"""What a page missed while it was away, or before it was there, sent to it when it is ready to listen.

Chainlit emits into the void meanwhile. Knows what travels to a page, and nothing of what it means, nor of sockets.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Emit: TypeAlias = Callable[[str, Any], Awaitable[Any]]
Sent: TypeAlias = tuple[str, Any]

_WHOLE = frozenset({"new_message", "update_message", "stream_start"})
_BUTTONS = frozenset({"action", "remove_action"})
_ELEMENTS = frozenset({"element", "remove_element"})
_PANELS = frozenset({"chat_settings", "set_modes"})
_LASTING = _PANELS | {"first_interaction"}
"""A page has one of each: the last one."""
_UNSURE_S = 10.0
"""So long it may take until a connection is known to have ended: a page that is being built up makes two in a row."""
_REMEMBERED = _WHOLE | _BUTTONS | _ELEMENTS | {"stream_token", "delete_message", "task_start", "task_end"}
_FOR_WHO_ASKED = frozenset({"window_message", "toast"})

speaking: ContextVar[str] = ContextVar("speaking", default="")
"""The socket of the page that asks for something now: the answers of a moment are for it alone."""


@dataclass(slots=True)
class _Entry:
    """The last state of one step, element or button, as the page should have it. `more` is what has streamed since."""

    event: str
    state: dict[str, Any]
    more: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, Any]:
        return {**self.state, "output": self.state.get("output", "") + "".join(self.more)} if self.more else self.state


@dataclass(slots=True)
class _Page:
    """`held` is a page with a connection that is not yet ready to listen; `is_new` one that has nothing of the chat.

    `lacks` are the events that a page has one of each of, where that one is not the last; `sent` when the last one was
    sent, in seconds of `time.monotonic`.
    """

    socket: str
    emit: Emit
    is_new: bool
    state: Literal["held", "catching up", "listening", "away"]
    lacks: set[str] = field(default_factory=set)
    sent: dict[str, float] = field(default_factory=dict)
    backlog: deque[Sent] = field(default_factory=deque)

    async def take(self, event: str, payload: Any) -> None:
        if event in _LASTING:
            self.sent[event] = time.monotonic()
        match self.state:
            case "listening":
                await self.emit(event, payload)
            case "catching up":
                self.backlog.append((event, payload))
            case "held" if event not in _REMEMBERED:
                await self.emit(event, payload)
            case "away" if event in _LASTING:
                self.lacks.add(event)

    def may_lack(self) -> set[str]:
        """What was sent a moment ago may have gone to a connection that had ended, and nobody knew."""
        return self.lacks | {event for event, at in self.sent.items() if time.monotonic() - at < _UNSURE_S}

    async def catch_up(self, missed: Sequence[Sent]) -> None:
        """Send what was missed, and then what has come up meanwhile."""
        self.state, self.backlog = "catching up", deque(missed)
        while self.backlog and self.state == "catching up":
            await self.emit(*self.backlog.popleft())
        if self.state == "catching up":
            self.state, self.is_new = "listening", False
            self.lacks.clear()


class Replay:
    """Sends what one session emits to all its pages, and remembers what a page that comes would otherwise lack: all
    since its people were last heard of while nothing ran. What came before that is in the store.
    """

    def __init__(self) -> None:
        self._pages: dict[str, _Page] = {}
        self._entries: dict[tuple[str, str], _Entry] = {}
        self._lasting: dict[str, Any] = {}
        self._is_busy = False

    @property
    def sockets(self) -> list[str]:
        """Those of the pages that are there, the last one to come last."""
        return [page.socket for page in self._pages.values() if page.state != "away"]

    async def emit(self, event: str, payload: Any) -> None:
        """Take the place of the session's `emit`."""
        self._remember(event, payload)
        asking = self._page_at(speaking.get()) if event in _FOR_WHO_ASKED else None
        for page in [asking] if asking else list(self._pages.values()):
            await page.take(event, payload)

    def begin(self, page_id: str, socket: str, *, emit: Emit) -> None:
        """The session begins, on this page."""
        self._pages[page_id] = _Page(socket, emit, is_new=False, state="listening")

    def connect(self, page_id: str, socket: str, *, emit: Emit) -> None:
        """A page has a new connection. It gets nothing of what is remembered before it has caught up."""
        known = self._pages.pop(page_id, None)
        lacks = known.may_lack() if known else set(_PANELS)
        self._pages[page_id] = _Page(socket, emit, is_new=known is None or known.is_new, state="held", lacks=lacks)

    def leave(self, socket: str) -> None:
        """A page's connection is gone. The page may come back."""
        if page := self._page_at(socket):
            page.state = "away"

    def is_new(self, socket: str) -> bool:
        """Whether the page has nothing yet of what was said so far."""
        page = self._page_at(socket)
        return page is not None and page.is_new

    async def catch_up(self, socket: str, opening: Sequence[Sent] = ()) -> None:
        """Bring a page up to date; a new one after an `opening`, which is the chat as it is stored."""
        page = self._page_at(socket)
        if page is None:
            return
        lasting = [(event, payload) for event, payload in self._lasting.items() if event in page.lacks]
        now: Sent = ("task_start" if self._is_busy else "task_end", {})
        first = [now, *opening] if opening else []  # what runs must be seen to run, or its step is not open
        await page.catch_up([*first, *lasting, *self._missed(), now])

    async def ask(self, socket: str, question: dict[str, Any]) -> None:
        """A page has sent a question, and shows it: so do the others."""
        self._remember("new_message", question)
        for page in [page for page in self._pages.values() if page.socket != socket]:
            await page.take("new_message", question)

    def forget_what_arrived(self) -> None:
        """A page has spoken, and nothing runs: all that is over is stored, and on every page that is there.

        Buttons are not stored. A page that is away is a new one when it comes back, but for its old buttons.
        """
        if self._is_busy or any(page.state in ("held", "catching up") for page in self._pages.values()):
            return
        away = [page for page in self._pages.values() if page.state == "away"]
        for page in away:
            page.is_new = True
        kept = _BUTTONS if away else {"action"}
        self._entries = {key: e for key, e in self._entries.items() if e.state.get("streaming") or e.event in kept}

    def _page_at(self, socket: str) -> _Page | None:
        return next((page for page in self._pages.values() if page.socket == socket and page.state != "away"), None)

    def _missed(self) -> list[Sent]:
        missed: list[Sent] = []
        for entry in self._entries.values():
            if entry.event == "action":
                missed.append(("remove_action", entry.state))  # the page would show it twice
            missed.append((entry.event, entry.whole()))
        return missed

    def _remember(self, event: str, payload: Any) -> None:
        match event:
            case "task_start" | "task_end":
                self._is_busy = event == "task_start"
            case "stream_token":
                self._add_token(payload)
            case "delete_message":
                self._remove(payload)
            case _ if event in _LASTING:
                self._lasting[event] = payload
            case _ if event in _WHOLE:
                self._entries[("step", payload["id"])] = _Entry("new_message", dict(payload))
            case _ if event in _ELEMENTS:
                self._entries[("element", payload["id"])] = _Entry(event, payload)
            case "action":
                self._entries[("button", payload["id"])] = _Entry(event, payload)
            case "remove_action":
                self._entries[("button", payload["id"])] = _Entry(event, {"id": payload["id"]})

    def _remove(self, step: dict[str, Any]) -> None:
        """With a step vanishes all that is in it: what is below it may not be sent again."""
        gone = {step["id"]}
        for (kind, key), entry in self._entries.items():
            if kind == "step" and entry.state.get("parentId") in gone:
                gone.add(key)
        self._entries = {key: e for key, e in self._entries.items() if not (key[0] == "step" and key[1] in gone)}
        self._entries[("step", step["id"])] = _Entry("delete_message", step)

    def _add_token(self, payload: dict[str, Any]) -> None:
        entry = self._entries.get(("step", payload["id"]))
        if entry is None:
            return
        if payload["isSequence"]:
            entry.state["output"] = ""
            entry.more.clear()
        entry.more.append(payload["token"])
