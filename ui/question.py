"""What a person's message asks of the model: its text, and what has become of the files that came with it."""

from collections.abc import Sequence
from typing import Protocol

import chainlit as cl
from chainlit.config import config
from chainlit.data import get_data_layer
from chainlit.element import Element

from ui.past_chat import NOTE, UPLOAD, note_of, question_for_model
from ui.texts import Texts
from ui.turn.steps import send_line
from ui.uploads import Intake, take_uploads


class ToolUse(Protocol):
    """What a chat's tools are told of what its person writes and sends."""

    @property
    def intake(self) -> Intake: ...

    def note_question(self, text: str) -> None: ...

    def note_use(self, tool: str) -> None: ...


async def question_of(message: cl.Message, tools: ToolUse, texts: Texts) -> str:
    """What the model is asked. It is on disk before the model is called."""
    tools.note_question(message.content)
    if message.elements and note_of(message.metadata) is None:
        message.metadata = {**(message.metadata or {}), NOTE: await _note_of_files(message.elements, tools, texts)}
    if layer := get_data_layer():
        await layer.update_step(message.to_dict())
    return question_for_model(message.content, message.metadata)


async def _note_of_files(elements: Sequence[Element], tools: ToolUse, texts: Texts) -> str:
    """Take the files that came with a message. What the model is told of them, and the page of those refused."""
    most: int = config.features.spontaneous_file_upload.max_files
    uploads = await take_uploads(elements, tools.intake, texts=texts, max_files=most)
    for refusal in uploads.refusals:
        await send_line(refusal, icon="file-x")
    if uploads.files:
        tools.note_use(UPLOAD)
    return uploads.note
