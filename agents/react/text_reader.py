"""Decides which of the text of a thought or an answer may be shown at once, and where an answer ends."""

import re
from enum import Enum, auto

from agents.labels import Label
from agents.marks.lexer import Kind, Token
from agents.marks.tags import Tag

_OPENED_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")


class Trimmer:
    """Passes text on without blanks round the whole: those at its end are kept back until more follows.

    `lead` goes before the first of it. `dangling` are marks that are kept back like blanks.
    """

    def __init__(self, *, lead: str = "", dangling: str = "") -> None:
        self.has_begun = False
        self._lead = lead
        self._blanks = " \t\n\u3000" + dangling
        self._kept: list[str] = []

    def pass_on(self, text: str) -> str:
        """What of the text so far can be shown now and was not before."""
        text = text if self.has_begun else text.lstrip()
        shown = text.rstrip(self._blanks)
        if not shown:
            self._kept.append(text)
            return ""
        before, self._kept = "".join(self._kept), [text[len(shown) :]]
        lead = before if self.has_begun else self._lead + before
        self.has_begun = True
        return lead + shown


class ThoughtWriter:
    """The thought as it may be shown. A fence is kept back until it is certain not to be round the scaffolding."""

    def __init__(self) -> None:
        self._trimmer = Trimmer()
        self._fence = ""
        self._shown: list[str] = []

    @property
    def text(self) -> str:
        """All that was shown."""
        return "".join(self._shown)

    @property
    def has_open_fence(self) -> bool:
        """Whether a fence opened just now, with nothing in it yet."""
        return bool(self._fence)

    def write(self, text: str) -> str:
        """What can be shown now."""
        if self._fence:
            self._fence += text
            if _OPENED_FENCE.fullmatch(self._fence):
                return ""
            text, self._fence = self._fence, ""
        shown = self._trimmer.pass_on(text)
        self._shown.append(shown)
        return shown

    def open_fence(self, text: str) -> str:
        """A fence has come. What can be shown now."""
        shown = self.write("") if not self._fence else self.write(text)
        self._fence = self._fence or text
        return shown


class _Holding(Enum):
    """Why text is kept back: what comes next decides whether it belongs to the answer."""

    NOTHING = auto()
    STOP = auto()
    OTHER_SIDE = auto()
    OBSERVATION = auto()
    QUESTION = auto()
    CALL = auto()
    FENCE = auto()


_HELD_LABELS = {
    Label.ROLE: _Holding.OTHER_SIDE,
    Label.OBSERVATION: _Holding.OBSERVATION,
    Label.QUESTION: _Holding.QUESTION,
}
SCAFFOLD = frozenset({Label.THOUGHT, Label.ACTION, Label.ANSWER})


class AnswerReader:
    """Takes the tokens after `Answer:`. No label counts, but what the model invents after its turn is cut.

    A line like `User:` or `Observation:` is kept back: labels of ReAct after it prove that the model goes on alone;
    without them it was part of the answer. `is_fenced`: the whole reply stands in a fence, which is not part of it.
    `lead` and `dangling` are as in `Trimmer`. `is_loose`: no label announced the answer, so a tool call still ends it.
    """

    def __init__(self, *, is_fenced: bool = False, is_loose: bool = False, lead: str = "", dangling: str = "") -> None:
        self.is_over = False
        self._is_fenced = is_fenced
        self._is_loose = is_loose
        self._held_labels = _HELD_LABELS | ({Label.ACTION: _Holding.CALL} if is_loose else {})
        self._in_code = False
        self._shows_trace = False
        self._holding = _Holding.NOTHING
        self._held: list[str] = []
        self._trimmer = Trimmer(lead=lead, dangling=dangling)

    def take(self, token: Token) -> str:
        """What can be shown now."""
        if self._holding is not _Holding.NOTHING:
            return self._decide(token)
        if token.kind is Kind.FENCE:
            return self._fence(token)
        if token.tag in {Tag.STOP, Tag.UNANSWER} or (token.tag is Tag.OPENER and self._trimmer.has_begun):
            return self._hold(_Holding.STOP, token)
        if token.tag is Tag.CALL and self._is_loose:
            self.is_over = True
            return ""
        if token.kind is Kind.LABEL and token.label and not self._in_code:
            if token.label in self._held_labels and self._may_hold(token):
                return self._hold(self._held_labels[token.label], token)
            self._shows_trace = self._shows_trace or token.label in {Label.THOUGHT, Label.ACTION}
        return self._trimmer.pass_on(token.text)

    def finish(self) -> str:
        """The reply has ended: what of the kept text was the answer after all."""
        held = "".join(self._held)
        is_last_line = "\n" not in held.strip()
        is_cut = self._holding in {_Holding.STOP, _Holding.FENCE}
        if is_cut or (self._holding is _Holding.OBSERVATION and is_last_line):
            return ""
        return self._trimmer.pass_on(held)

    def _may_hold(self, token: Token) -> bool:
        """A label in a list, or after others of ReAct, is part of what the answer explains."""
        return token.label is Label.ACTION or (token.is_plain and self._trimmer.has_begun and not self._shows_trace)

    def _hold(self, reason: _Holding, token: Token) -> str:
        self._holding = reason
        self._held.append(token.text)
        return ""

    def _fence(self, token: Token) -> str:
        if self._is_fenced and not self._in_code:
            return self._hold(_Holding.FENCE, token)
        self._in_code = not self._in_code
        return self._trimmer.pass_on(token.text)

    def _decide(self, token: Token) -> str:
        if self._proves_end(token):
            self.is_over = True
            return ""
        self._held.append(token.text)
        is_quiz = self._holding is _Holding.QUESTION and token.label in {Label.ANSWER, Label.QUESTION}
        is_settled = is_quiz or (self._holding in {_Holding.STOP, _Holding.FENCE} and token.text.strip())
        return self._release() if is_settled else ""

    def _proves_end(self, token: Token) -> bool:
        if self._holding is _Holding.CALL:
            return token.tag is Tag.STOP or token.label is Label.INPUT
        if self._holding is _Holding.FENCE:
            return token.tag is Tag.STOP or token.kind is Kind.LABEL
        if self._holding is _Holding.QUESTION:
            return token.tag is Tag.STOP or token.label in {Label.THOUGHT, Label.ACTION}
        is_next_line = token.kind is Kind.LABEL or (len(self._held) == 1 and token.text.startswith("\n"))
        return token.tag is Tag.STOP or token.label in SCAFFOLD or (self._holding is _Holding.STOP and is_next_line)

    def _release(self) -> str:
        if self._holding is _Holding.FENCE:
            self._in_code = True
        text = "".join(self._held)
        self._held, self._holding = [], _Holding.NOTHING
        return self._trimmer.pass_on(text)
