"""The line at the head of a chat that says which model answers, or what is being done to get one.

Opened, it says how to connect another one, and has a button that checks the connection.
"""

import chainlit as cl
from chainlit.utils import utc_now

from llm.endpoint import Endpoint
from llm.local.connection import Asking, Connection, ConnectionState, Fetching, Looking, Ready, Starting, Unavailable
from ui.connection_check import check_button
from ui.texts import Texts, sentence_of

MEGABYTE = 1_000_000


async def show_model_line(connection: Connection, texts: Texts) -> None:
    """Keep the line up to date until a model answers or none can be had."""
    line = cl.Step(name="", type="undefined", icon="cpu")
    line.start = line.end = utc_now()
    async for state in connection.states():
        await _show(line, state, texts=texts)
        if isinstance(state, Ready | Unavailable):
            await check_button(texts).send(for_id=line.id)
            return


async def _show(line: cl.Step, state: ConnectionState, *, texts: Texts) -> None:
    line.name, line.output = _words(state, texts)
    await (line.update() if line.persisted else line.send())
    line.persisted = True


def _words(state: ConnectionState, texts: Texts) -> tuple[str, str]:
    """The line itself, and what opens behind it."""
    words = texts.connection
    match state:
        case Asking(server):
            return words.asking.format(server=server), ""
        case Looking():
            return words.looking, ""
        case Fetching(done, total, name):
            return words.fetching.format(name=name, done=done // MEGABYTE, total=total // MEGABYTE), ""
        case Starting(name):
            return words.starting.format(name=name), ""
        case Ready(endpoint):
            about = words.about_builtin if endpoint.source == "builtin" else ""
            return _answering(endpoint, texts), about + words.how_to_connect
        case Unavailable(error):
            return sentence_of(texts, error), words.how_to_connect


def _answering(endpoint: Endpoint, texts: Texts) -> str:
    words = texts.connection
    template = {
        "configured": words.answers,
        "detected": words.answers_detected,
        "builtin": words.answers_builtin,
    }
    return template[endpoint.source].format(model=endpoint.model, server=endpoint.server)
