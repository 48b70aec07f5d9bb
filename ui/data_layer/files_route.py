"""The address under which the page reads kept files: only their owner gets them, and no file runs as a page."""

import re
from pathlib import Path
from typing import Annotated

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import APIRouter, Depends, HTTPException
from starlette.responses import FileResponse

from ui.data_layer.layer import DataLayer
from ui.data_layer.storage import FILES_URL, LocalFiles

_SHOWN_IN_PLACE = {"image/png", "image/jpeg", "image/gif", "image/webp"}
_MIME = re.compile(r"[A-Za-z0-9][\w.+-]*/[A-Za-z0-9][\w.+-]*", re.ASCII)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Cache-Control": "private, no-store",
}


def files_router(layer: DataLayer, files: LocalFiles) -> APIRouter:
    """The route for `LocalFiles`. It has to stand before Chainlit's own routes, the last of which takes every path."""
    router = APIRouter()

    @router.get(FILES_URL + "/{user_id}/{thread_id}/{element_id}", include_in_schema=False)
    async def read_file(
        user_id: str, thread_id: str, element_id: str, user: Annotated[User | None, Depends(get_current_user)]
    ) -> FileResponse:
        """The file of one of the caller's elements; 404 for everything else, whether it exists or not."""
        path, name, mime = await _own_file(layer, files, user, (user_id, thread_id, element_id))
        kind = mime if _MIME.fullmatch(mime) else "application/octet-stream"
        place = "inline" if kind in _SHOWN_IN_PLACE else "attachment"
        return FileResponse(path, media_type=kind, filename=name, content_disposition_type=place, headers=_HEADERS)

    return router


async def _own_file(
    layer: DataLayer, files: LocalFiles, user: User | None, ids: tuple[str, str, str]
) -> tuple[Path, str, str]:
    _, thread_id, element_id = ids
    if user and await layer.thread_owner(thread_id) == user.identifier:
        element = await layer.get_element(thread_id, element_id)
        path = files.folder.path("/".join(ids))
        if element and element["objectKey"] == "/".join(ids) and path.is_file():
            return path, element["name"] or "file", element["mime"] or ""
    raise HTTPException(404, "Not found.")
