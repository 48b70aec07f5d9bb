"""A stretch of a reply that may be tool calls in a model's own notation, read while it comes. Pure; knows no model."""

import json
import re
from enum import Enum, auto
from typing import Any

from llama_index.core.base.llms.types import ToolCallBlock

from agents.arguments import BadArguments, named_arguments
from agents.lenient_json import read_value
from agents.marks.captures import BracketCapture, MarkupCapture
from agents.marks.notation import (
    WrittenCall,
    calls_in_markup,
    calls_in_python,
    is_python,
    is_surely_call,
    name_in,
    words_in,
)
from agents.marks.tags import begins_call
from agents.toolbox import Toolbox

_BETWEEN = re.compile(
    r"(?:\s|[,;\])]|```|</[^<>\n]{1,60}>|\[/\w{1,20}\]|<end_of_turn>|<\|start\|>assistant"
    r"|<[|｜‖∣](?:call|return|eo[mt]_id|eo[ts]|[^<>|｜‖∣\n]{0,40}end[^<>|｜‖∣\n]{0,20})[|｜‖∣]>)*+",
    re.IGNORECASE,
)
"""What may stand behind a call and before the next: ends of tags, and of the turn."""
_CUT_TAG = re.compile(r"[<\[][^<>\[\]\n]{0,60}|`{1,2}|<\|start\|>[a-z]{0,8}")
_NAME_IN_JSON = re.compile(
    r"[\"'](?:name|tool|tool_name|function|action)[\"']\s{0,3}:\s{0,3}[\"']([^\"'\n]{1,80})[\"']"
)
_IDENTIFIER = re.compile(r"[\w.:/\-]{1,80}")
_MAX_WORDS = 3
"""Of a header, while its last tag may still be open. Text has more."""


class Verdict(Enum):
    """What a candidate is."""

    OPEN = auto()
    CALLS = auto()
    TEXT = auto()


class Candidate:
    """Feed it text until it `is_over`, or `finish` it; then the verdict is known.

    `capture` reads its first call. `is_first`: it is the first thing in the reply. `is_apart`: it begins a line, or
    follows the end of a sentence, so what comes before does not go on in it. `is_announced`: that ends in a colon.
    `in_tags`: not just JSON or Python.
    """

    def __init__(
        self,
        toolbox: Toolbox,
        capture: MarkupCapture | BracketCapture,
        *,
        prefix: str,
        is_first: bool,
        is_apart: bool,
        is_announced: bool,
        in_tags: bool,
        may_tell: bool,
    ) -> None:
        """`prefix` stands before the bracket of a call in Python. `may_tell`: the model can be told of a bad call."""
        self.calls: list[ToolCallBlock] = []
        self.is_cut = False
        self.is_over = False
        self.verdict = Verdict.OPEN
        self._toolbox = toolbox
        self._capture: MarkupCapture | BracketCapture | None = capture
        self.prefix = prefix
        self._is_first, self._is_apart, self._is_announced = is_first, is_apart, is_announced
        self._in_tags, self._may_tell = in_tags, may_tell
        self._source: list[str] = []
        self._size = 0
        self.size_of_calls = 0
        """Where in the source its last whole call ends."""
        self._rest = ""
        self._gap = ""
        """Of the marks between the last call and the rest, those that count: line breaks and commas."""

    @property
    def source(self) -> str:
        """All that was read."""
        return "".join(self._source)

    def feed(self, text: str) -> None:
        """More of the reply."""
        self._source.append(text)
        self._size += len(text)
        left: str | None = text
        while left and not self.is_over:
            left = self._read(self._capture, left) if self._capture else self._look_behind(left)

    def finish(self, *, is_cut: bool) -> None:
        """The reply has ended; `is_cut`: by the limit of its length."""
        if self._capture and not self.is_over:
            self.is_cut = is_cut
            self._take(self._capture)
        if self.verdict is Verdict.OPEN:
            self._settle(is_alone=True, is_same_line=False)
        self.is_over = True

    def _read(self, capture: MarkupCapture | BracketCapture, text: str) -> str | None:
        try:
            left = self._fed(capture, text)
        except ValueError:
            self._end()
            return None
        if capture.is_complete:
            self._capture, self._gap = None, ""
            self.size_of_calls = self._size - len(left or "")
            self._take(capture)
        elif isinstance(capture, MarkupCapture) and capture.body is None and not _is_header(capture.header):
            self._end()
        return left

    def _fed(self, capture: MarkupCapture | BracketCapture, text: str) -> str | None:
        """A header is read by the character, so that it is held against what a header is at any cutting."""
        if isinstance(capture, BracketCapture) or capture.body:
            return capture.feed(text)
        for at, character in enumerate(text, start=1):
            capture.feed(character)
            if capture.body or capture.is_complete or not _is_header(capture.header):
                return text[at:]
        return None

    def _look_behind(self, text: str) -> str | None:
        """What follows a call: the next one, or something else, with which all calls are over."""
        rest = self._rest + text
        found = _BETWEEN.match(rest)
        end = found.end() if found else 0
        self._gap += "".join(mark for mark in rest[:end] if mark in "\n,;")[:8]
        self._rest = rest = rest[end:]
        if self._begins_call(rest):
            self._rest, self._capture = "", MarkupCapture()
            return rest
        if rest and not _CUT_TAG.fullmatch(rest):
            self._settle(is_alone=False, is_same_line="\n" not in self._gap)
            self.is_over = True
        return None

    def _begins_call(self, rest: str) -> bool:
        return bool(self._gap) if rest[:1] in {"{", "｛"} else begins_call(rest)

    def _take(self, capture: MarkupCapture | BracketCapture) -> None:
        try:
            written = [] if self.is_cut else self._written(capture)
        except ValueError:
            written = []
        calls = [self._block(call) for call in written] or self._broken(capture)
        if not calls:
            self._end()
        self.calls += calls
        if self.verdict is Verdict.OPEN and calls and self._is_known and self._is_apart and self._in_tags:
            self.verdict = Verdict.CALLS

    def _written(self, capture: MarkupCapture | BracketCapture) -> list[WrittenCall]:
        if isinstance(capture, BracketCapture):
            calls = calls_in_python((self.prefix + capture.text).lstrip())
            return calls if capture.is_complete and all(call.name in self._toolbox.names for call in calls) else []
        calls = calls_in_markup(capture)
        if self._in_tags or words_in(capture.header.strip("[ \n")):
            return [call for call in calls if self._may_be_named(call, capture)]
        is_sure = is_surely_call(read_value(capture.text)[0]) and self._may_tell
        return [call for call in calls if is_sure or (call.name in self._toolbox.names and call.arguments is not None)]

    def _may_be_named(self, call: WrittenCall, capture: MarkupCapture) -> bool:
        """An unknown name must be one, in a call that has an input; a known one needs none."""
        if self._toolbox.find(call.name) or call.in_python:
            return True
        return capture.body is not None and _IDENTIFIER.fullmatch(call.name) is not None

    def _broken(self, capture: MarkupCapture | BracketCapture) -> list[ToolCallBlock]:
        """A call that can't be read, with as much of it as is needed to tell so; nothing if it looks like none."""
        header = capture.header if isinstance(capture, MarkupCapture) else self.prefix
        found = _NAME_IN_JSON.search(capture.text)
        name = name_in(header).strip("[( ") or (found[1] if found else "")
        if not self._in_tags:
            is_call = name in self._toolbox.names and not (isinstance(capture, MarkupCapture) and capture.is_complete)
        else:
            has_input = isinstance(capture, MarkupCapture) and isinstance(capture.body, BracketCapture)
            may_be_cut = self.is_cut and len(words_in(header)) < _MAX_WORDS
            is_call = has_input or may_be_cut or (self._is_first and not name)
            is_call = _is_header(header) and (is_call or self._toolbox.find(name) is not None)
        return [ToolCallBlock(tool_name=name, tool_kwargs=capture.text or "{")] if is_call else []

    @property
    def _is_known(self) -> bool:
        return bool(self.calls) and self._toolbox.find(self.calls[0].tool_name) is not None

    def _settle(self, *, is_alone: bool, is_same_line: bool) -> None:
        """Decide by what follows. `is_alone`: nothing does."""
        if self.verdict is not Verdict.OPEN:
            return
        may_go_on = self._in_tags and self._is_first and self._may_tell and not is_same_line
        if self._is_known:
            are_calls = is_alone or (self._is_apart and not is_same_line)
        elif self._is_first or (self._may_tell and self._is_apart and not self._is_announced):
            are_calls = is_alone or may_go_on
        else:
            are_calls = False
        self.verdict = Verdict.CALLS if are_calls and self.calls else Verdict.TEXT

    def _end(self) -> None:
        """What is being read is no call."""
        self.is_over = True
        if self.verdict is Verdict.OPEN:
            self.verdict = Verdict.TEXT

    def _block(self, call: WrittenCall) -> ToolCallBlock:
        arguments = self._arguments(call)
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        return ToolCallBlock(tool_name=call.name, tool_kwargs=arguments)

    def _arguments(self, call: WrittenCall) -> Any:
        if call.in_python is None:
            return call.arguments
        positional, named = call.in_python
        spec = self._toolbox.find(call.name)
        try:
            return named_arguments(spec, positional, named) if spec else named
        except BadArguments:
            return [*positional, named]  # no list is accepted, so the model is told


def _is_header(header: str) -> bool:
    return len(words_in(header)) <= _MAX_WORDS or is_python(header)
