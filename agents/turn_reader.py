"""LlamaIndex's workflow events read as `TurnEvent`s. One reader a turn; it holds the clocks and no connection."""

import time
from collections.abc import Iterator

from llama_index.core.agent.workflow import AgentInput, AgentOutput, ToolCall, ToolCallResult
from llama_index.core.workflow import Event

from agents.events import (
    AnswerDelta,
    Retrying,
    RoundStarted,
    Stalled,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    UsageReported,
)
from agents.stream_events import GaveUp, ReActStream, ReplyEnded, RetryRequested
from llm.errors import LLMError
from tools.base import ToolError


class TurnReader:
    """Feed it the events of one run in order. Its public attributes tell afterwards what the turn came to."""

    def __init__(self) -> None:
        self.answer = ""
        self.tools: list[str] = []
        self.gave_up = False
        self.shortfall: LLMError | None = None
        self._rounds = 0
        self._thinking: tuple[float, float] | None = None
        self._tool_began: dict[str, float] = {}

    def read(self, event: Event) -> Iterator[TurnEvent]:
        """The turn events that one workflow event means; often none."""
        match event:
            case ReActStream():
                yield from self._stream(event)
            case AgentInput():
                self._rounds += 1
                yield RoundStarted(self._rounds)
            case ReplyEnded():
                yield from self._end_reply(event)
            case RetryRequested(reason=reason):
                yield from self._end_thinking()
                yield Retrying(reason)
            case ToolCall():
                yield from self._end_thinking()
                yield self._start_tool(event)
            case ToolCallResult():
                yield self._finish_tool(event)
            case GaveUp():
                self.gave_up = True
            case AgentOutput():
                yield from self._end_thinking()

    def _stream(self, event: ReActStream) -> Iterator[TurnEvent]:
        if isinstance(event.raw, dict) and (seconds := event.raw.get("silent_s")):
            yield Stalled(seconds)
        if event.thinking_delta:
            now = time.monotonic()
            self._thinking = (self._thinking[0] if self._thinking else now, now)
            yield ThinkingDelta(event.thinking_delta)
        if event.thought_delta:
            yield from self._end_thinking()
            yield ThoughtDelta(event.thought_delta)
        if event.answer_delta:
            yield from self._end_thinking()
            self.answer += event.answer_delta
            yield AnswerDelta(event.answer_delta)

    def _end_thinking(self) -> Iterator[TurnEvent]:
        if self._thinking:
            first, last = self._thinking
            self._thinking = None
            yield ThinkingEnded(last - first)

    def _end_reply(self, event: ReplyEnded) -> Iterator[TurnEvent]:
        yield from self._end_thinking()
        self.shortfall = event.shortfall
        if usage := event.usage:
            yield UsageReported(
                usage.prompt_tokens, usage.cached_tokens, usage.thinking_tokens, usage.completion_tokens
            )

    def _start_tool(self, call: ToolCall) -> ToolStarted:
        self._tool_began[call.tool_id] = time.monotonic()
        self.tools.append(call.tool_name)
        return ToolStarted(call.tool_id, call.tool_name, dict(call.tool_kwargs))

    def _finish_tool(self, result: ToolCallResult) -> ToolFinished:
        """Tools of others than ours give no `ToolResult`, and raise other errors than `ToolError`."""
        passed = time.monotonic() - self._tool_began.pop(result.tool_id)
        output = result.tool_output
        error, given = output.exception, output.raw_output
        refusal = error.refusal if isinstance(error, ToolError) else None
        asked_s = getattr(error or given, "asked_s", 0.0)
        return ToolFinished(
            result.tool_id,
            output.content or "",
            seconds=0.0 if refusal else max(0.0, passed - asked_s),
            is_error=output.is_error,
            display=getattr(given, "display", ()),
            refusal=refusal,
        )
