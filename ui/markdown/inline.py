"""One line of prose, token by token: what the renderer would take for markup of its own is written so that it is not.

Pure. Each reader looks at the text that has come and says what to show for how much of it; `None` means that more text
may change the answer.
"""

import re
from dataclasses import dataclass, field

from ui.markdown.blocks import Blocks
from ui.markdown.flanking import Flanks, reference
from ui.markdown.formulas import Formula, bracketed, dollars

SPECIAL = re.compile(r"[`\\:$~<!\[\]&*\u200b]|h(?=ttps?://|t{0,2}\Z|ttps?(?::/{0,2})?\Z)|w(?=ww\.|w{0,2}\Z)")

_CODE_LIMIT = 4_000
_LINK_LIMIT = 2_000
_EMPHASIS_LIMIT = 200
"""Longer ones are not waited for: the page shows their asterisks until they end."""
_TICKS = re.compile(r"`+")
_PARAGRAPH_END = re.compile(r"\n[ \t>]*(?:\n|#|[-*+] |\d{1,9}[.)] |```|~~~|\||[-:][-|: \t]*\n|=+\s*\n)")
_RUN = re.compile(r"\*+|~+")
_ADDRESS = re.compile(r"https?://[^\s<>\[\]`|\\\x80-\U0010ffff]{1,2000}")
_ADDRESS_BEGINS = re.compile(r"(?:h(?:t(?:t(?:p(?:s?(?::/{0,2})?)?)?)?)?|w{1,3})\Z")
_TRAILING = re.compile(r"[*_~.,:;!?'\"$&]+\Z")
_AUTOLINK = re.compile(r"<(?:(?:https?|mailto|ftp):[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>")
_AUTOLINK_BEGINS = re.compile(r"<[\w.+:/@?#&=%~,;!$'()*-]*\Z")
_INVISIBLE = re.compile(r"&(?:#0*8203|#[xX]0*200[bB]|ZeroWidthSpace|Negative(?:VeryThin|Thin|Medium|Thick)Space);")
_INVISIBLE_BEGINS = re.compile(r"&(?:#[xX]?[0-9bB]{0,9}|[ZN][A-Za-z]{0,22})?\Z")
_DESTINATION = r"\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)>?(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)"
_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\]" + _DESTINATION)
_BADGE = re.compile(r"\[!\[([^\]\n]{0,300})\]" + _DESTINATION + r"\]" + _DESTINATION)
_IMAGE_BEGINS = re.compile(r"\[?!?(?:\[[^\]\n]{0,300}(?:\](?:\([^)\n]*(?:\)(?:\](?:\([^)\n]*)?)?)?)?)?)?\Z")
_SCHEME = re.compile(r"\]\(\s*<?\s*([A-Za-z][A-Za-z0-9+.-]*):")
_SCHEME_BEGINS = re.compile(r"\](?:\(\s*<?\s*[A-Za-z0-9+.-]{0,40})?\Z")
_SAFE_SCHEMES = {"http", "https", "mailto", "tel"}


@dataclass(frozen=True, slots=True)
class Shown:
    """So many characters of the text, and how they are written."""

    length: int
    text: str
    begins_line: bool = False
    """Whether what follows stands at the beginning of a line."""
    marks_before: bool = False
    """Whether the character before has to be written as a reference."""


@dataclass(slots=True)
class Inline:
    """Reads a paragraph. What it has decided, the renderer is made to agree with."""

    blocks: Blocks
    before: str = ""
    """The two characters before the one that is read; fewer at the beginning of a line."""
    line: str = ""
    """The line so far, without its head."""
    _flanks: Flanks = field(default_factory=Flanks)
    _brackets: int = 0
    _ends_label: bool = False
    _has_formulas: bool = False

    def end_paragraph(self) -> None:
        self._flanks.end_paragraph()
        self._brackets = 0

    def read(self, text: str, *, is_whole: bool) -> Shown | None:
        """What to show for the special character that begins `text`."""
        match text[0]:
            case "`":
                return self._code(text, is_whole=is_whole)
            case "\\":
                return self._backslash(text, is_whole=is_whole)
            case "$":
                return self._dollar(text, is_whole=is_whole)
            case "*" | "~":
                return self._emphasis(text, is_whole=is_whole)
            case "h" | "w":
                return self._address(text, is_whole=is_whole)
            case "[" | "!":
                return self._image(text, is_whole=is_whole)
            case "]":
                return self._link_end(text, is_whole=is_whole)
            case _:
                return self._mark(text, is_whole=is_whole)

    def _mark(self, text: str, *, is_whole: bool) -> Shown | None:
        match text[0]:
            case ":":
                return self._colon(text, is_whole=is_whole)
            case "<":
                return self._angle(text, is_whole=is_whole)
            case "&":
                if not is_whole and _INVISIBLE_BEGINS.match(text):
                    return None
                found = _INVISIBLE.match(text)
                return Shown(found.end(), "") if found else Shown(1, "&")
            case _:
                return Shown(1, "")  # the renderer would show a cursor for it

    def _code(self, text: str, *, is_whole: bool) -> Shown | None:
        ticks = len(_TICKS.match(text)[0])  # type: ignore[index]  # it begins with one
        limit = _PARAGRAPH_END.search(text, ticks, _CODE_LIMIT)
        bound = limit.start() if limit else min(len(text), _CODE_LIMIT)
        closing = re.compile(rf"(?<!`)`{{{ticks}}}(?!`)").search(text, ticks, bound)
        is_open = not limit and len(text) < _CODE_LIMIT and not is_whole
        if is_open and (not closing or closing.end() == len(text)):
            return None
        if not closing:
            return Shown(ticks, "\\`" * ticks)
        code = text[: closing.end()]
        return Shown(len(code), self._in_cell(code) if self._is_row() else code)

    def _backslash(self, text: str, *, is_whole: bool) -> Shown | None:
        if len(text) == 1:
            return Shown(1, "\\\\") if is_whole else None
        found = bracketed(text, is_whole=is_whole)
        if isinstance(found, Formula):
            return self._formula(found, text, is_whole=is_whole)
        if found:
            return None
        if text[1] in "()":
            return Shown(2, "\\\\" + text[1])
        if text[1] == "[" and "\\]" not in text[:_LINK_LIMIT]:
            return Shown(2, "\\\\\\[")
        return Shown(1, "\\") if text[1] in "\n\u200b" or text[1].isalnum() else Shown(2, text[:2])

    def _dollar(self, text: str, *, is_whole: bool) -> Shown | None:
        found = dollars(text, self.before[-1:], is_whole=is_whole, has_formulas=self._has_formulas)
        if isinstance(found, Formula):
            return self._formula(found, text, is_whole=is_whole)
        if found:
            return None
        run = len(text) - len(text.lstrip("$"))
        return None if run == len(text) and not is_whole else Shown(run, "\\$" * run)

    def _formula(self, formula: Formula, text: str, *, is_whole: bool) -> Shown | None:
        """A formula in the line, or between two lines of the same block if it stands alone."""
        if self._is_row():
            shown = Shown(formula.length, formula.in_table())
        elif not formula.is_display or self.blocks.is_heading:
            shown = Shown(formula.length, formula.inline())
        else:
            rest = text[formula.length :]
            if not is_whole and not rest.strip(" \t"):
                return None
            blanks = len(rest) - len(rest.lstrip(" \t"))
            newline = "\n" + self.blocks.continuation()
            lines = newline.join(formula.lines())
            above = newline if self.line.strip() else ""
            if rest[blanks : blanks + 1] in {"\n", ""}:
                shown = Shown(formula.length + blanks, above + lines)
            else:
                shown = Shown(formula.length + blanks, above + lines + newline, begins_line=True)
        self._has_formulas = True
        return shown

    def _in_cell(self, code: str) -> str:
        """Code with its bars kept from ending the cell; the renderer takes the backslashes out again."""
        is_cell = self.blocks.in_table or "\n" not in code
        return code.replace("\\|", "|").replace("|", "\\|") if is_cell else code

    def _is_row(self) -> bool:
        return self.blocks.in_table or self.line.lstrip().startswith("|")

    def _emphasis(self, text: str, *, is_whole: bool) -> Shown | None:
        run = _RUN.match(text)[0]  # type: ignore[index]  # it begins with one
        if len(run) == len(text) and not is_whole:
            return None
        if run[0] == "~" and len(run) != 2:
            return Shown(len(run), "\\~" * len(run))
        after = text[len(run) : len(run) + 1]
        if not is_whole and self._flanks.begins(run, self.before[-1:], after) and _may_end_soon(run, text):
            return None
        match self._flanks.helps(run, self.before[-1:], after):
            case "after":
                return Shown(len(run) + 1, run + reference(after))
            case "before":
                return Shown(len(run), run, marks_before=True)
            case _:
                return Shown(len(run), run)

    def _address(self, text: str, *, is_whole: bool) -> Shown | None:
        """A web address, marked as one; its end is not left to the renderer, which would take words along."""
        if self.before[-1:].isascii() and self.before[-1:].isalnum():
            return Shown(1, text[0])
        found = _ADDRESS.match(text)
        is_open = found.end() == len(text) if found else _ADDRESS_BEGINS.match(text)
        if is_open and not is_whole and len(text) < _LINK_LIMIT:
            return None
        if text.startswith("www."):
            return Shown(4, "www\\.")  # so that it is linked after it was read, not as it is read
        address = _without_trailing(found[0]) if found else ""
        if not address or self._brackets:
            return Shown(1, text[0])
        is_destination = self._ends_label and self.before == "]("
        return Shown(len(address), address if is_destination else f"<{address.replace('&amp;', '&')}>")

    def _image(self, text: str, *, is_whole: bool) -> Shown | None:
        """An image as a link: the page may not fetch it. A bracket is only counted."""
        may_be_image = text[0] == "!" or text[1:2] in {"", "!"}
        if may_be_image and not is_whole and len(text) < _LINK_LIMIT and _IMAGE_BEGINS.match(text):
            return None
        text = text[:_LINK_LIMIT]
        if badge := _BADGE.match(text):
            return Shown(badge.end(), _link(badge[1] or badge[3], badge[3]))
        if image := _IMAGE.match(text):
            return Shown(image.end(), _link(image[1] or image[2], image[2]))
        if text[0] == "!":
            return Shown(1, "\\!" if text[1:2] == "[" else "!")
        self._brackets += 1
        return Shown(1, "[")

    def _link_end(self, text: str, *, is_whole: bool) -> Shown | None:
        if not is_whole and _SCHEME_BEGINS.match(text):
            return None
        self._ends_label = self._brackets > 0
        self._brackets = max(0, self._brackets - 1)
        scheme = _SCHEME.match(text)
        return Shown(1, "\\]" if scheme and scheme[1].lower() not in _SAFE_SCHEMES else "]")

    def _colon(self, text: str, *, is_whole: bool) -> Shown | None:
        if len(text) == 1 and not is_whole:
            return None
        after = text[1:2]
        return Shown(1, "\\:" if self.before[-1:] == "]" or after.isalpha() or after in {"_", "/"} else ":")

    def _angle(self, text: str, *, is_whole: bool) -> Shown | None:
        if not is_whole and len(text) < _LINK_LIMIT and _AUTOLINK_BEGINS.match(text):
            return None
        link = _AUTOLINK.match(text)
        return Shown(link.end(), link[0]) if link else Shown(1, "\\<")


def _may_end_soon(run: str, text: str) -> bool:
    """Whether an emphasis has not ended in the text, and the end, with what follows it, may be near."""
    inside = text[len(run) : len(run) + _EMPHASIS_LIMIT]
    if len(inside) == _EMPHASIS_LIMIT or "\n" in inside:
        return False
    mark = re.escape(run[0])
    return not re.search(rf"(?<!{mark}){mark}{{{len(run)}}}(?=[^{mark}])", inside)


def _without_trailing(address: str) -> str:
    """The address without what belongs to the sentence: closing brackets that it did not open, marks at its end."""
    depth = 0
    for at, character in enumerate(address):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            address = address[:at]
            break
    address = _TRAILING.sub("", address)
    return "" if address in {"http", "https", "http://", "https://"} else address


def _link(words: str, address: str) -> str:
    """A link if the address is one of the web, else its words alone."""
    plain = re.sub(r"([\\`*_\[\]<>$~:&!|])", r"\\\1", words)
    return f"[{plain}](<{address}>)" if address.startswith(("http://", "https://")) else plain
