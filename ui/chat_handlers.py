"""Chainlit's events of a chat, handed to the chat that each is for. Two take the place of Chainlit's own handlers."""

import asyncio
from typing import Any

import chainlit as cl
from chainlit.config import config
from chainlit.context import init_ws_context
from chainlit.server import sio
from chainlit.session import WebsocketSession

from ui.answer_actions import EXPORT, GO_ON, TRY_AGAIN
from ui.asking_again import answer_edited
from ui.chat import current_chat
from ui.connection_check import CHECK_CONNECTION
from ui.consent import ANSWER_CONSENT


def install() -> None:
    """Have the handlers called. Once, when `app.py` is loaded."""
    cl.on_message(_on_message)
    config.code.on_settings_update = _on_settings_update  # Chainlit's own way says that the turn is over
    cl.on_window_message(_on_window_message)
    cl.action_callback(TRY_AGAIN)(_on_try_again)
    cl.action_callback(GO_ON)(_on_go_on)
    cl.action_callback(EXPORT)(_on_export)
    cl.action_callback(CHECK_CONNECTION)(_on_check_connection)
    cl.action_callback(ANSWER_CONSENT)(_on_answer_consent)
    sio.on("edit_message", handler=_on_edit)
    sio.on("stop", handler=_on_stop)


async def _on_message(message: cl.Message) -> None:
    cl.context.session.current_task = asyncio.current_task()
    if chat := current_chat():
        await chat.session.answer(message)


async def _on_settings_update(entries: dict[str, Any]) -> None:
    if chat := current_chat():
        await chat.change_settings(entries)


async def _on_window_message(message: Any) -> None:
    if chat := current_chat():
        await chat.heed(message)


async def _on_try_again(action: cl.Action) -> None:
    if chat := current_chat():
        await chat.try_again(action.payload)


async def _on_go_on(action: cl.Action) -> None:
    if chat := current_chat():
        await chat.go_on()


async def _on_export(action: cl.Action) -> None:
    if chat := current_chat():
        await chat.offer_export(str(action.payload.get("turn")))


async def _on_check_connection(action: cl.Action) -> None:
    if chat := current_chat():
        await chat.check_connection()


async def _on_answer_consent(action: cl.Action) -> bool:
    """Whether the question was still open: the card says so if not."""
    chat = current_chat()
    return chat is not None and chat.consent.answer(action.payload)


async def _on_edit(sid: str, payload: dict[str, Any]) -> None:
    """Chainlit's own loses an edit of a message that it does not know."""
    if session := WebsocketSession.get(sid):
        init_ws_context(session)
        await answer_edited(payload.get("message"))


async def _on_stop(sid: str) -> None:
    """Chainlit's own writes an English line into the chat."""
    if session := WebsocketSession.get(sid):
        init_ws_context(session)
        if chat := current_chat():
            chat.session.stop()
