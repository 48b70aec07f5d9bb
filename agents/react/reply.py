"""What a reply of the model means, as facts: parts while it arrives, and a `Reply` once it is whole."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agents.events import RetryReason


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call of a tool that exists, with arguments that fit it. `left_out` names arguments it does not know."""

    name: str
    arguments: dict[str, Any]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """More of the private thinking that an endpoint left in the text, between think tags."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtPart:
    """More of the thought."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """More of the answer. It is final: nothing later in the reply takes it back."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """The call is complete; what the model may still write is not part of the reply."""

    request: ToolRequest


@dataclass(frozen=True, slots=True)
class ProblemPart:
    """The reply is of no use, and `advice` tells the model exactly what to change. Nothing follows."""

    reason: RetryReason
    advice: str


Part: TypeAlias = ThinkingPart | ThoughtPart | AnswerPart | ToolCallPart | ProblemPart


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply: a thought, then exactly one of an answer, a tool call and a problem."""

    thinking: str = ""
    thought: str = ""
    answer: str | None = None
    tool_call: ToolRequest | None = None
    problem: ProblemPart | None = None


@dataclass(slots=True)
class ReplyBuilder:
    """Puts the parts of one reply together."""

    _texts: dict[type, list[str]] = field(default_factory=lambda: {ThinkingPart: [], ThoughtPart: [], AnswerPart: []})
    _tool_call: ToolRequest | None = None
    _problem: ProblemPart | None = None

    def add(self, part: Part) -> None:
        """Take in the next part."""
        match part:
            case ToolCallPart(request):
                self._tool_call = request
            case ProblemPart():
                self._problem = part
            case _:
                self._texts[type(part)].append(part.text)

    def build(self) -> Reply:
        """What all parts so far come to."""
        answer = "".join(self._texts[AnswerPart])
        return Reply(
            thinking="".join(self._texts[ThinkingPart]),
            thought="".join(self._texts[ThoughtPart]),
            answer=answer or None,
            tool_call=self._tool_call,
            problem=self._problem,
        )
