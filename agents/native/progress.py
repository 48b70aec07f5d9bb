"""What one turn has come to so far, kept in the workflow's store between its rounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from agents.steps import MAX_SAME_RESULTS

_STATE = "native_state"
_NO_LIMIT = 1_000_000_000


@dataclass(slots=True)
class Progress:
    """`messages` are the rounds: the model's calls and their results. `rounds` replies, the last `failures` useless."""

    messages: list[ChatMessage] = field(default_factory=list)
    rounds: int = 0
    failures: int = 0
    vain_calls: list[str] = field(default_factory=list)
    """Keys of the calls that failed or found nothing."""
    said: list[str] = field(default_factory=list)
    """What calls gave back, with their keys."""
    goes_in_circles: bool = False
    """Whether one and the same call has been in vain in two rounds, or has said the same in four."""
    has_answered: bool = False
    left_out: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By call, the arguments that its tool does not know."""
    workflow_rounds_left: int = _NO_LIMIT
    """How many replies the workflow waits for before it raises."""

    @classmethod
    async def load(cls, ctx: AgentContext, messages_key: str) -> "Progress":
        """Go on where the last round stopped; in the first round of a run whatever an earlier run left is dropped."""
        done = await ctx.store.get("num_iterations", default=0)
        limit = await ctx.store.get("max_iterations", default=None) or _NO_LIMIT
        if not done:
            return cls(workflow_rounds_left=limit)
        messages = await ctx.store.get(messages_key, default=[])
        state: dict[str, Any] = await ctx.store.get(_STATE, default={})
        return cls(list(messages), **state, workflow_rounds_left=limit - done)

    async def save(self, ctx: AgentContext, messages_key: str) -> None:
        """Keep it for the next round."""
        names = ("rounds", "failures", "vain_calls", "said", "goes_in_circles", "has_answered", "left_out")
        await ctx.store.set(messages_key, self.messages)
        await ctx.store.set(_STATE, {name: getattr(self, name) for name in names})

    async def outlast_workflow(self, ctx: AgentContext) -> None:
        """The workflow raises when its own limit is reached, even if the last reply is the answer. By then ours has
        ended the turn.
        """
        if self.workflow_rounds_left <= 1:
            await ctx.store.set("max_iterations", await ctx.store.get("num_iterations", default=0) + 2)

    def note_vain_calls(self, keys: Iterable[str]) -> None:
        """Of one round."""
        new = set(keys)
        self.goes_in_circles = self.goes_in_circles or not new.isdisjoint(self.vain_calls)
        self.vain_calls += sorted(new - set(self.vain_calls))

    def note_said(self, said: set[str]) -> None:
        """In one round."""
        self.said += said
        self.goes_in_circles = self.goes_in_circles or any(self.said.count(one) > MAX_SAME_RESULTS for one in said)

    def add_results(self, results: Sequence[ChatMessage]) -> None:
        """Put tool messages behind the calls that they belong to, in the calls' order: they end as it happens."""
        at = max(i for i, message in enumerate(self.messages) if message.role == MessageRole.ASSISTANT)
        calls = [block for block in self.messages[at].blocks if isinstance(block, ToolCallBlock)]
        order = {call.tool_call_id: number for number, call in enumerate(calls)}
        behind = [*self.messages[at + 1 :], *results]
        behind.sort(key=lambda message: order.get(message.additional_kwargs.get("tool_call_id"), len(order)))
        self.messages = [*self.messages[: at + 1], *behind]
