"""Tells in the terminal how the way to a model goes: one line that is rewritten, or only the ends of it in a log."""

from typing import TextIO

from llm.endpoint import Endpoint
from llm.local.connection import Asking, Connection, ConnectionState, Fetching, Looking, Ready, Starting, Unavailable
from llm.local.weights import in_words


async def show_progress(connection: Connection, stream: TextIO) -> None:
    """Write the connection's states to `stream` until it is closed."""
    line = ProgressLine(stream)
    async for state in connection.states():
        line.show(state)


class ProgressLine:
    """The last line of a terminal. In anything else only what lasts leaves a trace."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._is_fetching = False

    def show(self, state: ConnectionState) -> None:
        """Write the state; the size of a download is told before it begins."""
        if isinstance(state, Fetching) and not self._is_fetching:
            self._end_with(
                f"Fetching the built-in model {state.name} ({in_words(state.total_bytes)}). "
                "This happens once; LOCAL_MODEL=off does without it."
            )
        self._is_fetching = isinstance(state, Fetching)
        if isinstance(state, Ready | Unavailable):
            self._end_with(_sentence(state))
        elif self._is_terminal:
            self._write(f"\r\x1b[K{_sentence(state)}")

    def _end_with(self, text: str) -> None:
        self._write(f"\r\x1b[K{text}\n" if self._is_terminal else f"{text}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _sentence(state: ConnectionState) -> str:
    match state:
        case Asking(server):
            return f"Asking {server} which model it has"
        case Looking():
            return "Looking for a model server on this machine"
        case Fetching(done_bytes=done, total_bytes=total) if done == total:
            return "Checking the downloaded model"
        case Fetching(done_bytes=done, total_bytes=total):
            return f"{in_words(done)} of {in_words(total)} ({100 * done // total} %)"
        case Starting(name):
            return f"Starting {name}"
        case Ready(endpoint):
            return f"Model: {endpoint.model} ({_place(endpoint)})"
        case Unavailable(reason):
            return f"No model: {reason.user_message}"


def _place(endpoint: Endpoint) -> str:
    return f"{endpoint.server}, found running on this machine" if endpoint.source == "detected" else endpoint.server
