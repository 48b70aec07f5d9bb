"""Tells on the page that a file could not be kept with its chat. Knows not why."""

import chainlit as cl
from chainlit.context import context_var

from ui.language import texts_language
from ui.texts import TEXTS
from ui.turn.steps import send_line
from ui.uploads import shown_name


async def tell_unkept(name: str) -> None:
    """A line in the chat that the file came in. Says nothing where there is no page."""
    if context_var.get(None):
        words = TEXTS[texts_language(cl.context.session.language)].files
        await send_line(words.unkept.format(name=shown_name(name)), icon="file-x")
