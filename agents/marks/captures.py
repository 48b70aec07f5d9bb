"""Collect text that must be whole before it can be read: a bracketed value, a fenced block, a call in tags."""

import re

from agents.marks.scanner import BracketScanner

NAMESPACE = r"(?:[|｜‖∣]{0,2}DSML[|｜‖∣]{1,2}|\w{1,12}:)?"
_CLOSING = rf"</{NAMESPACE}(?:invoke|function|function_call|tool_call)>"
_BODY = re.compile(
    rf"(?P<json>[{{｛])|(?P<parameters><arg_key>|<{NAMESPACE}parameter[ =])"
    rf"|(?P<end>{_CLOSING}|<[|｜‖∣]tool[▁_ ]call[▁_ ]end[|｜‖∣]>)",
    re.IGNORECASE,
)
_VALUE_OR_END = re.compile(
    rf"(?P<value><(?P<slash>/?){NAMESPACE}(?:arg_value>|parameter[ =>]))|(?P<end>{_CLOSING})", re.IGNORECASE
)
_LONGEST_TAG = 40
_ONLY_LANGUAGE = re.compile(r"[ \t]*[\w+.\-]*[ \t]*")
_LANGUAGE = re.compile(r"\s*(json5?|python3?|py|yaml|text|tool_input)(?=[\s{\[(]|$)", re.IGNORECASE)
_MAX_HEADER = 2_000


class BracketCapture:
    """From an opening bracket to the one that matches."""

    def __init__(self) -> None:
        self.is_complete = False
        self._scanner = BracketScanner()
        self._pieces: list[str] = []

    def feed(self, text: str) -> str | None:
        end = self._scanner.feed(text)
        self._pieces.append(text[:end])
        if end is None:
            return None
        self.is_complete = True
        return text[end:]

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def lacks_only_closers(self) -> bool:
        """Whether nothing but closing brackets can be missing: the last value is closed itself."""
        return not self._scanner.is_in_string and self.text.rstrip()[-1:] in {'"', "”", "}", "]"}


class FenceCapture:
    """From just after `opening`, a fence, to the closing one. `text` is without the language and the fences.

    The closing one stands at the start of a line, indented no more than the opening one, or in the very line of that.
    """

    def __init__(self, opening: str = "```") -> None:
        self.is_complete = False
        indent = len(opening.strip("\n")) - len(opening.strip())
        self._fence = opening.strip()
        self._close = re.compile(rf"\n[ \t]{{0,{indent}}}{re.escape(self._fence)}")
        self._longest = 1 + indent + len(self._fence)
        self._is_first_line = True
        self._pieces: list[str] = []
        self._tail = ""

    def feed(self, text: str) -> str | None:
        window = self._tail + text
        start, end = self._found_in(window)
        if end:
            self.is_complete = True
            self._tail = ""
            self._pieces.append(window[:start])
            return window[end:]
        cut = max(0, len(window) - self._longest)
        self._pieces.append(window[:cut])
        self._tail = window[cut:]
        return None

    def _found_in(self, window: str) -> tuple[int, int]:
        """Where the closing fence begins and ends, or zeros."""
        if self._is_first_line:
            line = window.find("\n")
            start = window.find(self._fence, 0, line if line >= 0 else len(window))
            self._is_first_line = line < 0
            if start >= 0:
                return start, start + len(self._fence)
        found = self._close.search(window)
        return found.span() if found else (0, 0)

    @property
    def language(self) -> str:
        """What stands behind the opening fence, in lower case."""
        return self._language_and_text()[0]

    @property
    def text(self) -> str:
        return self._language_and_text()[1]

    def _language_and_text(self) -> tuple[str, str]:
        whole = "".join([*self._pieces, self._tail])
        first, line, rest = whole.partition("\n")
        if line and _ONLY_LANGUAGE.fullmatch(first):
            return first.strip().lower(), rest
        found = _LANGUAGE.match(first)
        language, text = (found[1].lower(), whole[found.end() :]) if found else ("", whole.lstrip(self._fence[0]))
        return language, text.strip(" \t")


class TagCapture:
    """Parameters in tags of their own, up to the tag that closes the call; inside a value that tag is text."""

    def __init__(self) -> None:
        self.is_complete = False
        self._is_in_value = False
        self._pieces: list[str] = []
        self._tail = ""

    def feed(self, text: str) -> str | None:
        window, at = self._tail + text, 0
        for found in _VALUE_OR_END.finditer(window):
            if found["value"]:
                self._is_in_value = not found["slash"]
                at = found.end()
            elif not self._is_in_value:
                self.is_complete = True
                self._pieces.append(text[: found.end() - len(self._tail)])
                return window[found.end() :]
        self._pieces.append(text)
        self._tail = window[max(at, len(window) - _LONGEST_TAG) :]
        return None

    @property
    def text(self) -> str:
        return "".join(self._pieces)


class MarkupCapture:
    """A tool call in a model's own notation: a header that names the tool, and a body, JSON or tags."""

    def __init__(self) -> None:
        self.is_complete = False
        self.header = ""
        self.body: BracketCapture | TagCapture | None = None

    def feed(self, text: str) -> str | None:
        if self.body is None:
            self.header += text
            found = _BODY.search(self.header)
            if found is None:
                self.is_complete = len(self.header) > _MAX_HEADER
                return "" if self.is_complete else None
            text, self.header = self.header[found.start() :], self.header[: found.start()]
            self.body = BracketCapture() if found["json"] else TagCapture()
        left = self.body.feed(text)
        self.is_complete = self.body.is_complete
        return left

    @property
    def text(self) -> str:
        return self.body.text if self.body else ""
