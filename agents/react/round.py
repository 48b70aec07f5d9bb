"""One round of a turn: ask the model, and decide what its reply leads to."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llama_index.core.agent.react.types import BaseReasoningStep, ResponseReasoningStep
from llama_index.core.agent.workflow import AgentOutput
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import AsyncBaseTool

from agents.input_limit import input_limit, narrower_limit
from agents.react import advice
from agents.react.fitting import fitted
from agents.react.listener import Heard, Listener
from agents.react.progress import Progress
from agents.react.prompt import CLOSING, ReActPrompt, alternating, conversation
from agents.react.reply import ProblemPart, ToolRequest
from agents.react.splitter import Splitter
from agents.steps import AdviceStep, BadReplyStep, CallStep, ResultStep, has_repeated_useless_call
from agents.stream_events import NOTHING_TO_SAY, GaveUp, GiveUpReason, RetryRequested
from agents.token_estimate import tokens_of
from agents.toolbox import Toolbox, toolbox_of
from llm.errors import ContextTooLong

if TYPE_CHECKING:
    from agents.react.agent import ReasoningReActAgent

_FAILURES_IN_A_ROW = 2


@dataclass(slots=True)
class Round:
    """`history` is the conversation up to the user's question; `progress` is updated."""

    agent: "ReasoningReActAgent"
    ctx: AgentContext
    progress: Progress
    history: list[ChatMessage]
    tools: Sequence[AsyncBaseTool]

    async def run(self) -> AgentOutput:
        """What the workflow has to do next: run a tool, ask again, or end with an answer."""
        if has_repeated_useless_call(self.progress.steps):
            return await self._give_up("repeated_call")
        heard, listener = await self._ask(self.tools, Splitter(toolbox_of(self.tools)))
        self.progress.rounds += 1
        reply = heard.reply
        if reply.problem:
            return await self._after_problem(heard, reply.problem, listener)
        if reply.tool_call and heard.is_cut:
            return await self._after_problem(heard, ProblemPart("unreadable", advice.CUT), listener)
        self.progress.failures = 0
        if reply.tool_call is None:
            return self._answered(heard, reply.answer or "")
        return await self._give_up("rounds_used_up") if self._is_last else self._call(heard, reply.tool_call)

    @property
    def _is_last(self) -> bool:
        return self.progress.rounds >= self.agent.max_rounds or self.progress.workflow_rounds_left <= 1

    async def _ask(self, tools: Sequence[AsyncBaseTool], splitter: Splitter) -> tuple[Heard, Listener]:
        """Where the model can read less than we were told, the endpoint says so: then less is sent, once a round."""
        try:
            return await self._hear(tools, splitter)
        except ContextTooLong as error:
            self.progress.input_limit = narrower_limit(self._input_limit, error)
            return await self._hear(tools, splitter)

    async def _hear(self, tools: Sequence[AsyncBaseTool], splitter: Splitter) -> tuple[Heard, Listener]:
        kwargs = {}
        if guide := self.agent.guide:
            observations = [step.observation for step in self.progress.steps if isinstance(step, ResultStep)]
            kwargs = guide.request_kwargs(tools, observations=observations)
        listener = Listener(self.ctx, self.agent.name, splitter)
        messages, streaming = self._messages(tools), self.agent.streaming
        return await listener.hear(self.agent.llm, messages, streaming=streaming, kwargs=kwargs), listener

    @property
    def _input_limit(self) -> int:
        return self.progress.input_limit or input_limit(self.agent.llm.metadata)

    def _messages(self, tools: Sequence[AsyncBaseTool]) -> list[ChatMessage]:
        """What fits the model's window. Whatever the prompt itself takes is taken off first."""
        prompts = [message for message in self.history if message.role == MessageRole.SYSTEM]
        said = [message for message in self.history if message.role != MessageRole.SYSTEM]
        room = self._input_limit - tokens_of(self._formatted(tools, prompts, []))
        said, steps = fitted(said, self.progress.steps, max_tokens=room)
        return self._formatted(tools, [*prompts, *said], steps)

    def _formatted(
        self, tools: Sequence[AsyncBaseTool], history: list[ChatMessage], steps: list[BaseReasoningStep]
    ) -> list[ChatMessage]:
        """Any formatter of LlamaIndex will do; others than ours have the system prompt already and would repeat it."""
        formatter = self.agent.formatter
        if self.agent.guide:
            return conversation(self.agent.guide.system_prompt(tools), history, steps)
        if not isinstance(formatter, ReActPrompt):
            history = [message for message in history if message.content != self.agent.system_prompt]
        return alternating(formatter.format(tools, history, steps))

    def _call(self, heard: Heard, request: ToolRequest) -> AgentOutput:
        thought = heard.reply.thought
        step = CallStep(thought=thought, action=request.name, action_input=request.arguments, left_out=request.left_out)
        self.progress.steps.append(step)
        selection = ToolSelection(tool_id=str(uuid.uuid4()), tool_name=request.name, tool_kwargs=request.arguments)
        return self._output(heard, heard.text, tool_calls=[selection])

    def _answered(self, heard: Heard, answer: str) -> AgentOutput:
        self.progress.steps.append(ResponseReasoningStep(thought=heard.reply.thought, response=answer))
        return self._output(heard, answer)

    async def _after_problem(self, heard: Heard, problem: ProblemPart, listener: Listener) -> AgentOutput:
        self.progress.failures += 1
        is_second = self.progress.failures >= _FAILURES_IN_A_ROW
        if is_second and problem.reason == "thinking_only" and heard.reply.thought:
            listener.say(heard.reply.thought)
            return self._answered(heard, heard.reply.thought)
        if is_second:
            return await self._give_up("unreadable")
        if self._is_last:
            return await self._give_up("rounds_used_up")
        return self._retry(heard, problem)

    def _retry(self, heard: Heard, problem: ProblemPart) -> AgentOutput:
        if problem.reason == "empty" and heard.has_thinking:
            problem = ProblemPart("thinking_only", advice.THINKING_ONLY)
        self.ctx.write_event_to_stream(RetryRequested(reason=problem.reason, advice=problem.advice))
        bad = heard.text.strip()
        self.progress.steps += [*([BadReplyStep(text=bad)] if bad else []), AdviceStep(observation=problem.advice)]
        messages = [
            ChatMessage(role=MessageRole.ASSISTANT, content=bad),
            ChatMessage(role=MessageRole.USER, content=problem.advice),
        ]
        self.progress.retry_messages = len(messages) + 1
        return self._output(heard, heard.text, retry_messages=messages)

    async def _give_up(self, reason: GiveUpReason) -> AgentOutput:
        """One more call without tools, which sees all that was found out."""
        self.ctx.write_event_to_stream(GaveUp(reason=reason))
        self.progress.steps.append(AdviceStep(observation=CLOSING))
        heard, _ = await self._ask([], Splitter(Toolbox(), must_answer=True))
        answer = heard.reply.answer or NOTHING_TO_SAY
        self.progress.steps.append(ResponseReasoningStep(thought=heard.reply.thought, response=answer))
        output = self._output(heard, answer)
        output["gave_up"] = reason
        return output

    def _output(
        self,
        heard: Heard,
        text: str,
        *,
        tool_calls: Sequence[ToolSelection] = (),
        retry_messages: Sequence[ChatMessage] = (),
    ) -> AgentOutput:
        return AgentOutput(
            response=ChatMessage(role=MessageRole.ASSISTANT, content=text),
            raw=heard.raw,
            current_agent_name=self.agent.name,
            tool_calls=list(tool_calls),
            retry_messages=list(retry_messages),
        )
