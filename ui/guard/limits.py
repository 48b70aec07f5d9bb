"""How much may be sent, and which of Chainlit's doors stay shut. Must not know what is behind them."""

from collections.abc import Callable, Collection

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOO_LARGE = "This is larger than Thinkglass takes."


class BodyLimit:
    """Refuse a body by its size before it is read: by its announced length, or when it grows too long on the way."""

    def __init__(self, app: ASGIApp, *, limit_of: Callable[[str], int | None]) -> None:
        """`limit_of` gives the most bytes that a path takes; None where the path has its own limit."""
        self._app = app
        self._limit_of = limit_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._limit_of(scope["path"]) if scope["type"] == "http" else None
        if limit is None:
            await self._app(scope, receive, send)
        elif _announced_length(scope) > limit:
            await PlainTextResponse(_TOO_LARGE, status_code=413)(scope, receive, send)
        else:
            await self._app(scope, _counted(receive, limit), send)


class ShutDoors:
    """Answer "not found" on paths that are not part of the product."""

    def __init__(self, app: ASGIApp, *, paths: Collection[str], folders: Collection[str]) -> None:
        self._app = app
        self._paths = frozenset(paths)
        self._folders = tuple(folders)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._is_shut(scope["path"]):
            await PlainTextResponse("Not found.", status_code=404)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_shut(self, path: str) -> bool:
        return (path.rstrip("/") or "/") in self._paths or path.startswith(self._folders)


def _announced_length(scope: Scope) -> int:
    text = Headers(scope=scope).get("content-length", "0")
    return int(text) if text.isdecimal() else 0


def _counted(receive: Receive, limit: int) -> Receive:
    length = 0

    async def receive_within_limit() -> Message:
        nonlocal length
        message = await receive()
        length += len(message.get("body", b""))
        if length > limit:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return receive_within_limit
