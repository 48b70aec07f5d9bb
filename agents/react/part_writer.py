"""Writes the parts of one reply in order, and what is missing at its end. Knows nothing of how they were read."""

from agents.react import advice
from agents.react.reply import AnswerPart, Part, ProblemPart, ThinkingPart, ThoughtPart, ToolCallPart, ToolRequest
from agents.react.text_reader import ThoughtWriter


class PartWriter:
    """Each method adds what can be shown; `drain` hands it over. Once it `is_done` nothing more is to be written.

    `must_answer`: there will be no other reply, so a thought is better than no answer.
    """

    def __init__(self, *, must_answer: bool) -> None:
        self.is_done = False
        self._must_answer = must_answer
        self._parts: list[Part] = []
        self._thought = ThoughtWriter()
        self._has_thinking = False
        self._has_answered = False

    @property
    def has_open_fence(self) -> bool:
        """Whether the thought ended by opening a fence."""
        return self._thought.has_open_fence

    def drain(self) -> list[Part]:
        """The parts since the last time."""
        parts, self._parts = self._parts, []
        return parts

    def think(self, text: str) -> None:
        """Thinking that stood in tags."""
        if text:
            self._parts.append(ThinkingPart(text))
            self._has_thinking = True

    def write_thought(self, text: str) -> None:
        """More of the thought."""
        self._add_thought(self._thought.write(text))

    def open_fence(self, text: str) -> None:
        """A fence in the thought."""
        self._add_thought(self._thought.open_fence(text))

    def say(self, text: str) -> None:
        """More of the answer."""
        if text:
            self._parts.append(AnswerPart(text))
            self._has_answered = True

    def call(self, request: ToolRequest) -> None:
        """A complete call, which ends the reply."""
        self._end_with(ToolCallPart(request))

    def refuse(self, text: str) -> None:
        """A call that may not be run, which ends the reply too."""
        if self._must_answer:
            self.end()
        else:
            self._end_with(ProblemPart("unreadable", text))

    def end(self) -> None:
        """The reply has ended and should have been an answer."""
        self.is_done = True
        if self._has_answered:
            return
        if self._thought.text and self._must_answer:
            self.say(self._thought.text)
        elif self._thought.text:
            self._end_with(ProblemPart("thinking_only", advice.NO_ANSWER))
        elif self._has_thinking:
            self._end_with(ProblemPart("thinking_only", advice.THINKING_ONLY))
        else:
            self._end_with(ProblemPart("empty", advice.EMPTY))

    def _add_thought(self, text: str) -> None:
        if text:
            self._parts.append(ThoughtPart(text))

    def _end_with(self, part: ToolCallPart | ProblemPart) -> None:
        self._parts.append(part)
        self.is_done = True
