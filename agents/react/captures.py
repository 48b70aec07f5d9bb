"""Collect text that must be whole before it can be read: a bracketed value, a fenced block, a call in tags."""

import re

from agents.react.scanner import BracketScanner

_BODY = re.compile(
    r"(?P<json>[{｛])|(?P<parameters><arg_key>|<(?:[|｜‖∣]DSML[|｜‖∣])?parameter[ =])"
    r"|(?P<end></(?:[|｜‖∣]DSML[|｜‖∣])?(?:invoke|function|tool_call)>|<[|｜‖∣]tool[▁_ ]call[▁_ ]end[|｜‖∣]>)",
    re.IGNORECASE,
)
_END = re.compile(r"</(?:[|｜‖∣]DSML[|｜‖∣])?(?:invoke|function|tool_call)>", re.IGNORECASE)
_LONGEST_END = 24
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
        return not self._scanner.is_in_string and self.text.rstrip()[-1:] in {'"', "'", "”", "}", "]"}


class FenceCapture:
    """From just after the opening fence to the closing one. `text` is without the language and the fences."""

    def __init__(self, fence: str = "```") -> None:
        self.is_complete = False
        self._close = "\n" + fence
        self._pieces: list[str] = []
        self._tail = ""

    def feed(self, text: str) -> str | None:
        window = self._tail + text
        end = window.find(self._close)
        if end < 0:
            self._tail = window[-len(self._close) + 1 :]
            self._pieces.append(window[: len(window) - len(self._tail)])
            return None
        self.is_complete = True
        self._tail = ""
        self._pieces.append(window[:end])
        return window[end + len(self._close) :]

    @property
    def language(self) -> str:
        """What stands behind the opening fence, in lower case."""
        return self._whole.partition("\n")[0].strip().lower()

    @property
    def text(self) -> str:
        return self._whole.partition("\n")[2]

    @property
    def _whole(self) -> str:
        return "".join([*self._pieces, self._tail])


class TagCapture:
    """Parameters in tags of their own, up to the tag that closes the call."""

    def __init__(self) -> None:
        self.is_complete = False
        self._pieces: list[str] = []
        self._tail = ""

    def feed(self, text: str) -> str | None:
        self._pieces.append(text)
        window = self._tail + text
        self._tail = window[-_LONGEST_END:]
        self.is_complete = _END.search(window) is not None
        return "" if self.is_complete else None

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
