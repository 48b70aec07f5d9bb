"""The native agent: a subclass of LlamaIndex's `FunctionAgent` that shows what is said and always ends well.

It knows neither endpoint nor page.
"""

from collections.abc import Sequence
from datetime import date

from llama_index.core.agent.workflow import AgentOutput, FunctionAgent, ToolCallResult
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory
from llama_index.core.tools import AsyncBaseTool
from llama_index.core.workflow import Context
from pydantic import Field

from agents.native.calls import key_of_call
from agents.native.no_tools import NoNativeTools
from agents.native.progress import Progress
from agents.native.prompt import result_message
from agents.native.round import Round
from agents.steps import ResultStep


class ReasoningFunctionAgent(FunctionAgent):
    """A drop-in for `FunctionAgent`: tools by the endpoint's own tool calling, or with no tools a plain chat.

    Calls of one reply run side by side. A call that does not fit its tool is not run but answered with advice. A turn
    ends with an answer, or after `max_rounds` replies, the same call in vain twice or two useless replies in a row
    with a closing call without tools that gives the best answer so far. What it adds to the stream stands in
    `agents.stream_events`; of a limit of the workflow that is nearer than `max_rounds`, the same is made.

    Text beside calls is a thought. Only if it was too long for a remark before the calls came, it is the beginning of
    the answer, with which later replies go on: see `agents.native.speech`.
    """

    max_rounds: int = Field(default=12, ge=1, description="Replies of the model in one turn, without the closing call.")
    today: date | None = Field(default=None, description="None for the day on which the prompt is written.")

    async def take_step(
        self, ctx: AgentContext, llm_input: list[ChatMessage], tools: Sequence[AsyncBaseTool], memory: BaseMemory
    ) -> AgentOutput:
        """One round: ask the model, and say what its reply leads to. Raises `NoNativeTools`."""
        if tools and not self.llm.metadata.is_function_calling_model:
            raise NoNativeTools(model=self.llm.metadata.model_name)
        progress = await Progress.load(ctx, self.scratchpad_key)
        output = await Round(self, ctx, progress, llm_input, tools).run()
        await progress.save(ctx, self.scratchpad_key)
        await progress.outlast_workflow(ctx)
        return output

    async def handle_tool_call_results(self, ctx: Context, results: list[ToolCallResult], memory: BaseMemory) -> None:
        """Keep what the tools gave back for the next round."""
        progress = await Progress.load(ctx, self.scratchpad_key)
        progress.add_results([result_message(one, progress.left_out.get(one.tool_id, ())) for one in results])
        said = {f"{_key_of(one)} {one.tool_output.content}" for one in results}
        progress.note_vain_calls(_key_of(one) for one in results if _is_in_vain(one))
        progress.note_said(said)
        if direct := next((one for one in results if _is_the_answer(one)), None):
            answer = direct.tool_output.content or ""
            progress.messages.append(ChatMessage(role=MessageRole.ASSISTANT, content=answer))
        await progress.save(ctx, self.scratchpad_key)


def _key_of(result: ToolCallResult) -> str:
    return key_of_call(result.tool_name, result.tool_kwargs)


def _is_in_vain(result: ToolCallResult) -> bool:
    output = result.tool_output
    return ResultStep(observation=output.content or "", source=result.tool_name, is_error=output.is_error).is_useless


def _is_the_answer(result: ToolCallResult) -> bool:
    return result.return_direct and not result.tool_output.is_error and result.tool_name != "handoff"
