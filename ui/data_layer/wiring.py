"""Puts the data layer and its route into Chainlit's server. Called once, by `app.py`."""

from collections.abc import Callable, Mapping
from pathlib import Path

import chainlit as cl
import chainlit.server
from chainlit.config import config
from fastapi import APIRouter

from ui.data_layer.feedback_route import feedback_router
from ui.data_layer.file_store import require_s3_client
from ui.data_layer.files_route import files_router
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.places import files_folder
from ui.data_layer.storage import KeptFiles, LocalFiles
from ui.data_layer.unkept import tell_unkept


def install(
    database_url: str | None,
    *,
    data_folder: Path,
    forget_chat: Callable[[str], None],
    bucket: Mapping[str, str | None] | None = None,
) -> DataLayer:
    """Make Chainlit keep chats here; without a `database_url` in SQLite in the data folder, as files without a bucket.

    `forget_chat` removes what else is kept of a thread, by its id; it is called in a thread of its own.

    `await layer.start()` in `on_app_startup`; Chainlit itself closes the layer when the server ends. Opens nothing yet.
    Raises `HistoryError`.
    """
    server = chainlit.server.app
    if not hasattr(server.state, "data_layer"):  # `chainlit run -w` loads app.py again after every change
        files = _files(data_folder, bucket)
        history = History(database_url or "", data_folder=data_folder)
        made = DataLayer(history, files, forget_chat=forget_chat, tell_unkept=tell_unkept)
        server.state.data_layer = made
        for router in (files_router(made, files), feedback_router(made)):
            _put_first(router)
    layer: DataLayer = server.state.data_layer
    cl.data_layer(lambda: layer)
    return layer


def _files(data_folder: Path, bucket: Mapping[str, str | None] | None) -> KeptFiles:
    if not bucket:
        return LocalFiles(files_folder(data_folder), root_path=config.run.root_path)
    require_s3_client()
    from ui.data_layer.s3_files import Bucket, S3Files  # needs boto3, which only those with a bucket have

    return S3Files(Bucket(bucket), root_path=config.run.root_path)


def _put_first(router: APIRouter) -> None:
    """Before Chainlit's routes, the last of which takes every path."""
    server = chainlit.server.app
    known = len(server.router.routes)
    server.include_router(router, prefix=config.run.root_path)
    routes = server.router.routes
    routes[:] = routes[known:] + routes[:known]
