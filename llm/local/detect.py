"""Looks for a model server that already runs on this machine. Asks the loopback address only, and sends no chat."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import httpx
from pydantic import BaseModel, ValidationError

from llm.endpoint import Endpoint

USUAL_ADDRESSES: Mapping[str, str] = MappingProxyType(
    {
        "Ollama": "http://127.0.0.1:11434",
        "LM Studio": "http://127.0.0.1:1234",
        "llama.cpp": "http://127.0.0.1:8080",
        "vLLM": "http://127.0.0.1:8000",
    }
)
"""Each server's default, the preferred first."""

_LIMIT_S = 0.3
"""For each word from a server; on this machine it takes milliseconds."""
_PATIENCE_S = 1.5
"""For all that one server is asked."""
_MOST_MODELS_ASKED = 16


class _OllamaModel(BaseModel):
    name: str
    remote_host: str | None = None  # set for models that Ollama only passes on to its makers' cloud


class _OllamaModels(BaseModel):
    models: list[_OllamaModel]


class _OllamaVersion(BaseModel):
    version: str


class _OllamaCard(BaseModel):
    capabilities: list[str] = []


class _Model(BaseModel):
    id: str
    owned_by: str = ""


class _Models(BaseModel):
    data: list[_Model]


class _Health(BaseModel):
    status: str


async def detect(
    *, skip_ports: Collection[int] = (), addresses: Mapping[str, str] = USUAL_ADDRESSES
) -> Endpoint | None:
    """The first server that answers as its kind does and has a model to chat with.

    `skip_ports` are the app's own. `addresses` gives the place of each kind of
    server, in order of preference.
    """
    wanted = {server: url for server, url in addresses.items() if httpx.URL(url).port not in skip_ports}
    async with httpx.AsyncClient(timeout=_LIMIT_S, trust_env=False) as client:
        places = [_Place(client, url, _FIND[server]) for server, url in wanted.items()]
        models = await asyncio.gather(*(place.model() for place in places))
    for (server, url), model in zip(wanted.items(), models, strict=True):
        if model is not None:
            return Endpoint(f"{url}/v1", None, model, source="detected", server=server)
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    """An address, and what to look for there."""

    client: httpx.AsyncClient
    url: str
    find: Callable[["_Place"], Awaitable[str | None]]

    async def model(self) -> str | None:
        """The model to use there, if any. Asks twice if it must: at the app's start this machine is busy."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                return await self._found() or await self._found()
        except (TimeoutError, httpx.HTTPError, ValidationError):
            return None

    async def _found(self) -> str | None:
        with suppress(httpx.TimeoutException):
            return await self.find(self)
        return None

    async def ask(self, path: str, *, body: dict[str, Any] | None = None) -> bytes:
        """The body of a successful answer."""
        response = await self.client.request("POST" if body else "GET", self.url + path, json=body)
        response.raise_for_status()
        return response.content


async def _ollama(place: _Place) -> str | None:
    """The first model that can think, else the first that can chat, of those that run on this machine."""
    _OllamaVersion.model_validate_json(await place.ask("/api/version"))
    listed = _OllamaModels.model_validate_json(await place.ask("/api/tags")).models
    names = [model.name for model in listed if not model.remote_host and _chats(model.name)][:_MOST_MODELS_ASKED]
    abilities = await asyncio.gather(*(_abilities(place, name) for name in names))
    thinking = [name for name, can in zip(names, abilities, strict=True) if "thinking" in can]
    chatting = [name for name, can in zip(names, abilities, strict=True) if not can or "completion" in can]
    return next(iter([*thinking, *chatting]), None)


async def _abilities(place: _Place, name: str) -> list[str]:
    """What the model can do; empty if Ollama is too old or too busy to say."""
    with suppress(httpx.HTTPError, ValidationError):
        return _OllamaCard.model_validate_json(await place.ask("/api/show", body={"model": name})).capabilities
    return []


def _chats(name: str) -> bool:
    """Embedding models are listed beside the others; their names say so."""
    return "embed" not in name.lower()


async def _lm_studio(place: _Place) -> str | None:
    return next((model.id for model in await _listed(place) if _chats(model.id)), None)


async def _llama_cpp(place: _Place) -> str | None:
    health = _Health.model_validate_json(await place.ask("/health"))
    return await _owned_by(place, "llamacpp") if health.status == "ok" else None


async def _vllm(place: _Place) -> str | None:
    return await _owned_by(place, "vllm")


async def _owned_by(place: _Place, owner: str) -> str | None:
    return next((model.id for model in await _listed(place) if model.owned_by == owner), None)


async def _listed(place: _Place) -> list[_Model]:
    return _Models.model_validate_json(await place.ask("/v1/models")).data


_FIND: Mapping[str, Callable[[_Place], Awaitable[str | None]]] = MappingProxyType(
    {"Ollama": _ollama, "LM Studio": _lm_studio, "llama.cpp": _llama_cpp, "vLLM": _vllm}
)
