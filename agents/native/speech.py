"""Tells a remark beside tool calls from the answer while the text of one reply streams. Pure; knows no model."""

from typing import NamedTuple

LONGEST_REMARK = 300
"""Bytes of UTF-8: some three sentences of any script (300 letters of English, 100 Chinese characters).

An endpoint says only at the end of a reply whether tools are called. "Let me look that up." is no part of the answer,
and what was shown as the answer can't be recalled; so the beginning of a text is kept until it is longer than such
remarks are, or the reply is over. From then on every word goes on at once.
"""


class Shown(NamedTuple):
    """What may be shown now."""

    thought: str = ""
    answer: str = ""


class Speech:
    """For the text of one reply. `may_call`: whether tools are offered. `before`: what separates it from the answer
    so far, where an earlier reply of the turn has begun one.
    """

    def __init__(self, *, may_call: bool, before: str = "") -> None:
        self.has_answered = False
        self.has_call = False
        self._may_call = may_call
        self._before = before
        self._longest = LONGEST_REMARK if may_call else 0
        self._held = ""
        self._thought = ""

    def text(self, delta: str) -> Shown:
        """More of the text."""
        if self.has_answered:
            return Shown(answer=delta)
        self._held = (self._held + delta).lstrip()
        is_more_than_remark = len(self._held.encode(errors="replace")) > self._longest
        return self._answer() if is_more_than_remark and not self.has_call else Shown()

    def recall(self) -> None:
        """What is kept has turned out to be thinking."""
        self._held = ""

    def call(self) -> Shown:
        """A tool is called, so what is kept was a remark. What an answer has begun stays one.

        Where none is offered, a call counts for nothing.
        """
        self.has_call = self._may_call
        return self._remark() if self._may_call else Shown()

    def end(self) -> Shown:
        """The reply is over."""
        return self._remark() if self.has_call else self._answer()

    def _answer(self) -> Shown:
        if not self._held:
            return Shown()
        text, self._held, self.has_answered = self._before + self._held, "", True
        return Shown(answer=text)

    def _remark(self) -> Shown:
        remark, self._held = self._held.strip(), ""
        between = "\n" if remark and self._thought else ""
        self._thought += remark
        return Shown(thought=between + remark)
