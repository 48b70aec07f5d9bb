"""What one turn has come to so far, kept in the workflow's store between its rounds."""

from dataclasses import dataclass, field

from llama_index.core.agent.react.types import BaseReasoningStep
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage

_COUNTS = "react_counts"
_NO_LIMIT = 1_000_000_000


@dataclass(slots=True)
class Progress:
    """`rounds` replies so far, the last `failures` of them useless."""

    steps: list[BaseReasoningStep] = field(default_factory=list)
    rounds: int = 0
    failures: int = 0
    retry_messages: int = 0
    """How many messages the workflow puts at the end of the next input because of a retry. We have them in `steps`."""
    input_limit: int = 0
    """How many tokens may be sent, where the endpoint has taught us; 0 where it has not."""
    workflow_rounds_left: int = _NO_LIMIT
    """How many replies the workflow waits for before it raises."""

    @classmethod
    async def load(cls, ctx: AgentContext, steps_key: str) -> "Progress":
        """Go on where the last round stopped; in the first round of a run whatever an earlier run left is dropped."""
        done = await ctx.store.get("num_iterations", default=0)
        limit = await ctx.store.get("max_iterations", default=None) or _NO_LIMIT
        if not done:
            return cls(workflow_rounds_left=limit)
        steps = await ctx.store.get(steps_key, default=[])
        counts = await ctx.store.get(_COUNTS, default={})
        return cls(list(steps), **counts, workflow_rounds_left=limit - done)

    async def save(self, ctx: AgentContext, steps_key: str) -> None:
        """Keep it for the next round."""
        counts = {
            "rounds": self.rounds,
            "failures": self.failures,
            "retry_messages": self.retry_messages,
            "input_limit": self.input_limit,
        }
        await ctx.store.set(steps_key, self.steps)
        await ctx.store.set(_COUNTS, counts)
        if self.workflow_rounds_left <= 1:
            # The workflow raises when its own limit is reached, even if the last reply is the answer. Ours has ended
            # the turn by then.
            await ctx.store.set("max_iterations", await ctx.store.get("num_iterations", default=0) + 2)

    def without_retry(self, llm_input: list[ChatMessage]) -> list[ChatMessage]:
        """The conversation before this turn's rounds. After a retry the workflow repeats the question at its end."""
        kept, self.retry_messages = llm_input[: len(llm_input) - self.retry_messages], 0
        return kept
