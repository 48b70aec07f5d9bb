"""Waiting: retries, silences, and how fast everything ends when the reader has gone."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from llm.errors import LLMError, RateLimited, Stalled, StreamCut
from tests.llm.asking import ASK, client, outcome
from tests.provider.replies import DONE, Drop, Hold, Pause, Reply, chunk, error, message, stream
from tests.provider.server import ProviderServer


async def test_retries_before_the_first_delta_with_the_wait_that_was_asked_for() -> None:
    slow = error(429, "slow down", headers={"retry-after": "0.4"})
    with ProviderServer(slow, error(503, "busy", headers={"retry-after": "0"}), stream("Here")) as server:
        began = time.monotonic()
        assert await outcome(client(server, max_retries=2)) == ("", "Here", None)
        first, second, _ = server.requests
    assert second.began - first.began >= 0.4
    assert time.monotonic() - began < 5


async def test_a_long_wait_is_told_and_not_waited_for() -> None:
    with ProviderServer(error(429, "slow down", headers={"retry-after": "3600"})) as server:
        _, _, failure = await outcome(client(server, max_retries=5))
    assert isinstance(failure, RateLimited)
    assert failure.user_message.endswith("Wait 3600 seconds and try again.")


def test_sync_calls_are_retried_too() -> None:
    refused = error(503, "busy", headers={"retry-after": "0"})
    with ProviderServer(refused, stream("Here"), refused, message("There")) as server:
        llm = client(server, max_retries=1)
        assert "".join(r.delta or "" for r in llm.stream_chat(ASK)) == "Here"
        assert llm.chat(ASK).message.content == "There"
        assert len(server.requests) == 4


@pytest.mark.parametrize("status", [400, 401, 402, 404, 413, 422])
async def test_what_can_not_get_better_is_not_asked_again(status: int) -> None:
    with ProviderServer(*[error(status, "no")] * 3) as server:
        await outcome(client(server, max_retries=2))
        assert len(server.requests) == 1


async def test_a_silence_is_told_and_then_ends_the_stream() -> None:
    beats = [b": working\n\n", Pause(0.15)] * 4
    reply = stream("About", tail=[*beats, Pause(0.5), chunk({"content": " 463"}), Hold()])
    with ProviderServer(reply) as server:
        silences, text, failure = [], "", None
        try:
            async for response in await client(server, notice_after=0.3, idle_timeout=1).astream_chat(ASK):
                text += response.delta or ""
                silences += [response.silent_s] if response.silent_s else []
        except LLMError as error_:
            failure = error_
    assert text == "About 463"
    assert silences  # told, although not ended
    assert all(s >= 0.3 for s in silences)
    assert type(failure) is Stalled
    assert failure.facts["seconds"] == 1


async def test_comments_keep_a_slow_stream_alive() -> None:
    beats = [b": working\n\n", Pause(0.2)] * 8
    with ProviderServer(Reply((*beats, chunk({"content": "Here"}), chunk(finish="stop"), DONE))) as server:
        responses = [r async for r in await client(server, notice_after=0.5, idle_timeout=0.6).astream_chat(ASK)]
    assert [r.silent_s for r in responses if r.silent_s] == []
    assert responses[-1].message.content == "Here"


async def first_of(responses: AsyncIterator[Any]) -> Any:
    return await anext(responses)


async def test_cancelling_closes_the_connection_at_once() -> None:
    with ProviderServer(stream("About", tail=[Hold()])) as server:
        responses = await client(server).astream_chat(ASK)
        await first_of(responses)
        waiting = asyncio.create_task(first_of(responses))
        await asyncio.sleep(0)
        at = time.monotonic()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await asyncio.to_thread(server.requests[0].over.wait, 5)
        assert server.requests[0].client_left
        assert server.requests[0].ended - at < 0.5  # type: ignore[operator]  # set once over


async def test_leaving_the_loop_closes_the_connection() -> None:
    with ProviderServer(stream("About", tail=[Hold()]), stream("About", tail=[Hold()])) as server:
        async for _ in await client(server).astream_chat(ASK):
            break
        assert await asyncio.to_thread(server.requests[0].over.wait, 5)
        generator = client(server).stream_chat(ASK)
        next(generator)
        generator.close()
        assert await asyncio.to_thread(server.requests[1].over.wait, 5)
        assert [request.client_left for request in server.requests] == [True, True]


@pytest.mark.parametrize(
    "nothing", [(), (Drop(),), (chunk({"role": "assistant", "content": ""}), Drop()), (b"data: {oops\n\n",)]
)
async def test_a_reply_that_broke_before_it_said_anything_is_asked_for_again(nothing: tuple[Any, ...]) -> None:
    with ProviderServer(Reply(nothing), stream("Here"), Reply(nothing)) as server:
        assert await outcome(client(server, max_retries=1)) == ("", "Here", None)
        thinking, text, failure = await outcome(client(server, max_retries=0))
    assert (thinking, text) == ("", "")
    assert failure
    assert failure.partial is None


def test_a_stream_that_was_seen_is_not_asked_for_again() -> None:
    with ProviderServer(stream("About", tail=[Drop()]), stream("Here")) as server:
        with pytest.raises(StreamCut):
            list(client(server, max_retries=2).stream_chat(ASK))
        assert len(server.requests) == 1


async def test_a_cut_whole_reply_is_asked_for_again_since_nobody_has_seen_it() -> None:
    with ProviderServer(Reply((b'{"id": "c", "choi', Drop())), message("Here")) as server:
        assert (await client(server, max_retries=1).achat(ASK)).message.content == "Here"
    with ProviderServer(Reply((b'{"id": "c", "choi', Drop()))) as server, pytest.raises(StreamCut):
        client(server).chat(ASK)
