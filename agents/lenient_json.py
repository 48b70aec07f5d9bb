"""JSON as models write it, read exactly or not at all. Knows nothing of tools or replies.

What is mended has one reading only: quotes of other scripts, full-width punctuation, comments, unquoted keys, Python's
constants, raw line breaks, a superfluous or a missing comma. Whatever could be read in two ways is refused.
"""

import json
import re
from typing import Any

_BLANK = re.compile(r"(?:\s++|/\*.*?\*/|//[^\n]*+|\#[^\n]*+)*+", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?(?![\w.])")
_BARE_KEY = re.compile(r"[^\W\d][\w\-]*+")
_BARE_VALUE = re.compile(r"[^\s,，:：=\"'“”{}\[\]()（）｛｝［］](?:[^,，:：=\"'“”{}\[\]()（）｛｝［］\n]*+)")
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "『": "』"}
INSIDE = {close: re.compile(rf"(?:[^\\{close}]++|\\.)*+", re.DOTALL) for close in QUOTES.values()}
INSIDE["'"] = re.compile(r"(?:[^\\']++|\\.|(?<=[^\W_])'(?=[^\W_]))*+", re.DOTALL)
"""An apostrophe between two letters is none of the quotes: `'king's road'`."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"', "'": "'"}
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_CLOSING = {"{": "}｝", "｛": "}｝", "[": "]］", "［": "]］", "(": ")）", "（": ")）"}
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4})++|\\.", re.DOTALL)
_MAX_DEPTH = 40
_MAX_VALUES = 20_000


class NotReadable(ValueError):
    """The text has no reading, or more than one. The message says where it went wrong."""


def read_value(text: str, *, may_lack_closers: bool = False) -> tuple[Any, bool]:
    """The value that `text` is, all of it, and whether its structure had to be mended.

    `may_lack_closers` accepts that closing brackets are missing at the very end.
    """
    try:
        return json.loads(text, strict=False, object_pairs_hook=_unique), False
    except (ValueError, RecursionError):
        reader = _Reader(text, may_lack_closers=may_lack_closers)
        value = reader.value(0)
        reader.expect_end()
        return value, reader.is_mended


def read_call(text: str) -> tuple[list[Any], dict[str, Any]]:
    """The positional and the named arguments of `(...)`, as in a call of a function; without the brackets too."""
    reader = _Reader(text if text[:1] in {"(", "（"} else f"({text})", may_lack_closers=False)
    arguments = reader.call()
    reader.expect_end()
    return arguments


class _Reader:
    def __init__(self, text: str, *, may_lack_closers: bool) -> None:
        self._text = text
        self._at = 0
        self._values = 0
        self._may_lack_closers = may_lack_closers
        self.is_mended = False

    def value(self, depth: int) -> Any:
        self._values += 1
        if depth > _MAX_DEPTH or self._values > _MAX_VALUES:
            raise NotReadable("it is nested too deeply or too long")
        character = self._peek()
        if character in {"{", "｛"}:
            return self._object(depth)
        if character in {"[", "［"}:
            return self._array(depth)
        return self._string() if character in QUOTES else self._bare_value()

    def call(self) -> tuple[list[Any], dict[str, Any]]:
        closing = _CLOSING[self._take()]
        positional: list[Any] = []
        named: dict[str, Any] = {}
        while not self._closes(closing):
            key = self._named_argument()
            if key is None:
                positional.append(self._positional())
            else:
                self._put(named, key, self.value(1))
            self._comma(closing)
        return positional, named

    def _positional(self) -> Any:
        is_bare = self._peek() not in QUOTES
        value = self.value(1)
        if is_bare and isinstance(value, str):
            raise NotReadable(f"{value!r} is not in quotes")
        return value

    def expect_end(self) -> None:
        if self._peek():
            raise NotReadable(f"unexpected text at {self._text[self._at : self._at + 20]!r}")

    def _object(self, depth: int) -> dict[str, Any]:
        closing = _CLOSING[self._take()]
        found: dict[str, Any] = {}
        while not self._closes(closing):
            key = self._key()
            if self._peek() not in {":", "：", "="}:
                raise NotReadable(f'no colon after {key!r}; double quotes inside a string must be written as \\"')
            self._at += 1
            self._put(found, key, self.value(depth + 1))
            self._comma(closing, or_key=True)
        return found

    def _array(self, depth: int) -> list[Any]:
        closing = _CLOSING[self._take()]
        found = []
        while not self._closes(closing):
            found.append(self.value(depth + 1))
            self._comma(closing)
        return found

    def _closes(self, closing: str) -> bool:
        character = self._peek()
        if character and character in closing:
            self._at += 1
            return True
        if not character:
            if not self._may_lack_closers:
                raise NotReadable("it is cut off")
            self.is_mended = True
            return True
        return False

    def _comma(self, closing: str, *, or_key: bool = False) -> None:
        character = self._peek()
        if character in {",", "，"}:
            self._at += 1
        elif character and character not in closing:
            if not or_key:
                raise NotReadable(f"no comma before {self._text[self._at : self._at + 20]!r}")
            self.is_mended = True

    def _key(self) -> str:
        if self._peek() in QUOTES:
            return self._string()
        found = _BARE_KEY.match(self._text, self._at)
        if found is None:
            raise NotReadable(f"no key at {self._text[self._at : self._at + 20]!r}")
        self._at = found.end()
        return found.group()

    def _named_argument(self) -> str | None:
        self._peek()
        found = re.compile(r"([^\W\d]\w*+)\s*+[=:：](?!=)").match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[1]

    @staticmethod
    def _put(found: dict[str, Any], key: str, value: Any) -> None:
        if key in found:
            raise NotReadable(f"{key!r} is given twice")
        found[key] = value

    def _bare_value(self) -> Any:
        if number := _NUMBER.match(self._text, self._at):
            self._at = number.end()
            return json.loads(number.group())
        found = _BARE_VALUE.match(self._text, self._at)
        if found is None:
            raise NotReadable(f"no value at {self._text[self._at : self._at + 20]!r}")
        self._at = found.end()
        word = found.group().strip()
        return _CONSTANTS.get(word.lower(), word)

    def _string(self) -> str:
        quote = self._text[self._at]
        triple = quote * 3
        if quote in "\"'" and self._text.startswith(triple, self._at):
            return self._triple_quoted(triple)
        self._at += 1
        return self._until(QUOTES[quote])

    def _triple_quoted(self, triple: str) -> str:
        end = self._text.find(triple, self._at + 3)
        raw = self._text[self._at + 3 : end]
        if end < 0 or any(raw[at + 1 : at + 2] in _ESCAPES for at in _backslashes(raw)):
            raise NotReadable("a string in triple quotes holds backslashes; write it as a JSON string")
        self._at = end + 3
        return raw.removeprefix("\n").removesuffix("\n")

    def _until(self, close: str) -> str:
        inside = INSIDE[close].match(self._text, self._at)
        raw = inside.group() if inside else ""
        self._at += len(raw) + 1
        if self._at > len(self._text):
            raise NotReadable("a string is not closed")
        return _ESCAPED.sub(_unescaped, raw)

    def _peek(self) -> str:
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        self._at += 1
        return self._text[self._at - 1]


def _backslashes(text: str) -> list[int]:
    return [found.start() for found in re.finditer(r"\\", text)]


def _unescaped(found: re.Match[str]) -> str:
    """A backslash that JSON gives no meaning, as in `\\d`, stands for itself."""
    escape = found.group()
    if len(escape) > 2:
        return str(json.loads(f'"{escape}"'))
    return _ESCAPES.get(escape[1], escape)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotReadable("a key is given twice")
    return found
