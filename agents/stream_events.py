"""What the agent adds to LlamaIndex's event stream, so that a page can tell thought, answer and giving up apart.

Order in a round: `AgentInput`, `ReActStream`s, `ReplyEnded` if our client read the reply to its end, then at most one
of `RetryRequested` and `GaveUp`. After `GaveUp` comes
one more `AgentInput` with its `ReActStream`s: the closing call, whose answer is the best so far.
"""

from typing import Any, Literal, TypeAlias

from llama_index.core.agent.workflow import AgentStream
from llama_index.core.workflow import Event

from agents.events import RetryReason
from llm.errors import LLMError
from llm.usage import Usage

GiveUpReason: TypeAlias = Literal["rounds_used_up", "repeated_call", "unreadable"]


NOTHING_TO_SAY = "I could not work out an answer to this."
"""The response if even the closing call brings no word. Not streamed: a page has its own words for it."""


class ReActStream(AgentStream):
    """One chunk of a reply: raw in `delta`, and what of it may be shown in the fields below.

    `response`, the text so far, stays empty: filling it would cost time that grows with the length of the reply.
    """

    thought_delta: str = ""
    answer_delta: str = ""

    @classmethod
    def of(cls, agent_name: str, *, delta: str, thinking: str, thought: str, answer: str, raw: Any) -> "ReActStream":
        """Built without validation, because there is one for every token."""
        return cls.model_construct(
            delta=delta,
            response="",
            current_agent_name=agent_name,
            tool_calls=[],
            raw=raw,
            thinking_delta=thinking or None,
            thought_delta=thought,
            answer_delta=answer,
        )


class RetryRequested(Event):
    """The reply could not be used; the model is told `advice` and asked again."""

    reason: RetryReason
    advice: str


class GaveUp(Event):
    """The agent stops trying, and why. The final `AgentOutput` carries the same reason as `output.get("gave_up")`."""

    reason: GiveUpReason


class ReplyEnded(Event):
    """What the endpoint said at the end of a reply. `shortfall` is why the reply is not whole, if it is not."""

    usage: Usage | None = None
    shortfall: LLMError | None = None
