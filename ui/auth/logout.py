"""Logging out ends the login on the server as well: its token is of no use to whoever may have copied it."""

import hashlib
import time

import chainlit as cl
import chainlit.auth
from chainlit.auth.cookie import get_token_from_cookies
from chainlit.config import config
from chainlit.server import sio
from chainlit.session import ws_sessions_sid
from starlette.requests import Request
from starlette.responses import Response


class EndedLogins:
    """Tokens that were given back, by their hash, until they would have ended of themselves."""

    def __init__(self) -> None:
        self._ended: dict[str, float] = {}

    def end(self, token: str) -> None:
        now = time.time()
        self._ended = {mark: until for mark, until in self._ended.items() if until > now}
        self._ended[_mark(token)] = now + config.project.user_session_timeout

    def has(self, token: str) -> bool:
        return _mark(token) in self._ended


def end_logins_for_good() -> None:
    """Make Chainlit refuse tokens that were logged out, and close the sockets that they had opened."""
    ended, decode = EndedLogins(), chainlit.auth.decode_jwt

    def decode_if_valid(token: str) -> cl.User:
        if ended.has(token):
            raise ValueError("this login has ended")
        return decode(token)

    chainlit.auth.decode_jwt = decode_if_valid

    async def on_logout(request: Request, _response: Response) -> dict[str, bool]:
        if token := get_token_from_cookies(request.cookies):
            ended.end(token)
            for sid in [sid for sid, session in ws_sessions_sid.items() if session.token == token]:
                await sio.disconnect(sid)
        return {"success": True}

    cl.on_logout(on_logout)


def _mark(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
