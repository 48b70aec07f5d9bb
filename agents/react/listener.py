"""Listens to one reply of the model: splits it while it streams, and hangs up as soon as a tool call is complete."""

from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from llama_index.core.agent.workflow import AgentInput
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ThinkingBlock
from llama_index.core.llms.llm import LLM
from pydantic import BaseModel

from agents.observation import in_all_texts, restored
from agents.react.reply import (
    AnswerPart,
    Part,
    ProblemPart,
    Reply,
    ReplyBuilder,
    ThinkingPart,
    ThoughtPart,
    ToolCallPart,
)
from agents.react.splitter import Splitter
from agents.stream_events import ReActStream, ReplyEnded
from llm.response import ReasoningChatResponse


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply, its source `text` as far as it was listened to, and the endpoint's last `raw` chunk."""

    reply: Reply
    text: str
    has_thinking: bool
    raw: Any = None
    is_cut: bool = False
    """Whether the endpoint's limit of tokens ended it."""


@dataclass(slots=True)
class Listener:
    """For one reply. `agent_name` signs the events."""

    ctx: AgentContext
    agent_name: str
    splitter: Splitter
    _reply: ReplyBuilder = field(default_factory=ReplyBuilder)
    _text: list[str] = field(default_factory=list)
    _has_thinking: bool = False
    _raw: Any = None
    _is_cut: bool = False

    async def hear(self, llm: LLM, messages: list[ChatMessage], *, streaming: bool, kwargs: dict[str, Any]) -> Heard:
        """Ask and listen. Cancelling it, or the end of a tool call, closes the model's stream."""
        self.ctx.write_event_to_stream(AgentInput(input=messages, current_agent_name=self.agent_name))
        if streaming:
            await self._stream(llm, messages, kwargs)
        else:
            await self._whole(llm, messages, kwargs)
        reply = self._reply.build()
        return Heard(reply, "".join(self._text), self._has_thinking, _dumped(self._raw), self._is_cut)

    async def _stream(self, llm: LLM, messages: list[ChatMessage], kwargs: dict[str, Any]) -> None:
        last = None
        async with aclosing(await llm.astream_chat(messages, **kwargs)) as responses:
            async for last in responses:
                self._take(last.delta or "", last)
                if self.splitter.is_done:
                    break
        if last and not self._text:
            self._take(last.message.content or "", last)
        self._show(self.splitter.finish())
        if isinstance(last, ReasoningChatResponse):
            self._is_cut = last.shortfall is not None
            self.ctx.write_event_to_stream(ReplyEnded(usage=last.usage, shortfall=last.shortfall))

    async def _whole(self, llm: LLM, messages: list[ChatMessage], kwargs: dict[str, Any]) -> None:
        response = await llm.achat(messages, **kwargs)
        self._raw = response.raw
        self._has_thinking = any(isinstance(block, ThinkingBlock) for block in response.message.blocks)
        self._text.append(response.message.content or "")
        for part in [*self.splitter.feed(self._text[0]), *self.splitter.finish()]:
            self._reply.add(_restored(part))

    def _take(self, delta: str, response: ChatResponse) -> None:
        self._raw = response.raw or self._raw
        thinking = restored(response.additional_kwargs.get("thinking_delta") or "")
        self._has_thinking = self._has_thinking or bool(thinking)
        if isinstance(response, ReasoningChatResponse) and response.recalls_text:
            self._text.clear()
            self.splitter.recall()
        if delta:
            self._text.append(delta)
        self._show(self.splitter.feed(delta), delta=delta, thinking=thinking, raw=response.raw, is_chunk=True)

    def _show(
        self, parts: list[Part], *, delta: str = "", thinking: str = "", raw: Any = None, is_chunk: bool = False
    ) -> None:
        thought = answer = ""
        for part in map(_restored, parts):
            self._reply.add(part)
            match part:
                case AnswerPart(text):
                    answer += text
                case ThoughtPart(text):
                    thought += text
                case ThinkingPart(text):
                    thinking += text
                    self._has_thinking = True
        if is_chunk or thinking or thought or answer:
            event = ReActStream.of(
                self.agent_name, delta=delta, thinking=thinking, thought=thought, answer=answer, raw=raw
            )
            self.ctx.write_event_to_stream(event)

    def say(self, answer: str) -> None:
        """Show an answer that did not come as one."""
        self._show([AnswerPart(answer)])


def _restored(part: Part) -> Part:
    match part:
        case ToolCallPart(request):
            return ToolCallPart(replace(request, arguments=in_all_texts(request.arguments, restored)))
        case ProblemPart():
            return part
    return replace(part, text=restored(part.text))


def _dumped(raw: Any) -> Any:
    return raw.model_dump() if isinstance(raw, BaseModel) else raw
