"""Chats without a login page: each browser gets an identity of its own, in Chainlit's signed login cookie.

Knows no data layer: whoever holds the cookie is that person.
"""

import time
import uuid
from typing import Any

import chainlit.auth.jwt
import jwt
from chainlit.auth.cookie import get_token_from_cookies
from chainlit.auth.jwt import create_jwt
from chainlit.user import User
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.auth.cookie import login_cookie, with_login

RENEW_AFTER_S = 7 * 24 * 3600
"""A cookie older than this is given anew with the next page, so that who comes back now and then is known for good."""


def new_person() -> User:
    """Somebody who has never been here. The identifier cannot be guessed."""
    return User(identifier=f"browser-{uuid.uuid4()}", display_name="This browser", metadata={})


class BrowserIdentity:
    """Sees to it that whoever opens the page, or connects to its socket, has an identity."""

    def __init__(self, app: ASGIApp, *, socket_path: str) -> None:
        self._app = app
        self._socket_path = socket_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_entrance(scope):
            await self._app(scope, receive, send)
            return
        token = _valid_token(Headers(scope=scope).get("cookie", ""))
        if token is None:
            fresh = create_jwt(new_person())
            await self._app(with_login(scope, fresh), receive, _giving(send, login_cookie(fresh, scope)))
        elif time.time() - token["iat"] > RENEW_AFTER_S:
            known = User(identifier=token["identifier"], display_name=token["display_name"])
            await self._app(scope, receive, _giving(send, login_cookie(create_jwt(known), scope)))
        else:
            await self._app(scope, receive, send)

    def _is_entrance(self, scope: Scope) -> bool:
        if scope["type"] not in ("http", "websocket"):
            return False
        if scope["path"].startswith(self._socket_path):
            return b"sid=" not in scope["query_string"]
        accepts = Headers(scope=scope).get("accept", "")
        return scope["type"] == "http" and scope["method"] == "GET" and "text/html" in accepts


def _valid_token(cookie_header: str) -> dict[str, Any] | None:
    token = get_token_from_cookies(cookie_parser(cookie_header))
    try:
        return dict(jwt.decode(token or "", chainlit.auth.jwt.get_jwt_secret() or "", algorithms=["HS256"]))
    except jwt.InvalidTokenError:
        return None


def _giving(send: Send, cookie: str) -> Send:
    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.append("Set-Cookie", cookie)
            headers["Cache-Control"] = "no-store"  # nobody else may ever be served this answer
        await send(message)

    return send_with_cookie
