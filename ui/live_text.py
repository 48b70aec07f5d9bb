"""One growing text on the page: paced, escaped for the renderer, and exact at its end.

The page parses and draws the whole text anew whenever it grows. So of a very long one only the later part is shown
while it comes; the whole stands there when it is done.
"""

from typing import Protocol

from ui.markdown import MarkdownEscaper, escape_markdown
from ui.pacing import PacedText

MOST_CHARS_LIVE = 60_000
CHARS_KEPT = 30_000
LEFT_OUT = "…\n\n"


class Streamed(Protocol):
    """A Chainlit step or message. With `is_sequence`, the token takes the place of all before it."""

    async def stream_token(self, token: str, is_sequence: bool = False) -> None: ...


class LiveText:
    """Streams text into a step or message. `finish` gives the whole text as it has to stand there for good."""

    def __init__(self, target: Streamed) -> None:
        self._target = target
        self._pieces: list[str] = []
        self._escaper = MarkdownEscaper()
        self._paced = PacedText(self._show)
        self._live = ""
        self._cuts: list[int] = []

    async def add(self, text: str) -> None:
        self._pieces.append(text)
        await self._paced.add(text)

    async def finish(self) -> str:
        """End the stream. Returns the whole text, escaped as a whole: the target's final content."""
        await self._paced.stop()
        return escape_markdown("".join(self._pieces))

    async def _show(self, text: str) -> bool:
        shown = self._escaped(text)
        self._live += shown
        if len(self._live) > MOST_CHARS_LIVE and (cut := self._cut()):
            self._live = LEFT_OUT + self._live[cut:]
            await self._target.stream_token(self._live, is_sequence=True)
        elif shown:
            await self._target.stream_token(shown)
        return bool(shown)

    def _escaped(self, text: str) -> str:
        """The text, escaped; where a block ends in it, the live text may be cut."""
        before, gap, after = text.rpartition("\n\n")
        shown = self._escaper.feed(before + gap)
        if gap and after and not after[0].isspace() and self._escaper.is_between_blocks:
            self._cuts.append(len(self._live) + len(shown))
        return shown + self._escaper.feed(after)

    def _cut(self) -> int:
        """Where the part that is kept begins, or 0 if no block ends there."""
        late = [cut for cut in self._cuts if cut >= len(self._live) - CHARS_KEPT]
        if not late:
            return 0
        self._cuts = [cut - late[0] + len(LEFT_OUT) for cut in late[1:]]
        return late[0]
