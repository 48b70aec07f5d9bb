"""The client: a drop-in for LlamaIndex's `OpenAILike` that reads, writes and fails right at every provider.

Auth, pooling and timeouts are the SDK's job; here the wishes of the caller become a `Call`. It reads no environment
and knows no provider by name: what differs is in the profile.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

import httpx
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ChatResponseAsyncGen, ChatResponseGen
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]  # it ships no types
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit, OpenAI

from llm.call import Call
from llm.complaints import Peer
from llm.endpoint import Endpoint, usable_key
from llm.gathering import Gathered
from llm.learned import lessons_about
from llm.local.server import EXTRA_BODY, EXTRA_HEADERS
from llm.model_hosts import host_name, shown_address
from llm.model_profiles import Effort, ModelProfile, resolve_profile
from llm.request import Wishes
from llm.response import ReasoningChatResponse, ReasoningStreamAdapter

__all__ = ["DeepSeek", "ReasoningChatResponse", "ReasoningStreamAdapter", "client_for", "shared_connections"]

_API_BASE = "https://api.deepseek.com"
_EFFORTS: dict[str | None, Effort] = {
    "minimal": "low", "low": "low", "medium": "high", "high": "high", "xhigh": "high",
}  # fmt: skip
"""The parent's words for the effort, as DeepSeek maps them (thinking guide, Sep 2026); `none` means not to think."""
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30.0)
_SDK_OPTIONS = ("extra_headers", "extra_query", "timeout")


class DeepSeek(OpenAILike):  # type: ignore[misc]  # the parent is untyped
    """Any OpenAI-compatible chat model, DeepSeek's by default. All of LlamaIndex's ways to call a model work.

    Calls raise `llm.errors.LLMError` and give `ReasoningChatResponse`s. Further keyword arguments of a call go into
    the request's body, as does its `extra_body`.
    """

    api_key: str | None = Field(default=None, repr=False, exclude=True, description="Sent to `api_base`, nowhere else.")
    temperature: float | None = Field(
        default=None, ge=0.0, le=2.0, description="Sampling temperature; None leaves it to the model."
    )
    thinking: bool | None = Field(default=None, description="Whether to think; None leaves it to the model.")
    effort: Effort | None = Field(default=None, description="How much to think; None leaves it to the model.")
    idle_timeout: float = Field(default=300.0, gt=0, description="Seconds without a byte until `Stalled`.")
    notice_after: float = Field(default=20.0, gt=0, description="Seconds without a byte until a stream says so.")
    connect_timeout: float = Field(default=10.0, gt=0, description="Seconds to reach the endpoint.")
    profile_overrides: dict[str, Any] = Field(
        default_factory=dict, description="Facts about the model that win over the tables: fields of ModelProfile."
    )

    _loop: asyncio.AbstractEventLoop | None = PrivateAttr(default=None)

    def __init__(
        self,
        model: str = "deepseek-flash",
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        temperature: float | None = None,
        idle_timeout: float | None = None,
        profile_overrides: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        api_base = api_base or _API_BASE
        profile = resolve_profile(api_base, model, profile_overrides)
        known = {
            "context_window": profile.context_window,
            "is_function_calling_model": profile.native_tools,
            "is_chat_model": True,
        }
        stock_timeout = kwargs.pop("timeout", None)  # the parent's name for the same patience
        timeout = idle_timeout or stock_timeout or 300.0
        super().__init__(
            model=model,
            api_base=api_base,
            api_key=(api_key or "").strip(),
            temperature=temperature,
            timeout=timeout,
            idle_timeout=timeout,
            profile_overrides=dict(profile_overrides or {}),
            **{**known, **{name: value for name, value in kwargs.items() if value is not None}},
        )
        # The parent looks for a missing key in the environment and in the SDK: there it belongs to another host.
        self.api_key = (api_key or "").strip()

    @classmethod
    def class_name(cls) -> str:
        return "DeepSeek"

    @property
    def profile(self) -> ModelProfile:
        """The facts about this model at this endpoint."""
        return resolve_profile(self.api_base, self.model, self.profile_overrides)

    def _chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        *_, last = self._call(messages, kwargs, stream=False).responses_sync(self._post)
        return last

    async def _achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        async with aclosing(self._call(messages, kwargs, stream=False).responses(self._apost)) as responses:
            return [response async for response in responses][-1]

    def _stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        return self._call(messages, kwargs, stream=True).responses_sync(self._post)

    async def _astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        return self._call(messages, kwargs, stream=True).responses(self._apost)

    def _call(self, messages: Sequence[ChatMessage], kwargs: Mapping[str, Any], *, stream: bool) -> Call:
        profile, base = self.profile, str(self.api_base)
        own = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        if self.logprobs:
            own |= {"logprobs": True, "top_logprobs": self.top_logprobs}
        params = {**own, **self.additional_kwargs, **kwargs}
        extra = {**(self.additional_kwargs.get("extra_body") or {}), **(kwargs.get("extra_body") or {})}
        options = {name: params.pop(name) for name in _SDK_OPTIONS if name in params}
        if not self.api_key:
            options["extra_headers"] = {"Authorization": Omit(), **options.get("extra_headers", {})}
        for name in ("extra_body", "use_chat_completions", "stream"):
            params.pop(name, None)
        window, key = self.context_window, self.api_key or ""
        peer = Peer(shown_address(base), host_name(base), self.model, window, profile.successor, key=key)
        effort = self.effort or _EFFORTS.get(self.reasoning_effort)
        thinking = False if self.thinking is None and self.reasoning_effort == "none" else self.thinking
        streams = stream or (profile.thinks_only_in_streams and profile.thinks(thinking))
        wishes = Wishes(self.model, messages, streams, thinking, effort, params, extra, options)
        lessons = lessons_about(base, self.model)
        return Call(peer, profile, lessons, wishes, self.idle_timeout, self.notice_after, self.max_retries)

    @asynccontextmanager
    async def _apost(self, body: dict[str, Any], options: Mapping[str, Any]) -> AsyncIterator[AsyncIterator[bytes]]:
        client = self._get_aclient()
        create = client.chat.completions.with_streaming_response.create
        try:
            async with (
                create(model=self.model, messages=[], stream=True, extra_body=body, **options) as response,
                Gathered(response.http_response) as pieces,
            ):
                yield pieces
        finally:
            if not self.reuse_client:
                await client.close()

    @contextmanager
    def _post(self, body: dict[str, Any], options: Mapping[str, Any]) -> Iterator[Iterator[bytes]]:
        client = self._get_client()
        create = client.chat.completions.with_streaming_response.create
        try:
            with create(model=self.model, messages=[], stream=True, extra_body=body, **options) as response:
                yield response.http_response.iter_bytes()
        finally:
            if not self.reuse_client:
                client.close()

    def _get_client(self) -> OpenAI:
        client: OpenAI = super()._get_client()
        return client.with_options(max_retries=0) if client.max_retries else client

    def _get_aclient(self) -> AsyncOpenAI:
        """The SDK's client for this loop: its connections can't be used in another one."""
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            self._aclient = None
        if not self._aclient:
            self._loop = loop
        client: AsyncOpenAI = super()._get_aclient()
        return client.with_options(max_retries=0) if client.max_retries else client

    def _get_credential_kwargs(self, is_async: bool = False) -> dict[str, Any]:
        """For the SDK's clients. What they find in the environment belongs to another host and is withheld."""
        key = usable_key(self.api_key, host=host_name(str(self.api_base)))
        withheld = {name: Omit() for name in ("OpenAI-Organization", "OpenAI-Project")}
        return {
            "api_key": key or "none",  # the SDK wants one; `_call` takes it out of the request again
            "base_url": self.api_base,
            "max_retries": 0,
            "timeout": httpx.Timeout(self.idle_timeout, connect=self.connect_timeout),
            "default_headers": {**withheld, **(self.default_headers or {})},
            "http_client": self._async_http_client if is_async else self._http_client,
        }


def shared_connections() -> httpx.AsyncClient:
    """For the `async_http_client` of all clients in one loop.

    A client of its own would read the certificate authorities for every turn (some 15 ms) and greet the host anew.
    """
    return DefaultAsyncHttpxClient(limits=_LIMITS)


def client_for(endpoint: Endpoint, **fields: Any) -> DeepSeek:
    """The client of an endpoint whose model is known. `fields` are any others of the client."""
    if endpoint.context_tokens:
        fields["context_window"] = endpoint.context_tokens
    if endpoint.source == "builtin":
        fields["default_headers"] = dict(EXTRA_HEADERS)
        fields["additional_kwargs"] = {"extra_body": dict(EXTRA_BODY)}
    return DeepSeek(model=endpoint.model, api_base=endpoint.api_base, api_key=endpoint.api_key, **fields)
