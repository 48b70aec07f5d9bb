"""Where a line stands: in which quotes and lists, in code or in prose. Pure; reads CommonMark's block structure."""

import re
from dataclasses import dataclass, field

_QUOTE = re.compile(r" {0,3}>[ \t]?")
_ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|(?=\n)|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})([^\n]*)")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}(?:\n|\Z)")
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t\n]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*(?:\n|\Z)")
_UNDECIDED = re.compile(r"[-*+_=#~>.)0-9 \t]*`{0,2}\Z")
_FENCE_BEGINS = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3,}|~{3,})[^\n]*\Z")
MAX_HEAD = 400
MATH_FENCE = re.compile(r"(\A *(?:`{3,}|~{3,}) *)math\b")


@dataclass(slots=True)
class Head:
    """How a line begins: `length` characters, to be shown as `shown`; the rest of the line is code or prose."""

    length: int
    shown: str
    is_code: bool = False
    continues: bool = False
    """Whether the line goes on with a paragraph."""


@dataclass(slots=True)
class Blocks:
    """Knows after each line what the next one continues. A list item is its content's indent, a quote is 0."""

    containers: list[int] = field(default_factory=list)
    in_paragraph: bool = False
    in_table: bool = False
    is_heading: bool = False
    fence: str = ""

    def continuation(self) -> str:
        """What a further line of the same block has to begin with."""
        return "".join("> " if width == 0 else " " * width for width in self.containers)

    def head(self, text: str, *, is_whole: bool) -> Head | None:
        """The head of the line that begins `text`; None if more text may change it."""
        end = text.find("\n")
        line = text[: end + 1] if end >= 0 else text
        if end < 0 and not is_whole and len(line) < MAX_HEAD and self._is_undecided(line):
            return None
        depth, at = self._matched(line)
        if self.fence and depth == len(self.containers):
            return self._in_fence(line, at)
        self.fence = ""
        return self._opened(line, depth, at)

    def _is_undecided(self, line: str) -> bool:
        if self.fence:
            return not line.strip(" \t>`~")
        return bool(_UNDECIDED.match(line) or _FENCE_BEGINS.match(line))

    def end_line(self, line: str) -> None:
        """The line has ended. `line` is its text without the head."""
        if self.is_heading:
            self.in_paragraph = self.is_heading = False
        elif self.in_paragraph and _is_delimiter_row(line):
            self.in_table = True

    def _matched(self, line: str) -> tuple[int, int]:
        """How many containers the line continues, and where their marks end."""
        at = 0
        for depth, width in enumerate(self.containers):
            if width == 0:
                if not (quote := _QUOTE.match(line, at)):
                    return depth, at
                at = quote.end()
            elif line[at:].strip():
                if (indented := _skip_columns(line, at, width)) is None:
                    return depth, at
                at = indented
        return len(self.containers), at

    def _in_fence(self, line: str, at: int) -> Head:
        closing = _FENCE.match(line, at)
        if closing and closing[1].startswith(self.fence) and not closing[2].strip():
            self.fence = ""
        return Head(0, "", is_code=True)

    def _opened(self, line: str, depth: int, at: int) -> Head:
        """Open what the line opens; its leaf decides what the rest is."""
        goes_on = self.in_paragraph and depth == len(self.containers)
        continues = goes_on and not self.in_table
        begin = at
        containers = self.containers[:depth]
        while True:
            if quote := _QUOTE.match(line, at):
                containers.append(0)
                at, continues = quote.end(), False
            elif item := self._item(line, at, continues=continues):
                containers.append(item)
                at, continues = at + item, False
                at = min(at, len(line.rstrip("\n")))
            else:
                break
        self.in_table = self.in_table and goes_on and at == begin
        is_lazy = self.in_paragraph and depth < len(self.containers) and at == begin and not _interrupts(line, at)
        if is_lazy and line[at:].strip():
            continues = True
        else:
            self.containers = containers
        return self._leaf(line, at, continues=continues)

    def _item(self, line: str, at: int, *, continues: bool) -> int:
        """The width of a list item's mark that begins here, or 0."""
        item = _ITEM.match(line, at)
        if not item or _RULE.match(line, at):
            return 0
        is_empty = not line[item.end() :].strip()
        if continues and (is_empty or item[2][:-1] not in {"", "1"}):
            return 0
        marks = len(item[1]) + len(item[2])
        return marks + 1 if is_empty or len(item[3].expandtabs(4)) > 4 else marks + len(item[3])

    def _leaf(self, line: str, at: int, *, continues: bool) -> Head:
        rest = line[at:]
        if not rest.strip():
            self.in_paragraph = self.in_table = False
            return Head(at, line[:at])
        if not continues and rest.expandtabs(4).startswith("    "):
            self.in_paragraph = self.in_table = False
            return Head(at, line[:at], is_code=True)
        if fence := _FENCE.match(rest):
            self.fence, self.in_paragraph, self.in_table = fence[1], False, False
            return Head(len(line), line[:at] + MATH_FENCE.sub(r"\1latex", rest), is_code=True)
        if continues and (underline := _UNDERLINE.match(rest)):
            return self._underline(line, at, underline[1])
        if _RULE.match(rest):
            self.in_paragraph = self.in_table = False
            return Head(len(line), line, is_code=True)
        heading = _HEADING.match(rest)
        self.in_paragraph, self.is_heading = True, bool(heading)
        length = at + (heading.end() if heading else len(rest) - len(rest.lstrip(" \t")))
        return Head(length, line[:length], continues=continues)

    def _underline(self, line: str, at: int, marks: str) -> Head:
        """A line that would make a heading of the lines above it: a rule, or the marks themselves."""
        if len(marks) >= 3 and marks[0] == "-":
            self.in_paragraph = False
            return Head(len(line), self.continuation().rstrip() + "\n" + line, is_code=True)
        begin = line.index(marks[0], at)
        return Head(begin + 1, line[:begin] + "\\" + marks[0], continues=True)


def _interrupts(line: str, at: int) -> bool:
    """Whether the line cannot be the lazy continuation of a paragraph."""
    return any(pattern.match(line, at) for pattern in (_FENCE, _RULE, _HEADING))


def _skip_columns(line: str, at: int, width: int) -> int | None:
    """Where `width` columns of blanks end, or None if there are fewer."""
    columns = 0
    while columns < width:
        if line[at : at + 1] not in {" ", "\t"}:
            return None
        columns += 4 - columns % 4 if line[at] == "\t" else 1
        at += 1
    return at


def _is_delimiter_row(line: str) -> bool:
    return "|" in line and "-" in line and not line.strip(" \t|:-\n")
