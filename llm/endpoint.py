"""Where the model answers: the one value that everything outside `llm/` needs to know about a connection."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import httpx

from llm.complaints import Peer
from llm.errors import KeyRefused, ModelNotNamed, ModelUnknown, RequestRefused, WrongAddress
from llm.model_hosts import host_name, shown_address
from llm.translation import translated

_LISTING_LIMIT_S = 10.0
_NOT_FOR_CHATS = re.compile(
    r"embed|rerank|whisper|\btts\b|moderation|transcribe|realtime|dall-e|gpt-image|stable-diffusion|\bflux\b|\bbge-",
    re.IGNORECASE,
)
"""Models for other work stand in the same list, and often only their names say so."""
_OTHER_KINDS = {"embedding", "embeddings", "image", "audio", "video", "rerank", "moderation", "transcribe"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint and the model to ask there."""

    api_base: str
    """Without a trailing slash, usually ending in `/v1`."""
    api_key: str | None = field(repr=False)
    """None where the server wants none. Never shown, logged or put into a process's arguments."""
    model: str
    source: Literal["configured", "detected", "builtin"]
    """Set by the user, found running on this machine, or started by us."""
    server: str
    """What people read: "Ollama", "LM Studio", "llama.cpp", "vLLM", "built-in", the provider, else the host's name."""
    context_tokens: int | None = None
    """What a request and its reply may take together; None where we did not start the server and so can't know."""
    needs_guide: bool = False
    """Whether the model is one of our small ones, run by our chat template, which keep a form only under a grammar."""
    models: tuple[str, ...] = field(default=(), compare=False)
    """The models to chat with that it has listed, in its order; empty if it was not asked."""


def configured_endpoint(api_base: str, api_key: str | None, model: str | None) -> Endpoint:
    """The endpoint that the user named. Without a model, the first one that it lists is asked for."""
    base = api_base.rstrip("/")
    return Endpoint(base, api_key, model or "", source="configured", server=host_name(base))


def usable_key(api_key: str | None, *, host: str) -> str:
    """The key without blanks around it, empty for none. Raises `KeyRefused` where no request could carry it."""
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise KeyRefused("the key holds characters that no key has", host=host)
    return key


async def with_model(endpoint: Endpoint, *, timeout_s: float = _LISTING_LIMIT_S) -> Endpoint:
    """The endpoint with a model to ask for: the one that is set, else the first to chat with that it lists.

    Raises `ModelNotNamed` where none is listed, else what is wrong with the endpoint as another `LLMError`.
    """
    if endpoint.model:
        return endpoint
    base = endpoint.api_base
    peer = Peer(shown_address(base), host_name(base), "", 0, key=usable_key(endpoint.api_key, host=host_name(base)))
    try:
        with translated(peer, idle_timeout=timeout_s):
            listed = _models(await _listing(f"{base}/models", peer.key, timeout_s=timeout_s))
    except (WrongAddress, ModelUnknown, RequestRefused, ValueError, RecursionError) as error:
        raise ModelNotNamed(peer.scrub(f"{type(error).__name__}: {error}"), **peer.facts()) from None
    if not listed:
        raise ModelNotNamed("the list is empty", **peer.facts())
    for_chats = tuple(name for name, model in listed.items() if _is_for_chats(name, model))
    return replace(endpoint, model=next(iter(for_chats or listed)), models=for_chats)


async def models_to_chat_with(endpoint: Endpoint) -> tuple[str, ...]:
    """The endpoint's model, then the others that it lists. Raises an `LLMError` where the list can't be had."""
    listed = endpoint.models
    if not listed and endpoint.source != "builtin":
        listed = (await with_model(replace(endpoint, model=""))).models
    return (endpoint.model, *(name for name in listed if name != endpoint.model))


async def _listing(url: str, key: str, *, timeout_s: float) -> object:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx.AsyncClient(timeout=timeout_s, follow_redirects=True) as client:
        response = await client.get(url, headers=headers)
        response.raise_for_status()
        listing: object = response.json()
        return listing


def _models(listing: object) -> dict[str, dict[str, Any]]:
    """What is listed, by name: OpenAI's `{"data": [{"id": …}]}`, the same under `models`, or as a bare list
    (Together AI, GitHub)."""
    if isinstance(listing, dict):
        listing = listing.get("data") or listing.get("models")
    entries = listing if isinstance(listing, list) else []
    named = [(entry.get("id") or entry.get("name"), entry) for entry in entries if isinstance(entry, dict)]
    return {name: entry for name, entry in named if name and isinstance(name, str)}


def _is_for_chats(name: str, model: dict[str, Any]) -> bool:
    """Whether nothing says that the model is for other work: `type` at Together AI and LM Studio, `capabilities` at
    Mistral, `architecture` at OpenRouter, else the name."""
    capabilities, architecture = model.get("capabilities"), model.get("architecture")
    if isinstance(capabilities, dict) and capabilities.get("completion_chat") is False:
        return False
    outputs = architecture.get("output_modalities") if isinstance(architecture, dict) else None
    if isinstance(outputs, list) and "text" not in outputs:
        return False
    return model.get("type") not in _OTHER_KINDS and not _NOT_FOR_CHATS.search(name)
