"""What the doctor finds, over a real provider: one row for each kind of endpoint."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from llm.doctor.examination import HIDDEN, IN_LIST, IN_TAGS, NONE_SEEN, Diagnosis, examine
from llm.doctor.words import facts
from llm.endpoint import Endpoint, configured_endpoint
from llm.errors import (
    KeyMissing,
    KeyRefused,
    LLMError,
    ModelNotNamed,
    ModelUnknown,
    NoBalance,
    RateLimited,
    RequestRefused,
    ServerFailed,
    Stalled,
    StreamCut,
    Unreachable,
    UnreadableReply,
    WrongAddress,
)
from tests.provider.replies import DONE, Drop, Hold, Reply, chunk, error, json_reply, message, raw, stream
from tests.provider.server import ProviderServer, provider

KEY = "sk-4f7a1c9d2e8b6035-fjord"
NOWHERE = "http://127.0.0.1:9/v1"
CALL = [("add", {"a": 17, "b": 25})]
THINKS = "17 plus 25 is 42."
CALLS = stream(tool_calls=CALL, finish="tool_calls")
REFUSES_TOOLS = error(400, "registry.example/gemma:latest does not support tools")


def at(server: ProviderServer, *, key: str | None = KEY, model: str | None = "some-model") -> Endpoint:
    return configured_endpoint(server.api_base, key, model)


async def examined(*replies: Reply, **options: Any) -> Diagnosis:
    with provider(*replies) as server:
        return await examine(at(server), **options)


def deltas(*deltas: dict[str, Any]) -> Reply:
    return Reply((*(chunk(delta) for delta in deltas), chunk(finish="stop"), DONE))


THINKING_PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": THINKS}]}]
PLACES: list[tuple[Reply, str]] = [
    *((stream("42", thinking=THINKS, field_name=name), name) for name in ("reasoning_content", "reasoning")),
    *((stream("42", thinking=THINKS, field_name=name), name) for name in ("reasoning_text", "thinking")),
    (deltas({"reasoning_details": [{"type": "reasoning.text", "text": THINKS}]}, {"content": "42"}),
     "reasoning_details"),
    (stream(f"<think>{THINKS}</think>42", size=1), IN_TAGS),
    (deltas({"content": THINKING_PARTS}, {"content": "42"}), IN_LIST),
    (deltas({"reasoning_details": [{"type": "reasoning.encrypted", "data": "b2s="}]}, {"content": "42"}), HIDDEN),
    (stream("42"), HIDDEN),  # the usage counts thinking that was not shown
    (stream("42", usage=None), NONE_SEEN),
    (message("42", thinking=THINKS), "reasoning_content"),
    (stream(thinking=THINKS, field_name="reasoning", tool_calls=CALL, finish="tool_calls"), "reasoning"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "place"), PLACES)
async def test_it_says_where_the_thinking_arrives(reply: Reply, place: str) -> None:
    found = await examined(reply)
    assert (found.thinking, found.error) == (place, None)


TOOLS: list[tuple[list[Reply], bool, int]] = [
    ([CALLS], True, 1),
    ([stream("42")], False, 1),
    ([REFUSES_TOOLS, stream("42")], False, 2),
    ([error(404, "No endpoints found that support tool use"), stream("42")], False, 2),
    ([error(500, "tools param requires --jinja flag"), stream("42")], False, 2),
    ([error(422, "model: tools are not supported"), stream("42")], False, 2),
    ([stream(""), stream("42")], False, 2),
    ([stream(thinking=THINKS), stream("42")], False, 2),
]


@pytest.mark.parametrize(("replies", "calls_tools", "requests"), TOOLS)
async def test_it_says_whether_native_calls_are_seen(replies: list[Reply], calls_tools: bool, requests: int) -> None:
    with provider(*replies) as server:
        found = await examine(at(server))
    assert (found.calls_tools, found.error, len(server.requests)) == (calls_tools, None, requests)
    assert [request.body.get("tools") is not None for request in server.requests] == [True, False][:requests]


@pytest.mark.parametrize(("reply", "reports"), [(CALLS, True), (stream("42", usage=None), False)])
async def test_it_says_whether_tokens_are_counted(reply: Reply, reports: bool) -> None:
    assert (await examined(reply)).reports_usage is reports


FAULTS: list[tuple[list[Reply], type[LLMError]]] = [
    ([error(401, "bad key")], KeyRefused),
    ([error(402, "Insufficient Balance")], NoBalance),
    ([error(429, "slow down", headers={"retry-after": "0"})], RateLimited),
    ([error(404, "Model Not Exist")] * 2, ModelUnknown),
    ([json_reply({"detail": "Not Found"}, status=404)] * 2, WrongAddress),
    ([error(400, "Invalid temperature")] * 2, RequestRefused),
    ([error(500, "boom")] * 2, ServerFailed),
    ([REFUSES_TOOLS, error(401, "bad key")], KeyRefused),
    ([raw(b"<html>Welcome</html>")] * 2, WrongAddress),
    ([stream("4", tail=[Drop()])], StreamCut),
    ([stream("")] * 2, UnreadableReply),
    ([stream(thinking=THINKS)] * 2, UnreadableReply),
]


@pytest.mark.parametrize(("replies", "kind"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
async def test_what_is_wrong_has_its_own_error_and_no_key_in_it(replies: list[Reply], kind: type[LLMError]) -> None:
    found = await examined(*replies)
    assert type(found.error) is kind
    assert found.is_reachable
    assert KEY not in repr(found) + "".join(facts(found)) + str(found.error)


async def test_nobody_there_is_told_from_a_server_that_fails() -> None:
    found = await examine(configured_endpoint(NOWHERE, KEY, "some-model"))
    assert type(found.error) is Unreachable
    assert facts(found) == [f"Endpoint: {NOWHERE}", "Model: some-model", "Key: set", "Reachable: no"]


async def test_a_missing_key_is_told_from_a_wrong_one() -> None:
    with provider(error(401, "no key")) as server:
        found = await examine(at(server, key=None))
    assert type(found.error) is KeyMissing
    assert "Key: none set" in facts(found)


async def test_thinking_that_reaches_our_own_limit_of_tokens_is_no_fault() -> None:
    found = await examined(stream(thinking=THINKS, finish="length"))
    assert (found.error, found.thinking, found.calls_tools) == (None, "reasoning_content", False)


async def test_a_small_model_of_ours_may_end_in_its_thinking_for_in_a_chat_a_grammar_leads_it_on() -> None:
    with provider(stream(thinking=THINKS)) as server:
        found = await examine(replace(at(server), source="builtin", needs_guide=True))
    assert (found.error, found.thinking, found.has_key) == (None, "reasoning_content", None)


async def test_it_waits_no_longer_than_its_limit() -> None:
    began = time.monotonic()
    found = await examined(Reply((Hold(),)), limit_s=0.3)
    assert time.monotonic() - began < 2
    assert type(found.error) is Stalled
    assert found.is_reachable


async def test_a_long_reply_is_left_and_proves_enough() -> None:
    with provider(stream(thinking=THINKS, tail=[Hold()])) as server:
        found = await examine(at(server), limit_s=0.5)
        assert await asyncio.to_thread(server.requests[0].over.wait, 2)
    assert server.requests[0].client_left
    assert (found.error, found.thinking, found.calls_tools, found.reports_usage) == (
        None, "reasoning_content", None, None,
    )  # fmt: skip


async def test_it_asks_for_little() -> None:
    with provider(CALLS) as server:
        await examine(at(server))
    body = server.requests[0].body
    assert body["stream"] is True
    assert body["max_tokens"] <= 1000
    assert len(str(body)) < 600


async def test_it_takes_the_first_model_that_is_listed() -> None:
    with provider(CALLS) as server:
        server.models = ["first-model", "second-model"]
        found = await examine(at(server, model=None))
    assert (found.model, server.requests[0].body["model"]) == ("first-model", "first-model")


async def test_an_endpoint_without_a_list_of_models_is_not_asked_further() -> None:
    with provider() as server:
        server.models = []
        found = await examine(at(server, model=None))
    assert type(found.error) is ModelNotNamed
    assert "Model: none is set" in facts(found)
    assert server.requests == []


async def test_the_lines_say_it_all_in_plain_words() -> None:
    found = await examined(stream("42", thinking=THINKS))
    assert len(facts(found)) == 7
    assert facts(found)[0].startswith("Endpoint: http://127.0.0.1:")
    assert facts(found)[3].startswith("Reachable: yes, the first token came after 0.")
    assert facts(found)[4] == "Thinking: arrives in the field reasoning_content"


async def test_a_password_in_the_address_is_not_shown() -> None:
    endpoint = configured_endpoint("http://ada:lovelace@127.0.0.1:9/v1", None, "some-model")
    assert "lovelace" not in "".join(facts(await examine(endpoint)))
