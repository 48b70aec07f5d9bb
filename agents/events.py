"""What happens in a turn, as typed facts: the contract between the agent and whatever shows it.

Pure data: nothing here knows LlamaIndex, the wire or the page.

Order within a turn:

* `RoundStarted` opens each call of the model; rounds count from 1.
* In a round, any number of `ThinkingDelta`s, closed by exactly one `ThinkingEnded` before anything else of the
  round is shown; then `ThoughtDelta`s (ReAct's own `Thought:` line), then either `AnswerDelta`s or tool calls.
* Each `ToolStarted` is followed by exactly one `ToolFinished` with the same `call_id`; calls may overlap.
* `Retrying` says that the round's reply was of no use and that a new round follows.
* `UsageReported` comes at most once a round, at its end.
* `TurnEnded` is the last event and comes exactly once, unless whoever listens ends the turn: by leaving, as Stop does.

An agent that calls tools natively learns only at the end of a reply whether the text before was its answer: a long
remark before a call stands as the beginning of the answer, which later rounds go on with.

All text deltas are non-empty and append-only: joined in order they are what the person has read.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

EndReason: TypeAlias = Literal["answered", "stopped", "interrupted", "gave_up", "failed"]
"""How a turn ended. `stopped` is the person's wish, `interrupted` the end of the server in its midst."""

RetryReason: TypeAlias = Literal["empty", "unreadable", "thinking_only"]


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The model is being called. `number` counts from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More of the model's private thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingEnded:
    """The round's thinking is complete; `seconds` from its first to its last token."""

    seconds: float


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """More of ReAct's own `Thought:`, which the model writes in its reply and not in its thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool is about to run. Followed by exactly one `ToolFinished` with the same `call_id`."""

    call_id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool has ended. `text` is what the model reads; `display` holds what the person sees instead, if anything.

    `seconds` are the tool's own, without those in which a person was asked whether it may run. An error with a
    `refusal` is nobody's fault: it says why they did not let it run.
    """

    call_id: str
    text: str
    seconds: float
    is_error: bool = False
    display: tuple[Any, ...] = ()
    refusal: Literal["deny", "unanswered"] | None = None


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """More of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The reply could not be used and the model is asked again."""

    reason: RetryReason


@dataclass(frozen=True, slots=True)
class Stalled:
    """The endpoint has sent nothing for `seconds`; comes again while that lasts, and any other event ends it."""

    seconds: float


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Tokens of one round as the endpoint counted them; None where it did not say."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    thinking_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `error` says why it failed, or why an answer is not whole; else it is None."""

    reason: EndReason
    seconds: float
    error: Exception | None = field(default=None, compare=False)


TurnEvent: TypeAlias = (
    RoundStarted
    | ThinkingDelta
    | ThinkingEnded
    | ThoughtDelta
    | ToolStarted
    | ToolFinished
    | AnswerDelta
    | Retrying
    | Stalled
    | UsageReported
    | TurnEnded
)
