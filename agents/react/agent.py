"""The ReAct agent: a subclass of LlamaIndex's `ReActAgent` for any LLM, alone or in an `AgentWorkflow`.

It knows neither endpoint nor page.
"""

from collections.abc import Sequence

from llama_index.core.agent.react.formatter import ReActChatFormatter
from llama_index.core.agent.react.types import BaseReasoningStep, ResponseReasoningStep
from llama_index.core.agent.workflow import AgentOutput, ReActAgent, ToolCallResult
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory
from llama_index.core.tools import AsyncBaseTool
from llama_index.core.workflow import Context
from pydantic import Field

from agents.react.guide import Guide
from agents.react.progress import Progress
from agents.react.prompt import ReActPrompt
from agents.react.round import Round
from agents.steps import CallStep, ResultStep
from tools.base import clip

_MAX_RESULT_CHARS = 200_000
"""Some 50,000 tokens: what is longer would rather keep the event loop busy than be read."""


class ReasoningReActAgent(ReActAgent):
    """A drop-in for `ReActAgent` that reads what models really write and always ends with an answer.

    There is one tool call a round: from the moment it is complete the model is not listened to any more. A turn ends
    with an answer, or after `max_rounds` replies, two identical calls in vain or two useless replies in a row with a
    closing call that gives the best answer so far. What it adds to the stream stands in `agents.stream_events`.
    `output_parser` is not used; of a limit of the workflow that is nearer than `max_rounds`, the same is made.
    """

    formatter: ReActChatFormatter = Field(default_factory=ReActPrompt)
    max_rounds: int = Field(default=12, ge=1, description="Replies of the model in one turn, without the closing call.")
    guide: Guide | None = Field(default=None, exclude=True, description="Steers models too small to keep the format.")

    async def take_step(
        self, ctx: AgentContext, llm_input: list[ChatMessage], tools: Sequence[AsyncBaseTool], memory: BaseMemory
    ) -> AgentOutput:
        """One round: ask the model, and say what its reply leads to."""
        progress = await Progress.load(ctx, self.reasoning_key)
        output = await Round(self, ctx, progress, progress.without_retry(llm_input), tools).run()
        await progress.save(ctx, self.reasoning_key)
        return output

    async def handle_tool_call_results(self, ctx: Context, results: list[ToolCallResult], memory: BaseMemory) -> None:
        """Keep what the tools gave back for the next round."""
        steps: list[BaseReasoningStep] = list(await ctx.store.get(self.reasoning_key, default=[]))
        left_out = steps[-1].left_out if steps and isinstance(steps[-1], CallStep) else ()
        for result in results:
            text, is_error = clip(result.tool_output.content, _MAX_RESULT_CHARS), result.tool_output.is_error
            steps.append(ResultStep(observation=text, source=result.tool_name, is_error=is_error, left_out=left_out))
            if result.return_direct and not is_error and result.tool_name != "handoff":
                steps.append(ResponseReasoningStep(thought="", response=text))
                break
        await ctx.store.set(self.reasoning_key, steps)

    async def finalize(self, ctx: Context, output: AgentOutput, memory: BaseMemory) -> AgentOutput:
        """Remember the answer, without the rounds that led to it."""
        steps = await ctx.store.get(self.reasoning_key, default=[])
        if steps and isinstance(steps[-1], ResponseReasoningStep):
            await memory.aput(ChatMessage(role=MessageRole.ASSISTANT, content=steps[-1].response))
            await ctx.store.set(self.reasoning_key, [])
        return output
