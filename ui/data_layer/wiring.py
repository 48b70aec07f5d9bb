"""Puts the data layer and its route into Chainlit's server. Called once, by `app.py`."""

from collections.abc import Callable
from pathlib import Path

import chainlit as cl
import chainlit.server
from chainlit.config import config
from fastapi import APIRouter

from ui.data_layer.feedback_route import feedback_router
from ui.data_layer.files_route import files_router
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.places import files_folder
from ui.data_layer.storage import LocalFiles


def install(database_url: str | None, *, data_folder: Path, forget_chat: Callable[[str], None]) -> DataLayer:
    """Make Chainlit keep chats here; without a `database_url` in SQLite in the data folder.

    `forget_chat` removes what else is kept of a thread, by its id; it is called in a thread of its own.

    `await layer.start()` in `on_app_startup`; Chainlit itself closes the layer when the server ends. Opens nothing yet.
    Raises `UnknownDatabase`.
    """
    server = chainlit.server.app
    if not hasattr(server.state, "data_layer"):  # `chainlit run -w` loads app.py again after every change
        files = LocalFiles(files_folder(data_folder), root_path=config.run.root_path)
        made = server.state.data_layer = DataLayer(
            History(database_url or "", data_folder=data_folder), files, forget_chat=forget_chat
        )
        for router in (files_router(made, files), feedback_router(made)):
            _put_first(router)
    layer: DataLayer = server.state.data_layer
    cl.data_layer(lambda: layer)
    return layer


def _put_first(router: APIRouter) -> None:
    """Before Chainlit's routes, the last of which takes every path."""
    server = chainlit.server.app
    known = len(server.router.routes)
    server.include_router(router, prefix=config.run.root_path)
    routes = server.router.routes
    routes[:] = routes[known:] + routes[:known]
