"""Reads a tool call that a reply has begun with `Action:`: first the name of the tool, then its input."""

import re
from collections.abc import Callable

from agents.labels import LABELS, Label, key_of
from agents.lenient_json import NotReadable, read_call
from agents.marks.captures import BracketCapture, FenceCapture
from agents.marks.lexer import Kind, Lexer, Token
from agents.react import advice
from agents.react.input_reader import InputReader
from agents.react.native_reader import JsonReader
from agents.react.outcome import AnswerFollows, FinishTarget, JustText, NoTool, Outcome, Refused, Target, target_of
from agents.toolbox import Toolbox

_NO_TOOL = re.compile(
    r"\s*(?:[-–—/]+|\"\"|'')\s*$|\W*(?:none|null|nil|n/?a|no|not|nothing|无|無|没有|沒有|不需要|不用|不调用|不使用|无需|無需|なし|없음|нет|aucune?|keine?|ningun[oa]|nenhuma?|nessun[oa])(?:\W|$|\s*(?:action|tool|工具|needed))",
    re.IGNORECASE,
)
_TERMINATORS = re.compile(r"[\n(（{｛\[:：]")
_INPUT_AHEAD = re.compile(r"(?:^|[\s,;.。，；`*\"'])\**(?P<label>[^\W\d_]{1,12}(?:[ _\-][^\W\d_]{1,12})?)\**[ ]?$")
_MAX_NAME = 200


class CallReader:
    """Call `step` until `outcome` is set, then no more; `finish` when the reply has ended before.

    `may_be_text`: a line that names no tool and has no input after it is part of the text and no broken call.
    """

    def __init__(self, toolbox: Toolbox, opening: Token, *, may_be_text: bool) -> None:
        self.outcome: Outcome | None = None
        self._toolbox = toolbox
        self._may_be_text = may_be_text
        self._source = opening.text
        self._name = ""
        self._target: Target | None = None
        self._remark = BracketCapture()
        self._fence = FenceCapture()
        self._reader: InputReader | JsonReader | None = None
        self._phase: Callable[[Lexer], bool] = self._read_name
        if opening.kind is Kind.NAME_LINE:
            self._take_name(opening.text)

    def step(self, lexer: Lexer) -> bool:
        """Read on; False when more text is needed."""
        return self._phase(lexer)

    def finish(self) -> None:
        """The reply has ended."""
        if self._phase == self._read_fence:
            self.outcome = JsonReader(self._toolbox, must_be_call=True).read(self._fence.text)
        if self._phase == self._read_name:
            self._take_name(self._name)
        if self.outcome is None:
            self._end()

    def _read_name(self, lexer: Lexer) -> bool:
        token = lexer.pull()
        if token is None:
            return False
        if token.kind is Kind.FENCE and not self._name.strip():
            return self._open_fence(token.text)
        if token.kind is Kind.NAME_LINE and not self._name.strip():
            return self._take_name(token.text)
        if token.kind in {Kind.LABEL, Kind.TAG, Kind.FENCE, Kind.NAME_LINE}:
            lexer.put_back(token.text)
            return self._take_name(self._name)
        seen = len(self._name)
        self._name += token.text
        if self._name.lstrip().startswith("```"):
            lexer.put_back(self._name.lstrip()[3:])
            return self._open_fence("```")
        for found in _TERMINATORS.finditer(self._name, seen, _MAX_NAME):
            if self._ends_at(found, lexer):
                return True
        if len(self._name) > _MAX_NAME:
            lexer.put_back(self._name[_MAX_NAME:])
            self._take_name(self._name[:_MAX_NAME])
        return True

    def _open_fence(self, opening: str) -> bool:
        self._name, self._fence, self._phase = "", FenceCapture(opening), self._read_fence
        return True

    def _read_fence(self, lexer: Lexer) -> bool:
        """What stands in a fence is read as if there were none."""
        text = lexer.take_rest()
        left = self._fence.feed(text) if text else None
        if left is None:
            return False
        lexer.put_back(f"{self._fence.text.strip()}\n{left}")
        self._phase = self._read_name
        return True

    def _ends_at(self, found: re.Match[str], lexer: Lexer) -> bool:
        """Whether the name ends at this mark; then the rest is put back."""
        name, rest = self._name[: found.start()], self._name[found.start() :]
        match found.group():
            case "\n":
                is_end = bool(name.strip(" \t\n*_`\"'")) and self._take_name(name)
            case ":" | "：":
                return self._ends_at_colon(name, rest[1:], lexer)
            case "{" | "｛":
                is_end = self._begin_object(name)
            case _:
                is_end = target_of(name, self._toolbox) is not None and self._take_name(name)
                self._phase = self._read_remark if is_end else self._phase
        if is_end:
            lexer.put_back(rest)
        return is_end

    def _ends_at_colon(self, name: str, rest: str, lexer: Lexer) -> bool:
        """`Action: get_weather Action Input: {}`, or `Action: Final Answer: yes`."""
        ahead = _INPUT_AHEAD.search(name)
        if ahead and LABELS.get(key_of(ahead["label"])) is Label.INPUT:
            lexer.put_back("\nAction Input:" + rest)
            return self._take_name(name[: ahead.start()])
        if not isinstance(target_of(name, self._toolbox), FinishTarget):
            return False
        lexer.put_back(rest)
        return self._set(AnswerFollows())

    def _begin_object(self, name: str) -> bool:
        if not name.strip(" \t\n["):
            return self._delegate(JsonReader(self._toolbox, must_be_call=True))
        return target_of(name, self._toolbox) is not None and self._take_name(name)

    def _take_name(self, name: str) -> bool:
        self._name = name
        self._source += name
        self._target = target_of(name, self._toolbox)
        self._phase = self._await_input
        if self._target is None and _NO_TOOL.match(name):
            self.outcome = NoTool()
        elif self._target is None and not self._may_be_text:
            self.outcome = self._unknown()
        return True

    def _unknown(self) -> Outcome:
        return Refused(advice.for_unknown_tool(self._name, self._toolbox))

    def _read_remark(self, lexer: Lexer) -> bool:
        """`get_weather(city="Turku")`. Brackets with no arguments in them may be a remark, and the input follows."""
        text = lexer.take_rest()
        if not text:
            return False
        try:
            left = self._remark.feed(text)
        except ValueError:
            self.outcome = self._unknown()
            return True
        if left is None:
            return False
        lexer.put_back(left)
        self._phase = self._await_input
        try:
            positional, named = read_call(f"({self._remark.text[1:-1]})")
        except NotReadable:
            return True
        if self._target and (positional or named):
            self.outcome = self._target.from_call(positional, named)
        return True

    def _await_input(self, lexer: Lexer) -> bool:
        token = lexer.pull()
        if token is None:
            return False
        is_text = token.kind is Kind.TEXT
        if is_text and not token.text.strip(" \t\n-=_*"):
            self._source += token.text
            return True
        if token.kind is Kind.LABEL and token.label is Label.INPUT:
            self._remark = BracketCapture()
            return self._delegate(InputReader(self._target)) if self._target else self._set(self._unknown())
        begins_input = token.text.lstrip()[:1] in {"{", "｛"} if is_text else token.kind is Kind.FENCE
        lexer.put_back(token.text)
        if begins_input and self._target and not self._remark.text:
            return self._delegate(InputReader(self._target))
        if is_text and isinstance(self._target, FinishTarget) and not self._remark.text:
            return self._set(AnswerFollows())
        self._end()
        return True

    def _set(self, outcome: Outcome) -> bool:
        self.outcome = outcome
        return True

    def _delegate(self, reader: InputReader | JsonReader) -> bool:
        self._reader, self._phase = reader, self._read_on
        return True

    def _read_on(self, lexer: Lexer) -> bool:
        if self._reader is None:
            return False
        has_moved = self._reader.step(lexer)
        self.outcome = self._reader.outcome
        return has_moved or self.outcome is not None

    def _end(self) -> None:
        """Nothing more of the call can come."""
        if self._reader:
            self._reader.finish()
            self.outcome = self._reader.outcome
        elif self._target is None:
            self.outcome = JustText(self._source) if self._may_be_text and self._name.strip() else self._unknown()
        elif self._remark.text:
            inside = self._remark.text[1:].rstrip(")）]").strip()
            is_whole = self._remark.is_complete or isinstance(self._target, FinishTarget)
            self.outcome = self._target.from_value(inside) if is_whole else self._target.refuse("Its input is cut off.")
        else:
            self.outcome = self._without_input(self._target)

    def _without_input(self, target: Target) -> Outcome:
        outcome = target.from_value(None)
        is_loose = self._may_be_text and self._name.strip(" \t\n*_`\"'[]") not in self._toolbox.names
        return JustText(self._source) if is_loose and not isinstance(outcome, NoTool) else outcome
