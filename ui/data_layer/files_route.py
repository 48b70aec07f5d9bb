"""The address under which the page reads kept files: only their owner gets them, and no file runs as a page."""

import logging
import re
from typing import Annotated, NamedTuple

from chainlit.auth import get_current_user
from chainlit.user import User
from fastapi import APIRouter, Depends, HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ui.data_layer.errors import FilesUnavailable
from ui.data_layer.layer import DataLayer
from ui.data_layer.storage import FILES_URL, KeptFiles

logger = logging.getLogger(__name__)

_SHOWN_IN_PLACE = {"image/png", "image/jpeg", "image/gif", "image/webp"}
_MIME = re.compile(r"[A-Za-z0-9][\w.+-]*/[A-Za-z0-9][\w.+-]*", re.ASCII)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Cache-Control": "private, no-store",
}


class _File(NamedTuple):
    key: str
    name: str
    mime: str


def files_router(layer: DataLayer, files: KeptFiles) -> APIRouter:
    """The route for kept files. It has to stand before Chainlit's own routes, the last of which takes every path."""
    router = APIRouter()

    @router.get(FILES_URL + "/{user_id}/{thread_id}/{element_id}", include_in_schema=False, response_model=None)
    async def read_file(
        request: Request,
        user_id: str,
        thread_id: str,
        element_id: str,
        user: Annotated[User | None, Depends(get_current_user)],
    ) -> Response:
        """The file of one of the caller's elements; 404 for everything else, whether it exists or not."""
        file = await _own_file(layer, user, (user_id, thread_id, element_id))
        return await _response(files, file, request)

    return router


async def _own_file(layer: DataLayer, user: User | None, ids: tuple[str, str, str]) -> _File:
    _, thread_id, element_id = ids
    if user and await layer.thread_owner(thread_id) == user.identifier:
        element = await layer.get_element(thread_id, element_id)
        if element and element["objectKey"] == "/".join(ids):
            return _File(element["objectKey"], element["name"] or "file", element["mime"] or "")
    raise HTTPException(404, "Not found.")


async def _response(files: KeptFiles, file: _File, request: Request) -> Response:
    kind = file.mime if _MIME.fullmatch(file.mime) else "application/octet-stream"
    place = "inline" if kind in _SHOWN_IN_PLACE else "attachment"
    how = {"media_type": kind, "filename": file.name, "content_disposition_type": place, "headers": _HEADERS}
    try:
        return await files.response(file.key, request.headers, **how)
    except FileNotFoundError as error:
        raise HTTPException(404, "Not found.") from error
    except FilesUnavailable as error:
        logger.warning("a file could not be read: %s", error)
        raise HTTPException(503, "This file can't be read right now. Please try again later.") from error
