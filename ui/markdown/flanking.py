"""Emphasis next to Chinese: CommonMark's rule fails where no space stands between words. Pure.

A run of `*` or `~~` may close only if what precedes it is no punctuation, or punctuation follows. In `**“中文”**后面`
neither holds, so a neighbour is written as a character reference: the same letter, and punctuation to the rule.
"""

import re
import unicodedata

_CJK = re.compile(r"[\u1100-\u11ff\u2018-\u201f\u2026\u2014\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]")  # fmt: skip # noqa: E501


def is_cjk(character: str) -> bool:
    """Whether it is a Chinese, Japanese or Korean letter or mark."""
    return bool(_CJK.match(character))


def reference(character: str) -> str:
    """The character as a numeric character reference."""
    return f"&#{ord(character)};"


class Flanks:
    """The emphasis that is open in a paragraph."""

    def __init__(self) -> None:
        self._open: set[str] = set()

    def end_paragraph(self) -> None:
        self._open.clear()

    def helps(self, run: str, before: str, after: str) -> str:
        """Which neighbour has to be written as a reference for the run to count: "before", "after" or "" for none."""
        closes = not _is_space(before) and (not _is_mark(before) or _is_space(after) or _is_mark(after))
        if run in self._open and (closes or (_is_cjk_near(before, after) and not _is_space(before))):
            self._open.discard(run)
            return "" if closes else "after"
        if _may_open(before, after):
            self._open.add(run)
            return "" if _opens(before, after) else "before"
        return ""

    def begins(self, run: str, before: str, after: str) -> bool:
        """Whether the run begins an emphasis, as none like it is open."""
        return run not in self._open and _may_open(before, after)


def _may_open(before: str, after: str) -> bool:
    return _opens(before, after) or (_is_cjk_near(before, after) and not _is_space(after))


def _is_cjk_near(before: str, after: str) -> bool:
    return is_cjk(before) or is_cjk(after)


def _opens(before: str, after: str) -> bool:
    return not _is_space(after) and (not _is_mark(after) or _is_space(before) or _is_mark(before))


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "PS"
