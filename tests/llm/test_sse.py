"""Events from bytes: every line ending, every cut, and what servers make of the standard."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.sse import Event, EventStream

TWO = [Event("", b'{"a": 1}'), Event("", b'{"b": 2}')]
CASES: list[tuple[bytes, list[Event]]] = [
    (b'data: {"a": 1}\n\ndata: {"b": 2}\n\n', TWO),
    (b'data: {"a": 1}\r\n\r\ndata: {"b": 2}\r\n\r\n', TWO),
    (b'data: {"a": 1}\r\rdata: {"b": 2}\r\r', TWO),
    (b'data:{"a": 1}\n\n: a comment\n\n\n\ndata:{"b": 2}', TWO),
    (b'data: {"a": 1}\ndata: {"b": 2}\n', TWO),
    (b'\xef\xbb\xbfid: 3\nretry: 10\ndata: {"a": 1}\n\n:\ndata: {"b": 2}\n\n', TWO),
    (b"event: error\ndata: {\ndata: }\n\ndata: x\n\n", [Event("error", b"{\n}"), Event("", b"x")]),
    (b'\n\n{"error":\n "no"}\n', [Event("", b'{"error":\n "no"}')]),
    (b"data: [DONE]", [Event("", b"[DONE]")]),
    (b'data: {"a": 1}\ndata: [DONE]\n\n', [TWO[0], Event("", b"[DONE]")]),
    (b"data\n\ndata: \n\n", [Event("", b"data")]),
    (b"", []),
]


def read(data: bytes, cuts: list[int]) -> list[Event]:
    stream = EventStream()
    edges = [0, *sorted({min(cut, len(data)) for cut in cuts}), len(data)]
    events = [event for a, b in pairwise(edges) for event in stream.feed(data[a:b])]
    return [event for event in [*events, *stream.close()] if event.data]


@pytest.mark.parametrize(("data", "events"), CASES)
def test_events_are_found(data: bytes, events: list[Event]) -> None:
    assert sorted(read(data, [])) == sorted(events)
    assert read(data, list(range(len(data)))) == read(data, [])


@given(case=st.sampled_from(CASES), cuts=st.lists(st.integers(0, 80)))
def test_cuts_change_nothing(case: tuple[bytes, list[Event]], cuts: list[int]) -> None:
    assert read(case[0], cuts) == read(case[0], [])


def test_a_whole_event_goes_on_at_once() -> None:
    stream = EventStream()
    assert stream.feed(b'data: {"a": 1}\n\n') == [TWO[0]]
    assert stream.feed(b'data: {"b"') == []
    assert stream.feed(b": 2}\n\n") == [TWO[1]]
