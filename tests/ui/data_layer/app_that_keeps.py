"""An app that keeps its chats: anybody logs in by a header; each answer comes with thinking and a file."""

import os
from pathlib import Path

import chainlit as cl
from starlette.datastructures import Headers

from settings import load_settings
from tests.ui.own_files import use_own_files
from ui.data_layer.wiring import install

use_own_files()

layer = install(
    "",
    data_folder=Path(os.environ["THINKGLASS_DATA"]),
    forget_chat=lambda _: None,
    bucket=load_settings().history_values["bucket"],
)


@cl.on_app_startup
async def on_app_startup() -> None:
    await layer.start()


@cl.header_auth_callback
async def log_in(headers: Headers) -> cl.User | None:
    return cl.User(identifier=headers["x-user"]) if "x-user" in headers else None


@cl.on_chat_start
async def on_chat_start() -> None:
    welcome = cl.Message("Welco", author="Assistant")
    await welcome.send()
    welcome.content = "Welcome"
    await welcome.update()


@cl.on_chat_resume
async def on_chat_resume(thread: dict[str, object]) -> None: ...


@cl.on_message
async def on_message(message: cl.Message) -> None:
    await layer.forget_after(message.thread_id, message.id)
    async with cl.Step(name="Thinking", type="tool", icon="brain", default_open=True, auto_collapse=True) as thinking:
        thinking.output = f"thinking about {message.content}"
    plot = cl.Image(name="plot", content=b"\x89PNG", mime="image/png")
    await cl.Message(f"answer to {message.content}", author="Assistant", elements=[plot]).send()
