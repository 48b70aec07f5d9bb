"""Finds where a bracketed value ends, while its text arrives. Knows quotes and comments, not what they hold."""

import re

from agents.lenient_json import INSIDE, QUOTES

_OPENERS = frozenset("{[(｛［（")
_CLOSERS = frozenset("}])｝］）")
_PLAIN = re.compile(r"[^\"'`“”„«‘「『{}\[\]()（）｛｝［］/]*+")
_OPENS_AFTER = frozenset("{[(｛［（,，:：=")

MAX_BRACKETS_AND_STRINGS = 20_000
"""A value with more is refused; tool arguments never come near it, and it bounds the time a hostile reply can take."""


class TooManyBrackets(ValueError):
    """The value has more brackets and strings than arguments of a tool can have."""


class BracketScanner:
    """Feed it text that begins with a bracket until it says where the matching bracket is."""

    def __init__(self) -> None:
        self._depth = 0
        self._found = 0
        self._close = ""
        """What ends the string or comment that we are in."""
        self._carried = ""
        self._before = ""
        """The last character that was not blank."""

    @property
    def is_in_string(self) -> bool:
        """Whether the text so far ends inside a string or a comment."""
        return bool(self._close) and self._carried[-1:] != self._close

    def feed(self, text: str) -> int | None:
        """The number of characters of `text` that still belong to the value if it ends here, else None."""
        carried = len(self._carried)
        text, at = self._carried + text, 0
        while at < len(text):
            step = self._in_string(text, at) if self._close else self._outside(text, at)
            if step is None:
                break
            at = step
            if self._found and self._depth == 0:
                return at - carried
        is_context = at and self._close == "'" and text[at - 1].isalnum()
        self._carried = text[at - 1 if is_context else at :]
        return None

    def _outside(self, text: str, start: int) -> int | None:
        at = self._skip(_PLAIN, text, start)
        if at > start or at == len(text):
            return at
        character = text[at]
        if character == "/":
            return self._comment(text, at)
        self._count()
        if character in _OPENERS:
            self._depth += 1
        elif character in _CLOSERS:
            self._depth -= 1
        else:
            return self._open_string(text, at)
        self._before = character
        return at + 1

    def _open_string(self, text: str, at: int) -> int | None:
        quote = text[at]
        if quote == "'" and self._before not in _OPENS_AFTER:
            return at + 1
        if quote in "\"'":
            opening = text[at : at + 3]
            if len(opening) < 3 and not opening.strip(quote):
                return None
            if opening == quote * 3:
                self._close = opening
                return at + 3
        self._close = QUOTES[quote]
        return at + 1

    def _comment(self, text: str, at: int) -> int | None:
        if at + 1 == len(text):
            return None
        self._close = {"*": "*/", "/": "\n"}.get(text[at + 1], "")
        if self._close:
            self._count()
        return at + (2 if self._close else 1)

    def _in_string(self, text: str, start: int) -> int | None:
        if self._close in {"*/", "\n"}:
            return self._in_comment(text, start)
        at = self._skip(INSIDE[self._close[0]], text, start)
        if at > start:
            return at
        if text[at] == "\\":
            return None
        if len(self._close) == 3:
            return self._close_triple(text, at)
        if self._close == "'" and at + 1 == len(text) and at and text[at - 1].isalnum():
            return None
        self._close, self._before = "", text[at]
        return at + 1

    def _close_triple(self, text: str, at: int) -> int | None:
        closing = text[at : at + 3]
        if closing == self._close:
            self._close, self._before = "", closing[0]
            return at + 3
        if len(closing) < 3 and not closing.strip(self._close[0]):
            return None
        self._count()
        return at + 1

    def _in_comment(self, text: str, at: int) -> int | None:
        end = text.find(self._close, at)
        if end >= 0:
            end += len(self._close)
            self._close = ""
            return end
        if self._close != "*/" or not text.endswith("*"):
            return len(text)
        return None if at == len(text) - 1 else len(text) - 1

    def _skip(self, pattern: re.Pattern[str], text: str, at: int) -> int:
        found = pattern.match(text, at)
        end = found.end() if found else at
        skipped = text[at:end].rstrip()
        self._before = skipped[-1:] or self._before
        return end

    def _count(self) -> None:
        self._found += 1
        if self._found > MAX_BRACKETS_AND_STRINGS:
            raise TooManyBrackets
