"""The app with cards, with a data layer that keeps its chats; anybody logs in by a header."""

import chainlit as cl
from starlette.datastructures import Headers

from tests.ui.app_with_cards import settings
from tests.ui.own_files import use_own_files
from ui.data_layer.wiring import install

use_own_files()

layer = install("", data_folder=settings.thinkglass_data, forget_chat=lambda _: None)


@cl.on_app_startup
async def on_app_startup() -> None:
    await layer.start()


@cl.header_auth_callback
async def log_in(headers: Headers) -> cl.User | None:
    return cl.User(identifier=headers["x-user"]) if "x-user" in headers else None


@cl.on_chat_resume
async def on_chat_resume(thread: dict[str, object]) -> None: ...
