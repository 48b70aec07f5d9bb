"""One round of a turn, or more if replies are of no use: ask the model, and decide what its reply leads to."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.agent.workflow import AgentOutput
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import AsyncBaseTool

from agents.input_limit import input_limit
from agents.native import advice
from agents.native.calls import CheckedCall, check
from agents.native.fitting import cost_of_tools, fitted
from agents.native.listener import Heard, Listener
from agents.native.progress import Progress
from agents.native.prompt import conversation, system_prompt, tool_message
from agents.native.speech import Speech
from agents.native.written import WrittenCalls
from agents.observation import without_tokens
from agents.stream_events import NOTHING_TO_SAY, GaveUp, GiveUpReason, RetryRequested
from agents.token_estimate import estimate_tokens
from agents.toolbox import toolbox_of

if TYPE_CHECKING:
    from agents.native.agent import ReasoningFunctionAgent

_FAILURES_IN_A_ROW = 2


@dataclass(slots=True)
class Round:
    """`history` is the conversation up to the user's question; `progress` is updated."""

    agent: "ReasoningFunctionAgent"
    ctx: AgentContext
    progress: Progress
    history: Sequence[ChatMessage]
    tools: Sequence[AsyncBaseTool]

    async def run(self) -> AgentOutput:
        """What the workflow has to do next: run tools, or end with an answer."""
        note = ""
        while not self.progress.goes_in_circles:
            heard = await self._hear(self.tools, note)
            self.progress.rounds += 1
            calls = self._checked(heard)
            if calls and self._is_last:
                return await self._give_up("rounds_used_up")
            if any(call.selection for call in calls):
                return self._run_tools(heard, calls)
            if heard.text and not calls:
                return self._answered(heard)
            self.progress.failures += 1
            if self.progress.failures >= _FAILURES_IN_A_ROW:
                return await self._give_up("unreadable")
            if self._is_last:
                return await self._give_up("rounds_used_up")
            note = self._ask_again(heard, calls)
        return await self._give_up("repeated_call")

    @property
    def _is_last(self) -> bool:
        return self.progress.rounds >= self.agent.max_rounds or self.progress.workflow_rounds_left <= 1

    async def _hear(self, tools: Sequence[AsyncBaseTool], note: str) -> Heard:
        messages = self._messages(note)
        speech = Speech(may_call=bool(tools), before="\n\n" if self.progress.has_answered else "")
        written = WrittenCalls(toolbox_of(self.tools), may_tell=bool(tools))
        listener = Listener(self.ctx, self.agent.name, speech, written)
        hear = listener.stream if self.agent.streaming else listener.whole
        heard = await hear(messages, self._asked(messages, tools))
        self.progress.has_answered = self.progress.has_answered or speech.has_answered
        return heard

    def _messages(self, note: str) -> list[ChatMessage]:
        """What fits the model's window. The system prompt is the same in all rounds, so that endpoints can cache it."""
        prompts = [message.content or "" for message in self.history if message.role == MessageRole.SYSTEM]
        said = [message for message in self.history if message.role != MessageRole.SYSTEM]
        system = system_prompt(prompts, today=self.agent.today or date.today(), has_tools=bool(self.tools))
        taken = estimate_tokens(system + note) + cost_of_tools(self.tools)
        room = input_limit(self.agent.llm.metadata) - taken
        return conversation(system, fitted([*said, *self.progress.messages], max_tokens=room), note=note)

    def _asked(self, messages: list[ChatMessage], tools: Sequence[AsyncBaseTool]) -> Awaitable[Any]:
        agent = self.agent
        if not tools:
            return agent.llm.astream_chat(messages) if agent.streaming else agent.llm.achat(messages)
        llm = cast(FunctionCallingLLM, agent.llm)
        ask = llm.astream_chat_with_tools if agent.streaming else llm.achat_with_tools
        is_choice_made = agent.initial_tool_choice is not None and not self.progress.rounds
        choice: dict[str, Any] = {"tool_choice": agent.initial_tool_choice} if is_choice_made else {}
        parallel = agent.allow_parallel_tool_calls
        return ask(tools=list(tools), chat_history=messages, allow_parallel_tool_calls=parallel, **choice)

    def _checked(self, heard: Heard) -> list[CheckedCall]:
        if not self.tools:
            return []  # some models call from memory what nobody offers
        calls = heard.calls if self.agent.allow_parallel_tool_calls else heard.calls[:1]
        toolbox = toolbox_of(self.tools)
        return [check(call, toolbox, is_cut=heard.is_cut and call is calls[-1]) for call in calls]

    def _run_tools(self, heard: Heard, calls: Sequence[CheckedCall]) -> AgentOutput:
        self.progress.failures = 0
        message = self._keep(heard, calls)
        self.progress.left_out = {call.call_id: call.left_out for call in calls if call.left_out}
        output = self._output(heard, message)
        output.tool_calls = [call.selection for call in calls if call.selection]
        return output

    def _ask_again(self, heard: Heard, calls: Sequence[CheckedCall]) -> str:
        """Tell that the reply was of no use. What to tell the model beside what its calls are answered, if anything."""
        if calls:
            self._keep(heard, calls)
            words = "\n".join(call.advice for call in calls)
            self.ctx.write_event_to_stream(RetryRequested(reason="unreadable", advice=words))
            return ""
        note = advice.THINKING_ONLY if heard.has_thinking else advice.EMPTY
        reason = "thinking_only" if heard.has_thinking else "empty"
        self.ctx.write_event_to_stream(RetryRequested(reason=reason, advice=note))
        return note

    def _keep(self, heard: Heard, calls: Sequence[CheckedCall]) -> ChatMessage:
        """Keep the reply with its calls, and what is told about those that can't be run."""
        message = _without_calls(heard.message)
        message.blocks = [*message.blocks, *(call.block for call in calls)]
        refused = [call for call in calls if not call.selection]
        self.progress.messages.append(message)
        self.progress.add_results([tool_message(call.call_id, without_tokens(call.advice)) for call in refused])
        self.progress.note_vain_calls(call.key for call in refused)
        return message

    def _answered(self, heard: Heard) -> AgentOutput:
        message = _without_calls(heard.message)
        self.progress.messages.append(message)
        return self._output(heard, message)

    async def _give_up(self, reason: GiveUpReason) -> AgentOutput:
        """One more call without tools, which sees all that was found out."""
        self.ctx.write_event_to_stream(GaveUp(reason=reason))
        heard = await self._hear([], advice.CLOSING)
        message = _without_calls(heard.message)
        if not heard.text:
            message = ChatMessage(role=MessageRole.ASSISTANT, content=NOTHING_TO_SAY)
        self.progress.messages.append(message)
        output = self._output(heard, message)
        output["gave_up"] = reason
        return output

    def _output(self, heard: Heard, message: ChatMessage) -> AgentOutput:
        return AgentOutput(response=message, raw=heard.raw, current_agent_name=self.agent.name)


def _without_calls(message: ChatMessage) -> ChatMessage:
    """The message without its calls, of which the client keeps a second form for LlamaIndex's other readers."""
    blocks = [block for block in message.blocks if not isinstance(block, ToolCallBlock)] or [TextBlock(text="")]
    kwargs = {name: value for name, value in message.additional_kwargs.items() if name != "tool_calls"}
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks, additional_kwargs=kwargs)
