"""What a page missed while its connection was down, sent again when it comes back.

Chainlit emits into the void meanwhile and, when a session returns, tells the page that nothing runs. Knows Chainlit's
sockets and what travels over them, and nothing of what it means.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from chainlit.server import sio
from chainlit.session import WebsocketSession

Emit: TypeAlias = Callable[[str, Any], Awaitable[Any]]
Handler: TypeAlias = Callable[..., Awaitable[Any]]

_WHOLE = frozenset({"new_message", "update_message", "stream_start"})
_BUTTONS = frozenset({"action", "remove_action"})
_ELEMENTS = frozenset({"element", "remove_element"})
_REMEMBERED = _WHOLE | _BUTTONS | _ELEMENTS | {"stream_token", "delete_message", "task_start", "task_end"}


@dataclass(slots=True)
class _Entry:
    """The last state of one step, element or button, as the page should have it. `more` is what has streamed since."""

    event: str
    state: dict[str, Any]
    more: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, Any]:
        return {**self.state, "output": self.state.get("output", "") + "".join(self.more)} if self.more else self.state


class Replay:
    """Remembers what one session's page was sent since it was last heard of. `emit` is the session's own.

    After `hold`, what is sent is only remembered; `send_again` sends all of it, in the order in which it first came,
    and lets everything through from then on.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._entries: dict[tuple[str, str], _Entry] = {}
        self._is_busy = False
        self._is_held = False

    async def emit(self, event: str, payload: Any) -> Any:
        """Take the place of the session's `emit`."""
        self._remember(event, payload)
        if self._is_held and event in _REMEMBERED:
            return None
        return await self._emit(event, payload)

    def hold(self, emit: Emit) -> None:
        """The page is back with a new connection, and not yet ready to listen."""
        self._emit, self._is_held = emit, True

    async def send_again(self) -> None:
        """Bring the page up to date."""
        for key in list(self._entries):
            entry = self._entries.get(key)
            if entry is None:
                continue
            if entry.event == "action":
                await self._emit("remove_action", entry.state)  # the page would show it twice
            await self._emit(entry.event, entry.whole())
        self._is_held = False
        await self._emit("task_start" if self._is_busy else "task_end", {})

    def forget_what_arrived(self) -> None:
        """The page has spoken, so it has had everything before; only what still streams has to be known whole."""
        self._entries = {key: entry for key, entry in self._entries.items() if entry.state.get("streaming")}

    def _remember(self, event: str, payload: Any) -> None:
        match event:
            case "task_start" | "task_end":
                self._is_busy = event == "task_start"
            case "stream_token":
                self._add_token(payload)
            case _ if event in _WHOLE:
                self._entries[("step", payload["id"])] = _Entry("new_message", dict(payload))
            case "delete_message":
                self._entries[("step", payload["id"])] = _Entry(event, payload)
            case _ if event in _ELEMENTS:
                self._entries[("element", payload["id"])] = _Entry(event, payload)
            case _ if event in _BUTTONS:
                self._entries[("button", payload["id"])] = _Entry(event, payload)

    def _add_token(self, payload: dict[str, Any]) -> None:
        entry = self._entries.get(("step", payload["id"]))
        if entry is None:
            return
        if payload["isSequence"]:
            entry.state["output"] = ""
            entry.more.clear()
        entry.more.append(payload["token"])


_replays: WeakKeyDictionary[WebsocketSession, Replay] = WeakKeyDictionary()


def install() -> None:
    """Put the replay between Chainlit and its sockets. Called once, when `app.py` is loaded, after the guard."""
    handlers = sio.handlers["/"]
    if getattr(sio, "is_replaying", False):
        return  # `chainlit run -w` loads app.py again after every change
    sio.on("connect", handler=_remembering(handlers["connect"]))
    sio.on("connection_successful", handler=_replaying(handlers["connection_successful"]))
    sio.on("client_message", handler=_forgetting(handlers["client_message"]))
    sio.is_replaying = True


def _remembering(connect: Handler) -> Handler:
    async def connect_and_remember(sid: str, environ: dict[str, Any], auth: Any) -> Any:
        accepted = await connect(sid, environ, auth)
        session = WebsocketSession.get(sid)
        if session is None:
            return accepted
        if replay := _replays.get(session):
            replay.hold(session.emit)
        else:
            replay = _replays[session] = Replay(session.emit)
        session.emit = replay.emit
        return accepted

    return connect_and_remember


def _replaying(connection_successful: Handler) -> Handler:
    async def replay_or_begin(sid: str) -> None:
        session = WebsocketSession.require(sid)
        if not (session.restored and session.has_first_interaction):
            await connection_successful(sid)  # a new chat, or one from the history
        if session.restored:
            await _replays[session].send_again()

    return replay_or_begin


def _forgetting(client_message: Handler) -> Handler:
    async def forget_and_take(sid: str, payload: Any) -> None:
        if (session := WebsocketSession.get(sid)) and (replay := _replays.get(session)):
            replay.forget_what_arrived()
        await client_message(sid, payload)

    return forget_and_take
