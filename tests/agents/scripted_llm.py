"""A model that says what a script tells it, chunk by chunk: a real LlamaIndex LLM, only without a model in it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    CompletionResponse,
    LLMMetadata,
)
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr


@dataclass(frozen=True, slots=True)
class Say:
    """A chunk of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """A chunk of private thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing more ever comes."""


Item: TypeAlias = Say | Think | Stall


class ScriptedLLM(CustomLLM):
    """`replies` are said one per call. What it was asked, and how it was listened to, can be looked up afterwards."""

    replies: list[list[Any]]
    _requests: list[list[ChatMessage]] = PrivateAttr(default_factory=list)
    _kwargs: list[dict[str, Any]] = PrivateAttr(default_factory=list)
    _said: list[int] = PrivateAttr(default_factory=list)
    _closed: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)
    _stalled: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=8_000, model_name="scripted")

    @property
    def requests(self) -> list[list[ChatMessage]]:
        """The messages of each call."""
        return self._requests

    @property
    def kwargs(self) -> list[dict[str, Any]]:
        """What else each call was given."""
        return self._kwargs

    @property
    def said(self) -> list[int]:
        """How many items of each reply were listened to."""
        return self._said

    @property
    def closed(self) -> asyncio.Event:
        """Set when a stream has ended, in whichever way."""
        return self._closed

    @property
    def stalled(self) -> asyncio.Event:
        """Set when a `Stall` has been reached."""
        return self._stalled

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        return self._stream(self._next(messages, kwargs))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        text = "".join(item.text for item in self._next(messages, kwargs) if isinstance(item, Say))
        return ChatResponse(message=ChatMessage(role="assistant", content=text))

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _next(self, messages: Sequence[ChatMessage], kwargs: dict[str, Any]) -> list[Item]:
        self._requests.append(list(messages))
        self._kwargs.append(kwargs)
        assert len(self._requests) <= len(self.replies), "the model was asked more often than the script allows"
        return self.replies[len(self._requests) - 1]

    async def _stream(self, items: list[Item]) -> AsyncGenerator[ChatResponse, None]:
        text = ""
        self._said.append(0)
        self._closed.clear()
        try:
            for item in items:
                self._said[-1] += 1
                if isinstance(item, Stall):
                    self._stalled.set()
                    await asyncio.Event().wait()
                delta = item.text if isinstance(item, Say) else ""
                text += delta
                thinking = {"thinking_delta": item.text} if isinstance(item, Think) else {}
                yield ChatResponse(
                    message=ChatMessage(role="assistant", content=text), delta=delta, additional_kwargs=thinking
                )
        finally:
            self._closed.set()
