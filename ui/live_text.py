"""One growing text on the page: paced, escaped for the renderer, and exact at its end."""

from typing import Protocol

from ui.markdown import MarkdownEscaper, escape_markdown
from ui.pacing import PacedText


class Streamed(Protocol):
    """A Chainlit step or message."""

    async def stream_token(self, token: str, is_sequence: bool = False) -> None: ...


class LiveText:
    """Streams text into a step or message. `finish` gives the whole text as it has to stand there for good."""

    def __init__(self, target: Streamed) -> None:
        self._pieces: list[str] = []
        self._escaper = MarkdownEscaper()
        self._paced = PacedText(target.stream_token)

    async def add(self, text: str) -> None:
        self._pieces.append(text)
        if shown := self._escaper.feed(text):
            await self._paced.add(shown)

    async def finish(self) -> str:
        """End the stream. Returns the whole text, escaped as a whole: the target's final content."""
        await self._paced.flush()
        return escape_markdown("".join(self._pieces))
