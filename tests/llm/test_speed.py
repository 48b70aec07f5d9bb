"""What a chunk costs, compared within one run: no more in a long stream, and far less than in the stock client.

The figures themselves are printed by `python -m bench.llm`.
"""

import asyncio
import tracemalloc

import httpx
import pytest

from bench.llm import ASK, Alone, alone, read_ours, read_stock
from llm.client import DeepSeek
from tests.provider.replies import DONE, Reply, chunk
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.alone


def test_the_cost_of_a_chunk_is_flat() -> None:
    few, many = alone(read_ours, 500), alone(read_ours, 3000)
    assert many < 2 * few  # it would be six times as much if each response held the whole text


def test_a_chunk_costs_well_under_the_stock_client() -> None:
    assert alone(read_ours, 1000) < 0.7 * alone(read_stock, 1000)


async def held_for_each(total: int) -> int:
    llm = DeepSeek(api_base="http://there/v1", async_http_client=httpx.AsyncClient(transport=Alone(total)))
    tracemalloc.start()
    kept = [response async for response in await llm.astream_chat(ASK)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept[-1].message.content
    return held // total


def test_keeping_all_responses_costs_memory_in_proportion() -> None:
    few, many = asyncio.run(held_for_each(500)), asyncio.run(held_for_each(4000))
    assert many < 1.2 * few


async def test_what_arrives_in_one_read_is_one_delta_of_each_kind() -> None:
    thinking = [chunk({"reasoning_content": word}) for word in ("By ", "road", ".")]
    text = [chunk({"content": word}) for word in ("463", " km")]
    with ProviderServer(Reply((b"".join([*thinking, *text, chunk(finish="stop"), DONE]),))) as server:
        responses = [r async for r in await DeepSeek(api_base=server.api_base).astream_chat(ASK)]
    assert [(r.thinking_delta, r.delta) for r in responses] == [("By road.", ""), ("", "463 km"), ("", "")]
