"""Calls as models write them: which are run, and what the model is told about the others."""

import json
from collections.abc import Iterator

import pytest

from agents.assistant import Assistant
from agents.events import Retrying, ToolStarted, TurnEnded
from tests.agents.native_turns import Places, agent_on, calling, calls_as_written, of_kind, tool_texts
from tests.agents.test_assistant import joined, told
from tests.provider.replies import stream
from tests.provider.server import ProviderServer


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def places() -> Places:
    return Places()


@pytest.mark.parametrize(
    ("name", "arguments", "told_back"),
    [
        ("look_up", '{"city": "Os', "are not valid JSON"),
        ("look_up", '{"city": "Ost" "o"}', "are not valid JSON"),
        ("look_up", '{"days": 2}', "'city' is missing"),
        ("look_up", '{"city": "Bergen", "days": "many"}', "'days': Input should be a valid integer"),
        ("look_up", '{"city": {"title": "City", "type": "string"}}', "give the value itself"),
        ("look_up", "", "'city' is missing"),
        ("look_up", "[1, 2]", "must be a JSON object"),
        ("fly", '{"to": "Bergen"}', "There is no tool 'fly'. Nothing was run. The tools are: look_up(city: string"),
        ("", '{"city": "Bergen"}', "The call names no tool"),
        ("天气 查询", '{"city": "Bergen"}', "There is no tool '天气 查询'"),
    ],
)
async def test_a_call_that_does_not_fit_is_sent_back_and_not_run(
    provider: ProviderServer, places: Places, name: str, arguments: str, told_back: str
) -> None:
    provider.add(calls_as_written((name, arguments)), calling("Bergen"), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, Retrying, ToolStarted) == [
        Retrying("unreadable"),
        ToolStarted("id", "look_up", {"city": "Bergen"}),
    ]
    assert places.calls == [("Bergen", 1)]
    asked, advised = provider.requests[1].body["messages"][-2:]
    assert told_back in advised["content"]
    function = asked["tool_calls"][0]["function"]
    assert isinstance(json.loads(function["arguments"]), dict), "servers parse it again"
    assert function["name"].isascii()
    assert function["name"].replace("_", "").isalnum()
    assert advised["tool_call_id"] == asked["tool_calls"][0]["id"]


@pytest.mark.parametrize(
    ("name", "arguments", "call"),
    [
        ("look_up", '{"city": "Bergen", "days": "3"}', ("Bergen", 3)),
        ("look_up", "{'city': 'Bergen', 'days': 3,}", ("Bergen", 3)),
        ("functions.look_up", '{"city": "Bergen"}', ("Bergen", 1)),
        ("Look_Up", '"{\\"city\\": \\"Bergen\\"}"', ("Bergen", 1)),
        ("look_up", '{"city": "Bergen", "days": null}', ("Bergen", 1)),
        ("look_up", '"Bergen"', ("Bergen", 1)),
        ("look_up", '{"city": "Ber\u2060gen"}', ("Bergen", 1)),
        ("look_up", '{"city": "Ber\\u2060gen"}', ("Bergen", 1)),
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
async def test_a_call_with_one_reading_is_run(
    provider: ProviderServer, places: Places, name: str, arguments: str, call: tuple[str, int], size: int
) -> None:
    provider.add(calls_as_written((name, arguments), size=size), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert places.calls == [call]
    assert of_kind(events, Retrying) == []
    function = provider.requests[1].body["messages"][2]["tool_calls"][0]["function"]
    assert function["name"] == "look_up"
    assert json.loads(function["arguments"])["city"].replace("\u2060", "") == "Bergen"


async def test_a_bad_call_does_not_hold_up_a_good_one(provider: ProviderServer, places: Places) -> None:
    bad, good = ("look_up", "{}"), ("look_up", '{"city": "Bergen", "wind": true}')
    provider.add(calls_as_written(bad, good), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert places.calls == [("Bergen", 1)]
    assert of_kind(events, Retrying) == []
    missing, result = tool_texts(provider, 1)
    assert "'city' is missing" in missing
    assert result.startswith('<tool_result source="look_up">\nBergen')
    assert result.endswith("(look_up has no parameter wind; it was left out.)")


@pytest.mark.parametrize("arguments", ['{"city": "Ber', '{"city": "Bergen"}', ""])
async def test_a_call_that_the_limit_cut_is_made_again(
    provider: ProviderServer, places: Places, arguments: str
) -> None:
    provider.add(calls_as_written(("look_up", arguments), finish="length"), stream("Sorry."))
    events = await told(Assistant(), agent_on(provider, places))
    assert places.calls == []
    assert of_kind(events, Retrying) == [Retrying("unreadable")]
    assert "cut off by the limit" in tool_texts(provider, 1)[0]
    assert joined(events)[-1] == TurnEnded("answered", 0)


async def test_of_several_calls_only_the_last_can_be_cut(provider: ProviderServer, places: Places) -> None:
    whole, cut = ("look_up", '{"city": "Bergen"}'), ("look_up", '{"city": "Os')
    provider.add(calls_as_written(whole, cut, finish="length"), stream("12 °C."))
    await told(Assistant(), agent_on(provider, places))
    assert places.calls == [("Bergen", 1)]
    assert "cut off by the limit" in tool_texts(provider, 1)[1]
