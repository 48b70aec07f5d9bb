"""The pages of a chat: they lose their connection and come back, are loaded anew, or are two at a time.

A new page joins its chat's session if another page shows it or a turn runs in it; else the chat is read from the store.
Chainlit always makes a new session, and takes one away though a turn runs in it. Knows Chainlit's sockets.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from chainlit.chat_context import chat_contexts
from chainlit.data import get_data_layer
from chainlit.server import sio
from chainlit.session import WebsocketSession, ws_sessions_id, ws_sessions_sid

from ui.background import in_background
from ui.chat import questions_open_in, turns_of
from ui.cut_turns import with_cut_turns_closed
from ui.language import texts_language
from ui.replay import Replay, Sent, speaking
from ui.texts import TEXTS

Handler: TypeAlias = Callable[..., Awaitable[Any]]

_replays: WeakKeyDictionary[WebsocketSession, Replay] = WeakKeyDictionary()


def install() -> None:
    """Put this between Chainlit and its sockets. Called once, when `app.py` is loaded, after the guard."""
    if getattr(sio, "lets_pages_join", False):
        return  # `chainlit run -w` loads app.py again after every change
    wrappers = {
        "connect": _joining,
        "connection_successful": _catching_up,
        "client_message": _asking,
        "window_message": _speaking,
        "chat_settings_change": _speaking,
        "disconnect": _leaving,
    }
    for event, wrapper in wrappers.items():
        sio.on(event, handler=wrapper(sio.handlers["/"][event]))
    _delete_every_name()
    sio.lets_pages_join = True


def _joining(connect: Handler) -> Handler:
    async def connect_and_join(sid: str, environ: dict[str, Any], auth: Any) -> Any:
        accepted = await _connected(connect, sid, environ, auth)
        session, page_id = WebsocketSession.get(sid), auth["sessionId"]
        if session is None:
            return accepted
        await _leave_what_is_gone(session)
        emit, token = session.emit, session.token
        session = _one_to_join(session) or session
        if replay := _replays.get(session):
            replay.connect(page_id, sid, emit=emit)
            _take_over(session, page_id, sid, sockets=replay.sockets)
            session.token, session.environ = token, environ
        else:
            replay = _replays[session] = Replay()
            replay.begin(page_id, sid, emit=emit)
        session.emit = replay.emit
        return accepted

    return connect_and_join


async def _connected(connect: Handler, sid: str, environ: dict[str, Any], auth: dict[str, Any]) -> Any:
    """To who asks for somebody else's chat there is no such chat. Chainlit refuses them, and their page stays dead."""
    try:
        return await connect(sid, environ, auth)
    except ConnectionRefusedError:
        if not auth.get("threadId"):
            raise
        return await connect(sid, environ, {**auth, "threadId": str(uuid.uuid4())})


async def _leave_what_is_gone(session: WebsocketSession) -> None:
    """Of a page that asks for a chat that was deleted: nothing is ever kept under its id again."""
    wanted, layer = session.thread_id_to_resume, get_data_layer()
    if wanted and layer and not session.restored and not await layer.get_thread_author(wanted):
        session.thread_id = str(uuid.uuid4())


def _one_to_join(new: WebsocketSession) -> WebsocketSession | None:
    """The session that goes on in the thread of a new one, whose owner Chainlit has made sure of."""
    if new in _replays or not (new.user and new.thread_id_to_resume and get_data_layer()):
        return None
    going_on = [session for session in ws_sessions_id.values() if session is not new and _goes_on(session, new)]
    return max(going_on, key=lambda session: bool(turns_of(session)), default=None)


def _goes_on(session: WebsocketSession, new: WebsocketSession) -> bool:
    """A second page must have the first one's login: when that ends, both are cut off."""
    if session.thread_id != new.thread_id or not session.has_first_interaction or session not in _replays:
        return False
    if not session.user or session.user.identifier != new.user.identifier:
        return False
    is_shown = bool(_replays[session].sockets)
    return session.token == new.token if is_shown else bool(turns_of(session))


def _take_over(session: WebsocketSession, page_id: str, sid: str, *, sockets: list[str]) -> None:
    """The session answers to one more page, by the page's own id. Chainlit knows one socket of a session, the last."""
    ws_sessions_id[page_id] = session
    session.restore(new_socket_id=sid)
    session.to_clear = False
    ws_sessions_sid.update(dict.fromkeys(sockets, session))


def _catching_up(connection_successful: Handler) -> Handler:
    async def catch_up_or_begin(sid: str) -> None:
        session = WebsocketSession.require(sid)
        if not (session.restored and session.has_first_interaction):
            await connection_successful(sid)  # a new chat, or one from the store
        if session.restored:
            replay = _replays[session]
            await replay.catch_up(sid, await _opening(session) if replay.is_new(sid) else ())

    return catch_up_or_begin


async def _opening(session: WebsocketSession) -> list[Sent]:
    """What a page that opens a stored chat is sent; its settings and its profile are those of the moment."""
    layer = get_data_layer()
    thread = await layer.get_thread(session.thread_id) if layer else None
    if thread is None:
        return [("resume_thread_error", "Thread not found.")]
    settings = {"chat_settings": session.chat_settings, "chat_profile": session.chat_profile}
    thread["metadata"] = {**(thread["metadata"] or {}), **settings}
    texts, running = TEXTS[texts_language(session.language)], questions_open_in(session)
    thread["steps"] = with_cut_turns_closed(thread["steps"], texts, running=running)
    first = {"interaction": "resume", "thread_id": session.thread_id}
    return [("first_interaction", first), ("resume_thread", thread)]


def _asking(client_message: Handler) -> Handler:
    async def note_and_take(sid: str, payload: Any) -> None:
        if (session := WebsocketSession.get(sid)) and (replay := _replays.get(session)):
            if not turns_of(session):
                replay.forget_what_arrived()
            match payload:
                case {"message": {"id": str()} as question}:
                    await replay.ask(sid, question)
        await client_message(sid, payload)

    return note_and_take


def _speaking(handler: Handler) -> Handler:
    async def speak(sid: str, payload: Any) -> None:
        speaking.set(sid)
        await handler(sid, payload)

    return speak


def _leaving(disconnect: Handler) -> Handler:
    async def leave(sid: str, *_reason: Any) -> None:
        session = WebsocketSession.get(sid)
        if session is None:
            return
        _replays[session].leave(sid)
        if others := _replays[session].sockets:
            del ws_sessions_sid[sid]
            session.socket_id, session.to_clear = others[-1], False
        elif turns_of(session):
            in_background(_leave_later(session, sid, disconnect))
        else:
            await disconnect(sid)

    return leave


async def _leave_later(session: WebsocketSession, sid: str, disconnect: Handler) -> None:
    """Chainlit may take the session away, at once or after a while, when nothing runs in it any more."""
    while turns := turns_of(session):
        await asyncio.wait(turns)
    if WebsocketSession.get(sid) is session:  # no page has come meanwhile
        await disconnect(sid)


def _delete_every_name() -> None:
    """Chainlit forgets a session that it deletes by the id of its first page alone, and never its messages."""
    delete = WebsocketSession.delete

    async def delete_for_all_pages(session: WebsocketSession) -> None:
        for page_id in [page_id for page_id, known in ws_sessions_id.items() if known is session]:
            del ws_sessions_id[page_id]
        chat_contexts.pop(session.id, None)
        await delete(session)

    WebsocketSession.delete = delete_for_all_pages
