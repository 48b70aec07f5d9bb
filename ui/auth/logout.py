"""Logging out ends the login on every server as well: its token is of no use to whoever may have copied it."""

import asyncio
import hashlib
import logging
import time
import uuid

import chainlit as cl
import chainlit.auth
import chainlit.server
import jwt
from chainlit.auth.cookie import get_token_from_cookies
from chainlit.config import config
from chainlit.server import sio
from chainlit.session import ws_sessions_sid
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.data_layer.database import Database
from ui.data_layer.ended_logins import EndedLogin, end, ended_since

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 3.0
"""So late this process may learn what ended in another one."""
_PATIENCE_S = 2.0


class EndedLogins:
    """Tokens that were given back, by their hash, until they would have ended of themselves.

    The database has them for good and for all processes. This memory is what is asked, since asking can't wait.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._until: dict[str, float] = {}
        self._unsaved: set[str] = set()
        self._seen = 0
        self._is_away = False

    def has(self, token: str) -> bool:
        return _mark(token) in self._until

    async def end(self, token: str) -> None:
        """End a login: here at once, elsewhere with the next look there, and also if the database is away just now."""
        mark = _mark(token)
        self._until[mark] = time.time() + config.project.user_session_timeout
        self._unsaved.add(mark)
        await self._close_sockets()
        await self.look()

    async def look(self) -> None:
        """Tell the others what ended here, and learn what ended elsewhere, with the sockets that it had opened."""
        try:
            ended = await self._exchange()
            self._is_away = False
        except (SQLAlchemyError, OSError) as error:
            if not self._is_away:
                logger.warning("logouts are not shared just now: %s", type(error).__name__)
            self._is_away = True
            return
        self._seen = max([self._seen, *(login.ended_at for login in ended)])
        news = {login.mark: login.until / 1000 for login in ended if login.mark not in self._until}
        now = time.time()
        self._until = {mark: until for mark, until in self._until.items() if until > now} | news
        await self._close_sockets()

    async def watch(self) -> None:
        """Look again and again."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            await self.look()

    async def _exchange(self) -> list[EndedLogin]:
        mine = set(self._unsaved)
        async with asyncio.timeout(_PATIENCE_S):
            if mine:
                async with self._database.writing() as connection:
                    await end(connection, mine, lasts_s=config.project.user_session_timeout)
                self._unsaved -= mine
            async with self._database.reading() as connection:
                return await ended_since(connection, self._seen)

    async def _close_sockets(self) -> None:
        """Of all logins that have ended, not of the last ones alone: one may have been about to connect."""
        for sid, session in list(ws_sessions_sid.items()):
            token = get_token_from_cookies(cookie_parser(session.environ.get("HTTP_COOKIE", "")))
            if token and self.has(token):
                await sio.disconnect(sid)


class WatchesLogouts:
    """Looks for logins that ended elsewhere for as long as the server runs, first of all when it starts."""

    def __init__(self, app: ASGIApp, ended: EndedLogins) -> None:
        self._app = app
        self._ended = ended
        self._watching: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        async def receive_and_end() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._watching:
                self._watching.cancel()
                await asyncio.wait({self._watching})
            return message

        async def begin_and_send(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":  # the database is open
                await self._ended.look()
                self._watching = asyncio.create_task(self._ended.watch())
            await send(message)

        await self._app(scope, receive_and_end, begin_and_send)


def end_logins_for_good(ended: EndedLogins) -> None:
    """Make Chainlit refuse tokens that were logged out, and close the sockets that they had opened."""
    decode = chainlit.auth.decode_jwt

    def decode_if_valid(token: str) -> cl.User:
        if ended.has(token):
            raise ValueError("this login has ended")
        return decode(token)

    chainlit.auth.decode_jwt = decode_if_valid
    chainlit.server.create_jwt = _token_of_its_own

    async def on_logout(request: Request, _response: Response) -> dict[str, bool]:
        if token := get_token_from_cookies(request.cookies):
            await ended.end(token)
        return {"success": True}

    cl.on_logout(on_logout)


def _token_of_its_own(user: cl.User) -> str:
    """Chainlit's tokens of one person are the same within a second: the end of one login would end the next as well."""
    key = chainlit.auth.get_jwt_secret() or ""
    claims = jwt.decode(chainlit.auth.create_jwt(user), key, algorithms=["HS256"])
    return jwt.encode({**claims, "jti": uuid.uuid4().hex}, key, algorithm="HS256")


def _mark(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
