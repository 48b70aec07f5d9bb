"""The page's program, megabytes of it: compressed once and not for every visitor, and kept by browsers for good.

Chainlit's build names each file after its content. Must not know what is in them.
"""

import asyncio
import gzip
import mimetypes
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_NAMED_BY_CONTENT = re.compile(r".+-[\w-]{8}\.(?:js|css)")
_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Encoding": "gzip",
    "Vary": "Accept-Encoding",
}


class Program:
    """Answers for the files of the build, to whoever takes gzip; all else is Chainlit's to answer."""

    def __init__(self, app: ASGIApp, *, address: str, folder: Path) -> None:
        self._app = app
        self._files = {
            f"{address}/{path.name}": path for path in folder.iterdir() if _NAMED_BY_CONTENT.fullmatch(path.name)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer, file = self._app, self._wanted(scope)
        if file:
            body = await asyncio.to_thread(_compressed, file)
            answer = Response(body, headers=_HEADERS, media_type=mimetypes.guess_type(file.name)[0])
        await answer(scope, receive, send)

    def _wanted(self, scope: Scope) -> Path | None:
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        takes_gzip = "gzip" in Headers(scope=scope).get("Accept-Encoding", "")
        return self._files.get(scope["path"]) if takes_gzip else None


@cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes())
