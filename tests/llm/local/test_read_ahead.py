from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from llm.endpoint import Endpoint
from llm.local.read_ahead import Message, read_ahead, restore
from llm.local.server import EXTRA_HEADERS, Model, open_server
from tests.llm.local.site import LIMIT_S

pytestmark = pytest.mark.builtin

OPENING: Message = {"role": "system", "content": "You know a lot about whales. " * 60}
QUESTION: Message = {"role": "user", "content": "The secret word is xylophone. " * 30}


@asynccontextmanager
async def engine(model: Path, slots: Path) -> AsyncIterator[Endpoint]:
    server = await open_server(Model(path=model, name="tiny", server="built-in", context_tokens=2048), slots)
    try:
        yield server.endpoint
    finally:
        await server.close()


@dataclass(frozen=True, slots=True)
class Read:
    """How many tokens a prompt had, and how many of them the engine knew already."""

    tokens: int
    known: int


async def ask(endpoint: Endpoint, *messages: Message) -> Read:
    headers = {"Authorization": f"Bearer {endpoint.api_key}", **EXTRA_HEADERS}
    async with httpx.AsyncClient(headers=headers, timeout=LIMIT_S, trust_env=False) as client:
        body = {"messages": list(messages), "max_tokens": 1}
        response = await client.post(f"{endpoint.api_base}/chat/completions", json=body)
    usage = response.json()["usage"]
    return Read(usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"])


async def test_what_was_read_is_known_after_a_restart(tiny_model: Path, tmp_path: Path) -> None:
    async with engine(tiny_model, tmp_path) as endpoint:
        assert not await restore(endpoint, [OPENING], slot_folder=tmp_path)
        await read_ahead(endpoint, [OPENING], slot_folder=tmp_path)
    async with engine(tiny_model, tmp_path) as endpoint:
        assert await restore(endpoint, [OPENING], slot_folder=tmp_path)
        asked = await ask(endpoint, OPENING, QUESTION)
        opening = await ask(endpoint, OPENING)
        assert opening.tokens - 10 < asked.known <= opening.tokens


async def test_another_opening_is_read_anew_and_takes_the_place_of_the_first(tiny_model: Path, tmp_path: Path) -> None:
    async with engine(tiny_model, tmp_path) as endpoint:
        await read_ahead(endpoint, [OPENING], slot_folder=tmp_path)
        assert not await restore(endpoint, [QUESTION], slot_folder=tmp_path)
        await read_ahead(endpoint, [QUESTION], slot_folder=tmp_path)
        assert not await restore(endpoint, [OPENING], slot_folder=tmp_path)
        assert await restore(endpoint, [QUESTION], slot_folder=tmp_path)


async def test_a_spoilt_file_is_read_anew(tiny_model: Path, tmp_path: Path) -> None:
    async with engine(tiny_model, tmp_path) as endpoint:
        await read_ahead(endpoint, [OPENING], slot_folder=tmp_path)
        spoil(tmp_path)
        assert not await restore(endpoint, [OPENING], slot_folder=tmp_path)


def spoil(slots: Path) -> None:
    [slot] = slots.glob("*.slot")
    slot.write_bytes(b"spoilt")
