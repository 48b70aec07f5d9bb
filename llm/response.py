"""What the client hands out: LlamaIndex's `ChatResponse` with the thinking, how it ended, and the usage.

A streamed response does not hold the whole text. It holds a point in the reply and puts its message together when it
is asked for it, so that a stream of n pieces costs n, not n². The last response of a reply is complete as it is.
Knows nothing of the wire.
"""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from llama_index.core.agent.workflow import AgentInput, AgentStream
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from openai.types.chat.chat_completion_message_function_tool_call import (
    ChatCompletionMessageFunctionToolCall,
    Function,
)
from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

from llm.errors import LLMError
from llm.thinking import joined_details
from llm.tool_call_stream import ToolCall
from llm.usage import Usage


class Moment(NamedTuple):
    """A point in a reply. The lists only ever grow; what had come by then are their first so many items."""

    thinking: list[str]
    thinking_count: int
    text: list[str]
    text_count: int
    details: list[dict[str, Any]]
    details_count: int
    source: Mapping[str, Any]
    tool_calls: Callable[[], list[ToolCall]]

    def whole_thinking(self) -> str:
        return "".join(self.thinking[: self.thinking_count])

    def message(self) -> ChatMessage:
        """One thinking block if there was thinking, one text block, then the tool calls."""
        thinking, source = self.whole_thinking(), dict(self.source)
        if self.details_count:
            source["details"] = joined_details(self.details[: self.details_count])
        blocks: list[Any] = []
        if thinking or self.details_count:
            blocks.append(ThinkingBlock(content=thinking, additional_information=source))
        blocks.append(TextBlock(text="".join(self.text[: self.text_count])))
        calls = self.tool_calls()
        blocks += [ToolCallBlock(tool_call_id=c.id, tool_name=c.name, tool_kwargs=c.arguments) for c in calls]
        # LlamaIndex's structured streaming looks for the calls here, in the SDK's form.
        more = {"tool_calls": [_sdk_call(call) for call in calls]} if calls else {}
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks, additional_kwargs=more)


def _sdk_call(call: ToolCall) -> ChatCompletionMessageFunctionToolCall:
    function = Function(name=call.name, arguments=call.arguments)
    return ChatCompletionMessageFunctionToolCall(id=call.id, type="function", function=function)


class ReasoningChatResponse(ChatResponse):
    """A reply, or a streamed reply so far.

    `delta` and `additional_kwargs["thinking_delta"]` are what is new; at most one of the two is set.
    `finish_reason` and `usage` are set on the last response of a stream, as far as the endpoint told them.
    `silent_s` is set on a response without anything new, which says only that the endpoint has sent nothing, not
    even a comment, for so many seconds; the stream goes on.
    """

    finish_reason: str | None = None
    usage: Usage | None = None
    silent_s: float | None = None
    _moment: Moment | None = PrivateAttr(default=None)
    _shortfall: LLMError | None = PrivateAttr(default=None)

    @classmethod
    def at(cls, moment: Moment, *, shortfall: LLMError | None = None, **values: Any) -> Self:
        """The response at this point of the reply. `values` are fields; they are trusted, not validated.

        Made without pydantic's constructor, which alone would take longer than all the rest of reading a chunk.
        """
        response = cls.__new__(cls)
        unset = {"raw": None, "delta": "", "logprobs": None, "finish_reason": None, "usage": None, "silent_s": None}
        object.__setattr__(response, "__dict__", {**unset, **values})
        object.__setattr__(response, "__pydantic_fields_set__", {"message", *values})
        object.__setattr__(response, "__pydantic_extra__", None)
        object.__setattr__(response, "__pydantic_private__", {"_moment": moment, "_shortfall": shortfall})
        return response

    if not TYPE_CHECKING:  # a declared __getattr__ would hide misspelt names from the type checker

        def __getattr__(self, name: str) -> Any:
            if name != "message" or self._moment is None:
                return super().__getattr__(name)
            return self.__dict__.setdefault("message", self._moment.message())

    @property
    def reasoning_content(self) -> str:
        """The whole thinking so far."""
        if "message" not in self.__dict__ and self._moment:
            return self._moment.whole_thinking()
        return next((b.content or "" for b in self.message.blocks if isinstance(b, ThinkingBlock)), "")

    @property
    def thinking_delta(self) -> str:
        """What is new of the thinking."""
        return str(self.additional_kwargs.get("thinking_delta") or "")

    @property
    def recalls_text(self) -> bool:
        """Whether all text that came before has turned out to be thinking, and is given out again as such."""
        return bool(self.additional_kwargs.get("recalls_text"))

    @property
    def shortfall(self) -> LLMError | None:
        """Why the reply is not whole although it came to its end (`OutOfTokens`); None if nothing is missing."""
        return self._shortfall

    @model_serializer(mode="wrap")
    def _with_message(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Put the message together before it is written out."""
        _ = self.message
        whole: dict[str, Any] = handler(self)
        return whole


class ReasoningStreamAdapter:
    """Reads the events of an agent's run as the client's responses: feed it every event, in order.

    `reasoning_content` is the whole thinking of the model call that runs; a new `AgentInput` begins the next call.
    """

    def __init__(self) -> None:
        self._thinking: list[str] = []
        self._text: list[str] = []

    @property
    def reasoning_content(self) -> str:
        return "".join(self._thinking)

    def read(self, event: object) -> ReasoningChatResponse | None:
        """The response behind an `AgentStream`; None for every other event."""
        if isinstance(event, AgentInput):
            self._thinking, self._text = [], []
        if not isinstance(event, AgentStream):
            return None
        thinking = event.thinking_delta or ""
        self._thinking.append(thinking)
        self._text.append(event.delta)
        calls = [ToolCall(call.tool_id, call.tool_name, json.dumps(call.tool_kwargs)) for call in event.tool_calls]
        moment = Moment(
            self._thinking, len(self._thinking), self._text, len(self._text), [], 0, {}, lambda: calls
        )  # fmt: skip
        more = {"thinking_delta": thinking} if thinking else {}
        return ReasoningChatResponse.at(moment, delta=event.delta, raw=event.raw, additional_kwargs=more)
