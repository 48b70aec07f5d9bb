"""Reads tool calls, and whole replies, that a model wrote in JSON or in tags of its own instead of in ReAct's lines."""

import re
from typing import Any

from agents.lenient_json import NotReadable, read_value
from agents.marks.captures import BracketCapture, MarkupCapture
from agents.marks.lexer import Lexer
from agents.marks.notation import (
    call_in_json,
    call_in_markup,
    call_in_whole_reply,
    is_surely_call,
    thought_and_answer_in_json,
)
from agents.react import advice
from agents.react.outcome import Finished, JustText, NoTool, Outcome, Refused, outcome_of
from agents.toolbox import Toolbox

_OPENING = re.compile(r"[{｛\[]")
_BEGINNING = re.compile(r".\s*(\S)")
_FIRST_IN_JSON = frozenset("\"'“}｝{｛[")
_MAX_BLANKS = 200


class JsonReader:
    """Reads JSON that may be a call, or thought and answer, or just what the user asked for. `step` and `finish`.

    `must_be_call`: it stands after `Action:`, so it is not text.
    """

    def __init__(self, toolbox: Toolbox, *, must_be_call: bool = False) -> None:
        self.outcome: Outcome | None = None
        self._toolbox = toolbox
        self._must_be_call = must_be_call
        self._before = ""
        self._capture: BracketCapture | None = None
        self._begins_well = False

    def step(self, lexer: Lexer) -> bool:
        """Read on; False when more text is needed."""
        text = lexer.take_rest()
        if not text:
            return False
        try:
            left = self._feed(text)
        except ValueError:
            self.outcome = Refused(advice.for_broken_call("it is too long", self._toolbox))
            return True
        if self._is_ruled_out():
            lexer.put_back(self._text[1:] + (left or ""))
            self.outcome = JustText(self._before + self._text[:1])
            return True
        if left is None:
            return False
        lexer.put_back(left)
        self.outcome = self._settle()
        return True

    @property
    def _text(self) -> str:
        return self._capture.text if self._capture else ""

    def _is_ruled_out(self) -> bool:
        """Whether it begins with a brace, but as code and formulas do."""
        if self._must_be_call or self._begins_well or not self._text:
            return False
        found = _BEGINNING.match(self._text)
        self._begins_well = found is not None and found[1] in _FIRST_IN_JSON
        return not self._begins_well and (found is not None or len(self._text) > _MAX_BLANKS)

    def finish(self) -> None:
        """The reply has ended."""
        self.outcome = self._settle()

    def read(self, text: str) -> Outcome:
        """What a text means that is whole."""
        try:
            self._feed(text)
        except ValueError:
            return Refused(advice.for_broken_call("it is too long", self._toolbox))
        return self._settle()

    def _feed(self, text: str) -> str | None:
        if self._capture is None:
            self._before += text
            found = _OPENING.search(self._before)
            if not found:
                return None
            self._before, text = self._before[: found.start()], self._before[found.start() :]
            self._capture = BracketCapture()
        return self._capture.feed(text)

    def _settle(self) -> Outcome:
        text = self._text
        try:
            value, _ = read_value(text)
        except NotReadable as error:
            if self._must_be_call:
                return Refused(advice.for_broken_call(f"it is not valid JSON, {error}", self._toolbox))
            return JustText(self._before + text)
        return self._meaning(value) or JustText(self._before + text)

    def _meaning(self, value: Any) -> Outcome | None:
        if texts := thought_and_answer_in_json(value):
            return Finished(texts[1], thought=texts[0])
        call = call_in_json(value)
        if call is None:
            return Refused(advice.for_broken_call("it names no tool", self._toolbox)) if self._must_be_call else None
        is_known = call.name in self._toolbox.names if call.is_bare else self._toolbox.find(call.name) is not None
        is_call = self._must_be_call or is_surely_call(value) or (is_known and call.arguments is not None)
        return outcome_of(call, self._toolbox) if is_call else None


class MarkupReader:
    """Reads a call in tags. `step` and `finish`."""

    def __init__(self, toolbox: Toolbox) -> None:
        self.outcome: Outcome | None = None
        self._toolbox = toolbox
        self._capture = MarkupCapture()

    def step(self, lexer: Lexer) -> bool:
        """Read on; False when more text is needed."""
        text = lexer.take_rest()
        if not text:
            return False
        try:
            self._capture.feed(text)
        except ValueError:
            self.outcome = Refused(advice.for_broken_call("it is too long", self._toolbox))
            return True
        if self._capture.is_complete:
            self.finish()
        return True

    def finish(self) -> None:
        """The reply has ended."""
        try:
            call = call_in_markup(self._capture)
        except NotReadable as error:
            self.outcome = Refused(advice.for_broken_call(f"it is not valid JSON, {error}", self._toolbox))
            return
        broken = Refused(advice.for_broken_call("it names no tool", self._toolbox))
        outcome = outcome_of(call, self._toolbox) if call else broken
        self.outcome = broken if isinstance(outcome, NoTool) else outcome


def call_of_whole(text: str, toolbox: Toolbox) -> Outcome | None:
    """What a whole reply without labels comes to if it is, or ends with, a call of a tool; None if it is just text."""
    call = call_in_whole_reply(text)
    return outcome_of(call, toolbox) if call and call.name in toolbox.names else None
