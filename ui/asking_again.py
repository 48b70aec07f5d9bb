"""A question asked anew: after an edit, or by a press of "Try again". Chainlit loses an edit of a message that it does
not know, such as one from before a restart, and has no way to try again.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import chainlit as cl
from chainlit.chat_context import chat_context
from chainlit.config import config
from chainlit.context import init_ws_context
from chainlit.session import WebsocketSession
from chainlit.utils import utc_now
from pydantic import UUID4, BaseModel, ValidationError

from llm.effort import ThinkingChoice
from ui.pickers import picked_from
from ui.session import ChatSession


class _Edited(BaseModel):
    """A message as the page sends it after an edit."""

    id: UUID4
    output: str
    name: str = "User"


async def answer_edited(sent: object) -> None:
    """Answer a message of the session that was edited. One that is not known is taken as a new one, in its place."""
    try:
        edited = _Edited.model_validate(sent)
    except ValidationError:
        return
    await _answer(await _known_or_new(edited))


async def try_again(chat: ChatSession, payload: Mapping[str, Any]) -> None:
    """Have the question of the payload's `turn`, else the last one, answered anew; with its `effort`, if it has one.

    Returns at once: the page waits for this call. Without such a question it says so.
    """
    questions = _questions()
    turn_id = payload.get("turn") or next(reversed(questions), None)
    question = questions.get(str(turn_id))
    if question is None:
        await cl.context.emitter.send_toast(chat.texts.composer.no_longer_known, "warning")
        return
    effort = picked_from(payload).effort if payload.get("effort") else None
    session = cl.context.session
    session.current_task = asyncio.create_task(_answer_in_run(session, question, chat, effort))


async def go_on(chat: ChatSession) -> None:
    """Ask for the rest of an answer that the end of the server cut off. Returns at once, like `try_again`."""
    message = cl.Message(chat.texts.composer.please_go_on, type="user_message")
    await message.send()
    session = cl.context.session
    session.current_task = asyncio.create_task(_answer_in_run(session, message, chat, None))


def _questions() -> dict[str, cl.Message]:
    return {message.id: message for message in chat_context.get() if message.type == "user_message"}


async def _known_or_new(edited: _Edited) -> cl.Message:
    message_id = str(edited.id)
    known = _questions().get(message_id)
    if known:
        known.content = edited.output
        await known.update()
        return known
    new = {"id": message_id, "type": "user_message", "name": edited.name, "output": edited.output}
    payload = {"message": {**new, "createdAt": utc_now(), "metadata": {}}, "fileReferences": None}
    message: cl.Message = await cl.context.emitter.process_message(payload)
    return message


async def _answer(message: cl.Message) -> None:
    await cl.context.emitter.task_start()
    try:
        await config.code.on_message(message)
    finally:
        await cl.context.emitter.task_end()


async def _answer_in_run(
    session: WebsocketSession, message: cl.Message, chat: ChatSession, effort: ThinkingChoice | None
) -> None:
    """What Chainlit does around a message, for one that is not sent but there."""
    context = init_ws_context(session)
    await context.emitter.task_start()
    try:
        async with cl.Step(name="on_message", type="run", parent_id=message.id):
            await chat.answer(message, effort=effort)
    except asyncio.CancelledError:
        return  # it was stopped
    finally:
        await context.emitter.task_end()
