"""JSON as models write it: what has one reading is read, everything else is refused; and where it ends is found."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.lenient_json import NotReadable, read_call, read_value
from agents.marks.scanner import BracketScanner

READABLE: list[tuple[str, Any]] = [
    ('{"a": 1}', {"a": 1}),
    ("{'a': 'b'}", {"a": "b"}),
    ("{a: 1, b_c: true}", {"a": 1, "b_c": True}),
    ("{'a': True, 'b': None}", {"a": True, "b": None}),
    ("{“a”： “b”，“c”：［1，2］}", {"a": "b", "c": [1, 2]}),
    ("{「a」: 『b』}", {"a": "b"}),
    ('{"a": [1, 2,], }', {"a": [1, 2]}),
    ('{"a": "x" /* y */, # z\n"b": 1 // it\'s\n}', {"a": "x", "b": 1}),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
    ('{"a": "1\n2\t3"}', {"a": "1\n2\t3"}),
    ('{"a": "\\d\\n\\\\"}', {"a": "\\d\n\\"}),
    ("{'a': '\\ud83e\\udd89 \\u732b'}", {"a": "🦉 猫"}),
    ("{'a': 'king's road'}", {"a": "king's road"}),
    ('{"a": """\n"quoted"\n"""}', {"a": '"quoted"'}),
    ("{a: blue sky, b: -1.5e3}", {"a": "blue sky", "b": -1500.0}),
    ('{"a": {"b": [{"c": {}}]}}', {"a": {"b": [{"c": {}}]}}),
]
REFUSED = [
    '{"a": "say "x""}',
    '{"a": "say "" x"}',
    '{"a": "f("k": 1)"}',
    '{"a": ["x" "y"]}',
    '{"a": 1, "a": 2}',
    "{'a': 1, 'a': 2}",
    '{"a" "b"}',
    '{"a": }',
    '{"a": 1',
    '{"a": "x',
    '{"a": 1} {"b": 2}',
    '{"a": New York, NY}',
    '{"a": """x\\n"""}',
    "",
    "[" * 10_000,
    '{"a":' * 10_000,
]


@pytest.mark.parametrize(("text", "value"), READABLE)
def test_what_has_one_reading_is_read(text: str, value: Any) -> None:
    assert read_value(text)[0] == value


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_none_or_two_is_refused(text: str) -> None:
    with pytest.raises(NotReadable):
        read_value(text)


@pytest.mark.parametrize(("text", "is_mended"), [('{"a": 1 "b": 2}', True), ("{'a': 1}", False), ('{"a": 1}', False)])
def test_it_says_whether_the_structure_was_mended(text: str, is_mended: bool) -> None:
    assert read_value(text)[1] is is_mended


def test_missing_closers_are_accepted_only_on_request() -> None:
    assert read_value('{"a": ["b"', may_lack_closers=True) == ({"a": ["b"]}, True)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("()", ([], {})),
        ("(1, 'a', b=[2], c={'d': None})", ([1, "a"], {"b": [2], "c": {"d": None}})),
        ("（a＝1）".replace("＝", "="), ([], {"a": 1})),
        ('a="x", b=2', ([], {"a": "x", "b": 2})),
    ],
)
def test_arguments_of_a_call_are_read(text: str, call: tuple[list[Any], dict[str, Any]]) -> None:
    assert read_call(text) == call


@pytest.mark.parametrize("text", ["(a remark)", "(a=1, a=2)", "(1 2)", "(f(1))"])
def test_a_remark_is_no_argument(text: str) -> None:
    with pytest.raises(NotReadable):
        read_call(text)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(value=st.dictionaries(st.text(), _VALUES), is_ascii=st.booleans(), indent=st.sampled_from([None, 2]))
@settings(max_examples=60, deadline=None)
def test_json_is_read_as_json(value: dict[str, Any], is_ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    assert read_value(text) == (value, False)
    assert read_value(text[:-1] + "\n,}" if value else "{ /**/ }")[0] == value


@given(value=st.dictionaries(st.text(), _VALUES), tail=st.text(), size=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_the_end_of_a_value_is_found_with_its_last_bracket(value: dict[str, Any], tail: str, size: int) -> None:
    text = json.dumps(value, ensure_ascii=False)
    scanner, at = BracketScanner(), 0
    while (end := scanner.feed((text + tail)[at : at + size])) is None:
        at += size
    assert at + end == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "{'it's': '}'}",
        '{"""}"""}',
        "{/*}*/}",
        "{//}\n}",
        "(f(1), '[')",
        "{“}”}",
        '{"\\"}"}',
        "{'a\\'}': 1}",
        '{"" : ""}',
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_brackets_in_strings_and_comments_do_not_count(text: str, size: int) -> None:
    scanner, ends = BracketScanner(), []
    for at in range(0, len(text), size):
        end = scanner.feed(text[at : at + size])
        ends += [] if end is None else [at + end]
    assert ends == [len(text)]
