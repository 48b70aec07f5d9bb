"""Tool calls from pieces. The shapes of hosts are rows of the conformance table; here stands what no cut may change."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.tool_call_stream import ToolCall, ToolCallStream


def piece(index: int | None = None, id_: str | None = None, name: str | None = None, arguments: Any = None) -> Any:
    delta = {"index": index, "id": id_, "function": {"name": name, "arguments": arguments}}
    return {key: value for key, value in delta.items() if value is not None}


def calls(*deltas: Any, seed: str = "") -> list[tuple[str, str, str]]:
    stream = ToolCallStream(seed)
    for delta in deltas:
        stream.feed(delta)
    return [tuple(call) for call in stream.calls(stream.so_far(), ended=True)]  # type: ignore[misc]  # three each


CASES: list[tuple[list[Any], list[tuple[str, str, str]]]] = [
    ([[piece(0, "a", "f", '{"x"')], [piece(0, arguments=": 1}")]], [("a", "f", '{"x": 1}')]),
    ([[piece(0, None, "f", "")], [piece(0, "a")], [piece(0, None, None, "{}")]], [("a", "f", "{}")]),
    ([[piece(0, "a", "f", "{}")], [piece(0, "a", "f", "{}")]], [("a", "f", "{}")]),
    ([[piece(0, "a", "f", '{"x": {}}')], [piece(0, "", "", "")]], [("a", "f", '{"x": {}}')]),
    ([[piece(0, "a", "f", '{"x": {"y": 1}')], [piece(0, arguments=', "z": {}}')]],
     [("a", "f", '{"x": {"y": 1}, "z": {}}')]),
    ([[piece(None, "a", "f", "{")], [piece(None, "b", "g", "{}")], [piece(None, "a", None, "}")]],
     [("a", "f", "{}"), ("b", "g", "{}")]),
    ([[piece(5, "a", "f", "{}")], [piece(3, "b", "g", "{}")]], [("a", "f", "{}"), ("b", "g", "{}")]),
    ([[piece(0, "a", "f", {"x": "å"})]], [("a", "f", '{"x": "å"}')]),
    ([[piece(0, "a", "f", {})], [piece(0, arguments='{"x": 1}')]], [("a", "f", '{"x": 1}')]),
    ([None, [], [None], ["?"], [{}], [{"index": 0, "function": None}]], []),
    ([[{"name": "f", "arguments": "{}", "id": "a"}]], [("a", "f", "{}")]),
]  # fmt: skip


@pytest.mark.parametrize(("deltas", "expected"), CASES)
def test_pieces_become_calls(deltas: list[Any], expected: list[tuple[str, str, str]]) -> None:
    assert calls(*deltas) == expected


def test_missing_and_repeated_ids_are_made_up_and_stay_the_same() -> None:
    pieces = [[piece(0, None, "f", "{}"), piece(1, "x", "g", "{}"), piece(2, "x", "h", "{}")]]
    first, second, third = calls(*pieces, seed="reply-1")
    assert calls(*pieces, seed="reply-1") == [first, second, third]
    assert len({first[0], second[0], third[0]}) == 3
    assert second[0] == "x"
    assert first[0].isalnum()
    assert len(first[0]) == 9
    assert calls(*pieces, seed="reply-2")[0] != first


def test_a_second_object_is_a_second_call_even_if_nothing_else_says_so() -> None:
    named = [[piece(0, None, "f", '{"x": 1}')], [piece(0, None, "f", '{"x": 2}')]]
    bare = [[piece(None, None, "f", '{"x": 1}')], [piece(None, None, None, '{"x": 2}')]]
    for pieces in (named, bare):
        assert [call[1:] for call in calls(*pieces)] == [("f", '{"x": 1}'), ("f", '{"x": 2}')]


def test_an_earlier_point_does_not_move() -> None:
    stream = ToolCallStream()
    stream.feed([piece(0, None, "f", "{")])
    then = stream.so_far()
    stream.feed([piece(0, "a", None, '"x": 1}'), piece(1, "b", "g", "{}")])
    assert [call.arguments for call in stream.calls(then)] == ["{"]
    assert stream.calls(stream.so_far()) == [ToolCall("a", "f", '{"x": 1}'), ToolCall("b", "g", "{}")]


@given(
    st.lists(
        st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=4), max_size=3), min_size=1, max_size=3
    ),
    st.integers(1, 7),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_no_cut_and_no_interleaving_changes_the_calls(
    arguments: list[Any], size: int, has_index: bool, random: Any
) -> None:
    texts = [json.dumps(value) for value in arguments]
    queues = [[text[i : i + size] for i in range(0, len(text), size)] for text in texts]
    order = [number for number, queue in enumerate(queues) for _ in queue]
    if has_index:
        random.shuffle(order)
    begun: set[int] = set()
    deltas = []
    for number in order:
        head = (f"id{number}", f"f{number}") if number not in begun else (None, None)
        begun.add(number)
        deltas.append([piece(number if has_index else None, *head, queues[number].pop(0))])
    assert sorted(calls(*deltas)) == [(f"id{n}", f"f{n}", text) for n, text in enumerate(texts)]
