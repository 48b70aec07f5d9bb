"""Where the model answers: the one value that everything outside `llm/` needs to know about a connection."""

from dataclasses import dataclass, field
from typing import Literal

from llm.model_hosts import host_name


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


def configured_endpoint(api_base: str, api_key: str | None, model: str | None) -> Endpoint:
    """The endpoint that the user named. Without a model, the first one that it lists is asked for."""
    base = api_base.rstrip("/")
    return Endpoint(base, api_key, model or "", source="configured", server=host_name(base))
