"""Model text made safe for Chainlit's Markdown renderer, whole or as it streams. Pure: knows no steps and no sockets.

The renderer reads `:name` as a directive and drops it from the page (`key:value` becomes `key`). So a colon before a
letter is escaped, except in code, where the backslash would be seen.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_QUOTE_OR_LIST = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
_FENCE = re.compile(_QUOTE_OR_LIST + r"(`{3,}|~{3,})")
_MAYBE_FENCE = re.compile(_QUOTE_OR_LIST + r"(?:[-*+]|\d{1,9}[.)]?|`+|~+)?\Z")
_TOKEN = re.compile(r"\\?(`+)|\\[^`]|:(?=[A-Za-z_])", re.DOTALL)
_UNFINISHED = re.compile(r"\\*(?:`+|:)\Z|\\+\Z")
_ESCAPED_COLON = "\\:"


@dataclass(slots=True)
class _Fence:
    """Knows line by line whether the text is inside a fenced code block."""

    marks: str = ""

    def takes(self, line: str) -> bool:
        """Whether the line is a fence or inside one."""
        match = _FENCE.match(line)
        if not self.marks:
            self.marks = match[1] if match and not (match[1][0] == "`" and "`" in line[match.end() :]) else ""
            return bool(self.marks)
        if match and match[1].startswith(self.marks) and not line[match.end() :].strip():
            self.marks = ""
        return True


@dataclass(slots=True)
class MarkdownEscaper:
    """Escapes a text that arrives in pieces: what `feed` returns, joined with `finish`, is what can be shown.

    An opening backtick is taken to find its closing one; `escape_markdown` on the whole text knows better.
    """

    _fence: _Fence = field(default_factory=_Fence)
    _held: str = ""
    _in_line: bool = False
    _ticks: int = 0

    def feed(self, text: str) -> str:
        """The part that can be shown now. Kept back is a line's head that may be a fence, or an unfinished token."""
        pieces = re.split(r"(?<=\n)", self._held + text)
        self._held = ""
        return "".join(self._take(piece) for piece in pieces if piece)

    def finish(self) -> str:
        """What was kept back, at the end of the text."""
        held, self._held = self._held, ""
        return self._escaped(held) if held else ""

    def _take(self, piece: str) -> str:
        if piece.endswith("\n"):
            return self._escaped(piece)
        if not self._in_line and _MAYBE_FENCE.match(piece):
            self._held = piece
            return ""
        tail = _UNFINISHED.search(piece)
        cut = tail.start() if tail else len(piece)
        self._held = piece[cut:]
        return self._escaped(piece[:cut]) if cut else ""

    def _escaped(self, piece: str) -> str:
        begins = not self._in_line
        self._in_line = not piece.endswith("\n")
        if self._fence.marks and not begins:
            return piece
        if begins and self._fence.takes(piece):
            return piece
        if begins and not piece.strip():
            self._ticks = 0
        return _TOKEN.sub(self._escaped_token, piece)

    def _escaped_token(self, match: re.Match[str]) -> str:
        if run := _run_length(match, in_code=bool(self._ticks)):
            self._ticks = 0 if self._ticks == run else self._ticks or run
        return _ESCAPED_COLON if match[0] == ":" and not self._ticks else match[0]


def _run_length(token: re.Match[str], *, in_code: bool) -> int:
    """How many backticks the token counts; a backslash takes one away, but not in code."""
    escaped = token[0][0] == "\\" and not in_code
    return len(token[1] or "") - (1 if token[1] and escaped else 0)


def escape_markdown(text: str) -> str:
    """The whole text, escaped. Linear in its length."""
    return "".join(block if is_code else _escape_paragraph(block) for is_code, block in _blocks(text))


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """The text as (is code, block) in order; a block of prose is a paragraph with the blank line that ends it."""
    fence, lines = _Fence(), list[str]()
    for line in re.split(r"(?<=\n)", text):
        is_code = fence.takes(line)
        if not is_code:
            lines.append(line)
        if lines and (is_code or not line.strip()):
            yield False, "".join(lines)
            lines.clear()
        if is_code:
            yield True, line
    yield False, "".join(lines)


def _escape_paragraph(text: str) -> str:
    """One paragraph, with its code spans left alone. A run of backticks without a partner is text."""
    tokens = list(_TOKEN.finditer(text))
    last_run = {len(token[1]): token.start() for token in tokens if token[1]}
    out, at, ticks = [], 0, 0
    for token in tokens:
        run = _run_length(token, in_code=bool(ticks))
        if run and (ticks == run or (not ticks and last_run.get(run, -1) > token.start())):
            ticks = 0 if ticks else run
        if token[0] == ":" and not ticks:
            out += [text[at : token.start()], _ESCAPED_COLON]
            at = token.end()
    return "".join(out) + text[at:]
