"""Model text made safe for Chainlit's Markdown renderer, whole or as it streams. Pure: knows no steps and no sockets.

The renderer drops `:name` from the page, takes money for formulas, `5~10` for struck out, an invisible blank for a
cursor, and fetches images. So what is not code is read once here, and written so that the page shows what was meant.
"""

from ui.markdown.blocks import Blocks
from ui.markdown.flanking import reference
from ui.markdown.inline import SPECIAL, Inline

_BLANK_THAT_MARKS = "\ufeff"
"""Invisible, and a blank to the renderer: stands in where a character that is already shown would have to change."""

_WINDOW = 8_192
"""No token is longer than this, nor looks further ahead."""
_LONGEST_ROW = 1_000


class MarkdownEscaper:
    """Escapes a text that arrives in pieces: what `feed` returns, joined with `finish`, is what can be shown.

    However the text is cut, the page looks the same. Kept back is what more text may change: an unfinished token, an
    unclosed formula or code span, the head of a line.
    """

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._inline = Inline(self._blocks)
        self._rest = ""
        self._in_line = self._is_code = False
        self._out: list[str] = []

    @property
    def is_between_blocks(self) -> bool:
        """Whether nothing is kept back, and a line that begins without a blank would begin a block of its own."""
        return not (self._rest or self._in_line or self._blocks.in_paragraph or self._blocks.fence)

    def feed(self, text: str) -> str:
        """The part that can be shown now."""
        return self._read(text, is_whole=False)

    def finish(self, text: str = "") -> str:
        """The last piece, with what was kept back."""
        return self._read(text, is_whole=True)

    def _read(self, text: str, *, is_whole: bool) -> str:
        self._rest += text
        if "\r" in self._rest:
            kept = "\r" if self._rest.endswith("\r") and not is_whole else ""
            self._rest = self._rest.removesuffix(kept).replace("\r\n", "\n").replace("\r", "\n") + kept
        at = 0
        while at < len(self._rest) and (read := self._step(at, is_whole=is_whole)) is not None:
            at += read
        self._rest = self._rest[at:]
        shown = "".join(self._out)
        self._out.clear()
        return shown

    def _step(self, at: int, *, is_whole: bool) -> int | None:
        """Read on from there; how many characters were read, None if more text is needed."""
        end = self._rest.find("\n", at)
        if not self._in_line:
            return self._begin_line(self._rest[at:] if end < 0 else self._rest[at : end + 1], is_whole=is_whole)
        if self._is_code:
            return self._take(self._rest[at:] if end < 0 else self._rest[at : end + 1])
        end = len(self._rest) if end < 0 else end
        special = SPECIAL.search(self._rest, at, end)
        stop = special.start() if special else end
        if stop > at:
            return self._take(self._rest[at:stop])
        window = self._rest[at : at + _WINDOW]
        return (
            self._read_special(window, is_whole=is_whole or at + _WINDOW < len(self._rest))
            if special
            else self._end_line()
        )

    def _begin_line(self, line: str, *, is_whole: bool) -> int | None:
        head = self._blocks.head(line, is_whole=is_whole)
        if head is None:
            return None
        if not head.continues:
            self._inline.end_paragraph()
        self._inline.before = self._inline.line = ""
        self._out.append(head.shown)
        self._is_code = head.is_code
        self._in_line = not line[: head.length].endswith("\n")
        return head.length

    def _take(self, text: str) -> int:
        """Show text as it stands."""
        self._out.append(text)
        self._in_line = not text.endswith("\n")
        self._went_over(text)
        return len(text)

    def _went_over(self, text: str) -> None:
        self._inline.before = (self._inline.before + text)[-2:] if len(text) < 2 else text[-2:]
        if len(self._inline.line) < _LONGEST_ROW:
            self._inline.line += text

    def _read_special(self, text: str, *, is_whole: bool) -> int | None:
        read = self._inline.read(text, is_whole=is_whole)
        if read is None:
            return None
        if read.marks_before:
            self._mark_before()
        self._out.append(read.text)
        self._went_over(text[: read.length])
        if read.begins_line:
            self._inline.line = self._inline.before = ""
        return read.length

    def _mark_before(self) -> None:
        """Make the character before count as a mark, without a change to how it looks."""
        before = self._inline.before[-1:]
        shown = self._out[-1] if self._out else ""
        if shown.endswith(before):
            self._out[-1] = shown[: -len(before)] + reference(before)
        elif not shown or shown[-1].isalnum():
            self._out.append(_BLANK_THAT_MARKS)

    def _end_line(self) -> int:
        line = self._inline.line
        self._blocks.end_line(line)
        self._out.append("\n")
        if line.startswith(":::"):  # with the lines below it, the renderer would make a box of it
            self._out.append(self._blocks.continuation().rstrip() + "\n")
            self._blocks.in_paragraph = False
        if self._blocks.in_table:
            self._inline.end_paragraph()
        self._in_line = False
        return 1


def escape_markdown(text: str) -> str:
    """The whole text, escaped. Linear in its length."""
    return MarkdownEscaper().finish(text)
