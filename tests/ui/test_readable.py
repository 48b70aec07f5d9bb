"""What went into a tool and came out of it, as Markdown for people."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.turn.readable import MAX_SHOWN_CHARS, fenced, readable_input, readable_output

CUT = "… and {count:,} more characters"


def shown_input(arguments: dict[str, object], told: str = "") -> str:
    return readable_input(arguments, told=told, cut=CUT)


def shown_output(text: str, *, of_code: bool = False) -> str:
    return readable_output(text, of_code=of_code, cut=CUT)


@pytest.mark.parametrize(
    ("arguments", "told", "shown"),
    [
        ({"expression": "6*7"}, "6*7", ""),
        ({"query": "Peru", "topic": "news", "days": None}, "Peru", "```\ntopic: news\n```"),
        ({"query": "a\n b"}, "a b", "```\na\n b\n```"),
        ({"code": "print(1)\nprint(2)"}, "", "```python\nprint(1)\nprint(2)\n```"),
        ({"sql": "SELECT 1"}, "", "```sql\nSELECT 1\n```"),
        ({"name": "a.py", "content": "x = 1"}, "a.py", "```python\nx = 1\n```"),
        ({"path": "a/note.txt", "content": "Hello"}, "a/note.txt", "```\nHello\n```"),
        ({"number": 7, "labels": ["bug", "ü"]}, "", '```\nnumber: 7\nlabels: ["bug", "ü"]\n```'),
        ({"code": "pass", "timeout": 3}, "", "```\ntimeout: 3\n```\n\n```python\npass\n```"),
        ({}, "", ""),
    ],
)
def test_arguments_stand_as_what_they_are(arguments: dict[str, object], told: str, shown: str) -> None:
    assert shown_input(arguments, told) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("  \n", ""),
        ("one\ntwo", "```\none\ntwo\n```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("| a | b |\n|:--|--:|\n", "| a | b |\n|:--|--:|"),
        ("| a |\n|---|\n| ![x](https://evil.example/p.png) |", "| a |\n|---|\n| [x](<https://evil.example/p.png>) |"),
        ("| a |\n|---|\n| host:port |", "| a |\n|---|\n| host\\:port |"),
        ("Rows:\n| a |\n|---|", "```\nRows:\n| a |\n|---|\n```"),
        ('{"a": [1]}', '```json\n{\n  "a": [\n    1\n  ]\n}\n```'),
        ("[1] Lima", "```\n[1] Lima\n```"),
        ("{not json", "```\n{not json\n```"),
        ("a ``` b", "````\na ``` b\n````"),
    ],
)
def test_a_result_stands_as_what_it_is(text: str, shown: str) -> None:
    assert shown_output(text) == shown


def test_the_output_of_code_stands_in_columns() -> None:
    assert shown_output("a  1\nbb 2", of_code=True) == "```text\na  1\nbb 2\n```"


def test_what_is_very_long_is_cut_and_says_so() -> None:
    shown = shown_output("x" * (MAX_SHOWN_CHARS + 1234))
    assert "… and 1,234 more characters" in shown
    assert len(shown) < MAX_SHOWN_CHARS + 100


def test_json_nested_without_end_is_shown_as_it_came() -> None:
    assert shown_output("[" * 9_000).startswith("```\n[[[")


@given(st.text(alphabet="`~a\n |", max_size=60))
def test_nothing_breaks_out_of_its_fence(text: str) -> None:
    opening, *inside, closing = fenced(text, "python").split("\n")
    marks = opening.removesuffix("python")
    assert closing == marks
    assert not any(re.match(rf" {{0,3}}{marks}`*\s*$", line) for line in inside)
