"""Listens to one reply of the model and passes on what may be shown while it streams."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.agent.workflow import AgentInput
from llama_index.core.agent.workflow.agent_context import AgentContext
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ThinkingBlock, ToolCallBlock
from pydantic import BaseModel

from agents.native.no_tools import refusal_named
from agents.native.speech import Shown, Speech
from agents.native.written import WrittenCalls
from agents.observation import restored
from agents.stream_events import ReActStream, ReplyEnded
from llm.errors import LLMError, OutOfTokens
from llm.response import ReasoningChatResponse


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply: `message` as the model wrote it, but no calls in its text, and the endpoint's last `raw` chunk."""

    message: ChatMessage
    raw: Any = None
    is_cut: bool = False
    """Whether the endpoint's limit of tokens ended it."""

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.message.blocks if isinstance(block, TextBlock)).strip()

    @property
    def calls(self) -> list[ToolCallBlock]:
        return [block for block in self.message.blocks if isinstance(block, ToolCallBlock)]

    @property
    def has_thinking(self) -> bool:
        return any(isinstance(block, ThinkingBlock) for block in self.message.blocks)


@dataclass(slots=True)
class Listener:
    """For one reply. `agent_name` signs the events."""

    ctx: AgentContext
    agent_name: str
    speech: Speech
    written: WrittenCalls
    _last: ChatResponse = field(default_factory=lambda: ChatResponse(message=ChatMessage()))
    _has_text: bool = False

    async def stream(self, messages: Sequence[ChatMessage], asked: Awaitable[Any]) -> Heard:
        """Listen to the stream that `asked` brings. Cancelling it closes the model's stream."""
        self._announce(messages)
        with refusal_named():
            await self._listen(asked)
        if not self._has_text:
            self._show(self._spoken(self._last.message.content or ""))
        self._end_text()
        if _has_call(self._last):
            self._show(self.speech.call())
        self._show(self.speech.end())
        if isinstance(self._last, ReasoningChatResponse):
            self.ctx.write_event_to_stream(ReplyEnded(usage=self._last.usage, shortfall=self._last.shortfall))
        return self._heard()

    async def whole(self, messages: Sequence[ChatMessage], asked: Awaitable[ChatResponse]) -> Heard:
        """The reply that `asked` brings in one piece. Nothing of it is shown before the agent's output."""
        self._announce(messages)
        with refusal_named():
            self._last = await asked
        self.written.feed(self._last.message.content or "")
        self.written.finish(is_cut=self._is_cut)
        return self._heard()

    async def _listen(self, asked: Awaitable[Any]) -> None:
        try:
            async with aclosing(await asked) as responses:
                await self._take_all(responses)
        except LLMError as error:
            self._end_text()
            self._show(self.speech.end())
            if not (isinstance(error, OutOfTokens) and self.speech.has_call):
                raise  # a call that was cut off is the model's to make again

    async def _take_all(self, responses: AsyncIterator[ChatResponse]) -> None:
        async for response in responses:
            self._last = response
            self._take(response)
            if self.written.is_over:
                break

    def _take(self, response: ChatResponse) -> None:
        delta = response.delta or ""
        thinking = restored(response.additional_kwargs.get("thinking_delta") or "")
        shown = Shown()
        if isinstance(response, ReasoningChatResponse) and response.recalls_text:
            self.speech.recall()
            self.written.recall()
        if delta:
            self._has_text = True
            shown = self._spoken(delta)
        elif not thinking and not self.speech.has_call and _has_call(response):
            shown = self.speech.call()
        self._show(shown, delta=delta, thinking=thinking, raw=response.raw, is_chunk=True)

    def _spoken(self, delta: str) -> Shown:
        """What may be shown when more of the text has come."""
        return self._said(self.written.feed(delta))

    def _end_text(self) -> None:
        self._show(self._said(self.written.finish(is_cut=self._is_cut)))

    def _said(self, text: str) -> Shown:
        shown = self.speech.text(restored(text)) if text else Shown()
        if self.written.calls and not self.speech.has_call:
            return Shown(self.speech.call().thought, shown.answer)
        return shown

    def _show(
        self, shown: Shown, *, delta: str = "", thinking: str = "", raw: Any = None, is_chunk: bool = False
    ) -> None:
        if is_chunk or any(shown):
            event = ReActStream.of(
                self.agent_name, delta=delta, thinking=thinking, thought=shown.thought, answer=shown.answer, raw=raw
            )
            self.ctx.write_event_to_stream(event)

    def _announce(self, messages: Sequence[ChatMessage]) -> None:
        self.ctx.write_event_to_stream(AgentInput(input=list(messages), current_agent_name=self.agent_name))

    @property
    def _is_cut(self) -> bool:
        return isinstance(self._last, ReasoningChatResponse) and self._last.shortfall is not None

    def _heard(self) -> Heard:
        last, is_cut = self._last, self._is_cut
        message = last.message
        if self.written.calls:
            is_cut = is_cut if _has_call(last) else self.written.is_cut
            message = _with_calls(message, self.written)
        return Heard(message, last.raw.model_dump() if isinstance(last.raw, BaseModel) else last.raw, is_cut)


def _with_calls(message: ChatMessage, written: WrittenCalls) -> ChatMessage:
    """The message with the calls in its text as calls of their own, unless the endpoint has read calls itself."""
    others = [block for block in message.blocks if not isinstance(block, TextBlock | ToolCallBlock)]
    calls = [block for block in message.blocks if isinstance(block, ToolCallBlock)] or written.calls
    return message.model_copy(update={"blocks": [*others, TextBlock(text=written.text.strip()), *calls]})


def _has_call(response: ChatResponse) -> bool:
    if isinstance(response, ReasoningChatResponse) and response.silent_s is not None:
        return False
    return any(isinstance(block, ToolCallBlock) for block in response.message.blocks)
