"""Formulas in model text: what is one, what only looks like one, and how the renderer is told. Pure."""

import re
from dataclasses import dataclass

MAX_INLINE = 600
MAX_DISPLAY = 6_000

_BLANK_LINE = re.compile(r"\n[ \t>]*\n")
_CONTINUATION = re.compile(r"\n[ \t>]*")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_ENVIRONMENT = re.compile(r"\\begin\{((?:equation|align|alignat|gather|multline|eqnarray)\*?)\}")
_ENVIRONMENT_BEGINS = re.compile(r"\\(?:b(?:e(?:g(?:i(?:n(?:\{[a-z]*\*?)?)?)?)?)?)?\Z")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{4,}")
_MARKS = re.compile(r"[\\^_=<>+*/|{}]|(?<![A-Za-z0-9])[A-Za-z]\d?(?![A-Za-z0-9])|\d[ac-jln-z](?![A-Za-z0-9])|[a-z]\(")
_MONEY = re.compile(r"\d[\d.,]*(?:\s*/?\s*[A-Za-z]{2,}|[kKmMbB](?=\W)|[.,;:]?\s+(?=[^\s\-+=<>*/\\^]))")
_BEGINS_WELL = re.compile(r"[\\A-Za-z0-9(\[{|+\-<>=]|\Z|[^\x00-\x7f]")
_ENDS_WELL = re.compile(r"[\w)\]}|!'*+%°′]\Z")
_NUMBER = re.compile(r"-?\d[\d.,]*\Z")
_AFTER = re.compile(r"(?:th|st|nd|rd)\b|[^A-Za-z0-9$]|\Z")
_MAY_STAND_BEFORE = re.compile(r"[\s(\[{\"'“‘（【《「—–\-*_~,.:;|>=/，。、：；！？）】》」]|[^\x00-\x7f]|\Z")


@dataclass(frozen=True, slots=True)
class Formula:
    """TeX on one line, whether it stands on a line of its own, and how many characters of the text it took."""

    tex: str
    is_display: bool
    length: int

    def inline(self) -> str:
        """As the renderer reads it within a line."""
        fence = "$" * (_longest_run(self.tex) + 1)
        gap = " " if "$" in (self.tex[0], self.tex[-1]) else ""
        return f"{fence}{gap}{self.tex}{gap}{fence}"

    def lines(self) -> list[str]:
        """As the renderer reads it in lines of its own."""
        fence = "$" * max(2, _longest_run(self.tex) + 1)
        return [fence, self.tex, fence]

    def in_table(self) -> str:
        """Within a cell, where a bar would end it."""
        tex = self.tex.replace("\\|", "\\Vert ").replace("|", "\\vert ").strip()
        return Formula(f"\\displaystyle {tex}" if self.is_display else tex, False, 0).inline()


def _longest_run(tex: str) -> int:
    return max((len(run) for run in re.findall(r"\$+", tex)), default=0)


def bracketed(text: str, *, is_whole: bool) -> Formula | bool:
    r"""The formula that begins with `\(`, `\[` or `\begin{…}`; False: there is none, True: more text may show one."""
    if environment := _ENVIRONMENT.match(text):
        closing = f"\\end{{{environment[1]}}}"
        return _between(text, 0, closing, MAX_DISPLAY, is_whole=is_whole, is_display=True, keeps=True)
    if not is_whole and _ENVIRONMENT_BEGINS.match(text):
        return True
    if text.startswith("\\("):
        return _between(text, 2, "\\)", MAX_INLINE, is_whole=is_whole, is_display=False)
    if not text.startswith("\\["):
        return False
    found = _between(text, 2, "\\]", MAX_DISPLAY, is_whole=is_whole, is_display=True)
    if not isinstance(found, Formula) or "\n" in text[: found.length]:
        return found
    if found.length == len(text) and not is_whole:
        return True
    if not _MARKS.search(found.tex) or text[found.length : found.length + 1] == "(":
        return False  # escaped brackets, as in \[1\], \[sic\] or \[a\](b)
    return found


def dollars(text: str, before: str, *, is_whole: bool, has_formulas: bool) -> Formula | bool:
    """The formula that begins with `$` or `$$`, after the character `before`; False: it is money or a variable."""
    if text.startswith("$$"):
        if text[2:3] in {"$", ""}:
            return text[2:3] == "" and not is_whole
        found = _between(text, 2, "$$", MAX_DISPLAY, is_whole=is_whole, is_display=True)
        return found if not isinstance(found, Formula) or _MARKS.search(found.tex) or has_formulas else False
    return _single(text, before, is_whole=is_whole, has_formulas=has_formulas)


def _single(text: str, before: str, *, is_whole: bool, has_formulas: bool) -> Formula | bool:
    end = text.find("$", 1)
    inside = text[1 : end if end > 0 else MAX_INLINE]
    if not _MAY_STAND_BEFORE.match(before) or not _BEGINS_WELL.match(inside) or "\n" in inside:
        return False
    if _MONEY.match(inside) or _is_prose(inside):
        return False
    if end < 0:
        return not is_whole and len(inside) < MAX_INLINE
    if not is_whole and end + 3 >= len(text):
        return True  # what follows has a say
    if not _ENDS_WELL.search(inside) or not _AFTER.match(text, end + 1) or not _is_balanced(inside):
        return False
    is_tex = has_formulas if _NUMBER.match(inside) else _MARKS.search(inside)
    return Formula(inside, False, end + 1) if is_tex else False


def _is_balanced(inside: str) -> bool:
    return all(inside.count(opening) == inside.count(closing) for opening, closing in ("()", "{}"))


def _is_prose(inside: str) -> bool:
    word = _PROSE.search(inside)
    return word is not None and "\\" not in inside[: word.start()]


def _between(
    text: str, start: int, closing: str, limit: int, *, is_whole: bool, is_display: bool, keeps: bool = False
) -> Formula | bool:
    """What stands up to `closing`, on one line. `keeps`: the markers belong to it."""
    end = text.find(closing, start, start + limit)
    while end > start and closing[0] == "$" and text[end - 1] == "\\":
        end = text.find(closing, end + 1, start + limit)
    inside = text[start : end if end >= 0 else start + limit]
    if not is_display and _BLANK_LINE.search(inside):
        return False
    if end < 0:
        return not is_whole and len(inside) < limit
    length = end + len(closing)
    body = text[:length] if keeps else inside
    tex = _CONTINUATION.sub(" ", _COMMENT.sub("", body.replace("\u200b", ""))).strip()
    return Formula(tex, is_display, length) if tex else False
