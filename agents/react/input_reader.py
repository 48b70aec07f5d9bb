"""Reads the input of a tool call: JSON, a fenced block, values by name, or bare text. Exactly or not at all."""

import re
from collections.abc import Callable

from agents.labels import Label
from agents.lenient_json import NotReadable, read_call, read_value
from agents.marks.captures import BracketCapture, FenceCapture
from agents.marks.lexer import Kind, Lexer
from agents.marks.tags import Tag
from agents.react.outcome import AnswerFollows, FinishTarget, Outcome, Target

_OBJECT = re.compile(r"[{｛]\s*[\"'“}｝]")
_FENCE = re.compile(r"`{3,9}|~{3,9}")
_LONGEST_FENCE = 9
_BEFORE_OBJECT = re.compile(r"[ \t]*(?:json[ \t]*[:：]?|[^\n{]{1,60}[:：])[ \t]*", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'“][^\n]*[\"'”]")
_NAMED_VALUE = re.compile(r"[\"'`\-* ]{0,3}([^\W\d]\w*)[\"'`* ]{0,3}[=:：]")
_BACKTICKED = re.compile(r"`[^`\n]+`")
_CALL = re.compile(r"([\w.]{1,80})[ ]?(\(.*\))", re.DOTALL)
_NAMED_TAG = re.compile(r"<(\w{1,40})>([^<>]*)</\1>")
_PYTHON = frozenset({"python", "py", "python3"})
_MAX_BARE_INPUT = 20_000
_SEVERAL_LINES = "Its input is text of several lines, which cannot be told from other text."


class InputReader:
    """Call `step` until `outcome` is set, then no more; `finish` when the reply has ended before."""

    def __init__(self, target: Target) -> None:
        self.outcome: Outcome | None = None
        self._target = target
        self._text = ""
        self._capture: BracketCapture | FenceCapture | None = None
        self._phase: Callable[[Lexer], bool] = self._seek

    @property
    def has_begun(self) -> bool:
        """Whether anything but blanks was there."""
        return bool(self._text.strip()) or self._capture is not None

    def step(self, lexer: Lexer) -> bool:
        """Read on; False when more text is needed."""
        return self._phase(lexer)

    def finish(self) -> None:
        """Nothing more of the input can come."""
        if self._capture:
            self._cut_off(self._capture)
        elif self._text.strip():
            self.outcome = self._bare(self._text.strip())
        else:
            self.outcome = self._target.from_value(None)

    def _seek(self, lexer: Lexer) -> bool:
        """Nothing but blanks yet."""
        token = lexer.pull()
        if token is None:
            return False
        if token.kind is Kind.FENCE:
            return self._begin(FenceCapture(token.text))
        if token.kind is not Kind.TEXT:
            return self._end_at(lexer, token.text, is_label_again=token.label is Label.INPUT)
        self._text = text = (self._text + token.text).lstrip()
        if len(text) < _LONGEST_FENCE and (not text.strip("`") or not text.strip("~")):
            return True
        self._text = ""
        fence = _FENCE.match(text)
        lexer.put_back(text[fence.end() :] if fence else text)
        if fence:
            self._begin(FenceCapture(fence.group()))
        elif text[0] in "{｛[［(（":
            self._begin(BracketCapture())
        elif isinstance(self._target, FinishTarget) and text[0] not in "\"'“":
            self.outcome = AnswerFollows()
        else:
            self._phase = self._read_line
        return True

    def _end_at(self, lexer: Lexer, text: str, *, is_label_again: bool) -> bool:
        if not is_label_again:
            lexer.put_back(text)
            self.finish()
        return True

    def _read_line(self, lexer: Lexer) -> bool:
        token = lexer.pull()
        if token is None:
            return False
        if token.kind is Kind.LABEL or token.tag is Tag.STOP:
            return self._end_at(lexer, token.text, is_label_again=False)
        self._text += token.text
        first, line, more = self._text.partition("\n")
        if line and _BEFORE_OBJECT.fullmatch(first):
            self._phase = self._seek
            self._text = ""
            lexer.put_back(more)
            return True
        if found := _OBJECT.search(first):
            lexer.put_back(self._text[found.start() :])
            self._text = ""
            return self._begin(BracketCapture())
        if isinstance(self._target, FinishTarget):
            return True
        if len(self._text) > _MAX_BARE_INPUT or (more.strip() and not self._is_named_value(first)):
            self.outcome = self._target.refuse(_SEVERAL_LINES)
        return True

    def _begin(self, capture: BracketCapture | FenceCapture) -> bool:
        self._capture, self._phase = capture, self._read_capture
        return True

    def _read_capture(self, lexer: Lexer) -> bool:
        text = lexer.take_rest()
        if not text or self._capture is None:
            return False
        try:
            left = self._capture.feed(text)
        except ValueError:
            self.outcome = self._target.refuse("Its input is too long.")
            return True
        if left is None:
            return False
        lexer.put_back(left)
        self.outcome = self._captured(self._capture)
        return True

    def _captured(self, capture: BracketCapture | FenceCapture) -> Outcome:
        if isinstance(capture, FenceCapture):
            return self._fenced(capture.language, capture.text)
        return self._bracketed(capture.text)

    def _bracketed(self, text: str) -> Outcome:
        try:
            if text[0] in "(（":
                return self._target.from_call(*read_call(text))
            value, is_mended = read_value(_without_doubled_braces(text), may_lack_closers=True)
            return self._target.from_value(value, is_mended=is_mended)
        except NotReadable as error:
            return self._target.refuse(f"Its input is not valid JSON: {error}.")

    def _fenced(self, language: str, text: str) -> Outcome:
        if language not in _PYTHON and self._is_named_value(text.lstrip()):
            return self._bare(text.strip())
        if language in _PYTHON and text.lstrip()[:1] != "{":
            return self._as_call(text) or self._target.from_value(text)
        try:
            value, is_mended = read_value(text)
        except NotReadable as error:
            if language in {"json", "json5"} or text.lstrip()[:1] == "{":
                return self._target.refuse(f"Its input is not valid JSON: {error}.")
            return self._as_call(text) or self._target.from_value(text)
        return self._target.from_value(value if isinstance(value, dict | list) else text, is_mended=is_mended)

    def _cut_off(self, capture: BracketCapture | FenceCapture) -> None:
        if isinstance(capture, BracketCapture) and capture.lacks_only_closers:
            self.outcome = self._bracketed(capture.text)
        elif isinstance(self._target, FinishTarget):
            self.outcome = self._target.from_value(capture.text.lstrip("[({"))
        else:
            self.outcome = self._target.refuse("Its input is cut off.")

    def _bare(self, text: str) -> Outcome:
        try:
            if self._is_named_value(text):
                return self._named_values(text)
            if _QUOTED.fullmatch(text):
                return self._target.from_value(read_value(text)[0])
        except NotReadable as error:
            return self._target.refuse(f"Its input is not valid JSON: {error}.")
        unquoted = text[1:-1] if _BACKTICKED.fullmatch(text) else text
        return self._as_call(text) or self._as_tags(text) or self._target.from_value(unquoted)

    def _as_call(self, text: str) -> Outcome | None:
        """The tool again with its arguments, as in Python."""
        found = _CALL.fullmatch(text.strip())
        if not (found and self._target.is_named(found[1])):
            return None
        try:
            return self._target.from_call(*read_call(found[2]))
        except NotReadable as error:
            return self._target.refuse(f"Its input is not valid JSON: {error}.")

    def _as_tags(self, text: str) -> Outcome | None:
        """`<city>Oslo</city>`: each parameter in a tag of its name."""
        found = _NAMED_TAG.findall(text)
        is_all = found and not _NAMED_TAG.sub("", text).strip()
        if not (is_all and all(self._target.has_parameter(name) for name, _ in found)):
            return None
        return self._target.from_value({name: value.strip() for name, value in found})

    def _is_named_value(self, line: str) -> bool:
        found = _NAMED_VALUE.match(line)
        return found is not None and self._target.has_parameter(found[1])

    def _named_values(self, text: str) -> Outcome:
        """`city="Turku", days=2`, or JSON without its braces, or one on each line, which then needs no quotes."""
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            positional, named = read_call(",".join(lines))
            if not positional:
                return self._target.from_call([], named)
        except NotReadable:
            pass
        try:
            value, is_mended = read_value("{" + ",".join(lines) + "}")
            return self._target.from_value(value, is_mended=is_mended)
        except NotReadable:
            return self._target.from_value(dict(self._named_line(line) for line in lines))

    def _named_line(self, line: str) -> tuple[str, str]:
        found = _NAMED_VALUE.match(line)
        value = line[found.end() :].strip().strip("\"'`") if found else ""
        names = re.findall(r"(\w+)[\"'`]?\s*[=:：]", value)
        if found is None or any(map(self._target.has_parameter, names)) or '"' in value:
            raise NotReadable("there must be one value on each line")
        return found[1], value


def _without_doubled_braces(text: str) -> str:
    """`{{"city": "Oslo"}}`, as templates write the braces that models then copy."""
    return text[1:-1] if text.startswith("{{") and text.endswith("}}") else text
