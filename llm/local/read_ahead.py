"""Lets the engine read the start of every prompt before anybody asks, and keeps what it has read on disk.

Reading a prompt is the slow part on a small machine (40 to 80 tokens a second with the 1.5B): read ahead, the first
token comes in well under a second instead of ten. What is kept is only this start, never a word of a chat.
"""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from llm.endpoint import Endpoint
from llm.local.server import EXTRA_HEADERS

Message: TypeAlias = dict[str, str]

_LIMIT_S = 300
_TRIES = 5


async def restore(endpoint: Endpoint, messages: Sequence[Message], *, slot_folder: Path) -> bool:
    """Take the state after `messages` from the disk, in milliseconds. False if it is not there or does not fit."""
    name = _file_name(endpoint, messages)
    if not (slot_folder / name).exists():
        return False
    async with _client(endpoint) as client:
        return await _slot(client, "restore", name=name) is not None


async def read_ahead(endpoint: Endpoint, messages: Sequence[Message], *, slot_folder: Path) -> None:
    """Have `messages`, the first ones of every chat, read and the state kept on disk. Raises `httpx.HTTPError`."""
    name = _file_name(endpoint, messages)
    async with _client(endpoint) as client:
        for _ in range(_TRIES):
            read = await _read(client, messages)
            if await _saved(client, slot_folder / name, read=read):
                return


def _client(endpoint: Endpoint) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=endpoint.api_base.removesuffix("/v1"),
        headers={"Authorization": f"Bearer {endpoint.api_key}", **EXTRA_HEADERS},
        timeout=_LIMIT_S,
        trust_env=False,
    )


def _file_name(endpoint: Endpoint, messages: Sequence[Message]) -> str:
    """The same only for what would leave the same state behind."""
    told = json.dumps([version("xllamacpp"), endpoint.model, *messages])
    return f"{endpoint.model}-{hashlib.sha256(told.encode()).hexdigest()[:16]}.slot"


async def _read(client: httpx.AsyncClient, messages: Sequence[Message]) -> int:
    """Read the messages; returns how many tokens they are."""
    body = {"messages": list(messages), "max_tokens": 1, "temperature": 0}
    response = await client.post("/v1/chat/completions", json=body)
    response.raise_for_status()
    return int(response.json()["usage"]["prompt_tokens"])


async def _saved(client: httpx.AsyncClient, path: Path, *, read: int) -> bool:
    """Keep the state, unless a turn came in between: then it holds more than was read here, and is not for the disk."""
    _clear(path.parent)
    saved = await _slot(client, "save", name=path.name)
    if saved is not None and saved["n_saved"] <= read + 1:
        return True
    _clear(path.parent)
    return False


def _clear(slot_folder: Path) -> None:
    for slot in slot_folder.glob("*.slot"):
        slot.unlink(missing_ok=True)


async def _slot(client: httpx.AsyncClient, action: str, *, name: str) -> Any:
    """llama.cpp's own answer, or None where it refused."""
    response = await client.post("/slots/0", params={"action": action}, json={"filename": name})
    return response.json() if response.is_success else None
