"""Thinking and text from tagged content: what counts as a tag, and that no cut changes it or shows a piece of one."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.think_tags import TagSplitter

FENCED = "```\n</think>\n```"
CASES = [
    # content, thinking, text
    ("<think>\nHm.\n</think>\n\nYes.", "Hm.", "Yes."),
    ("\n  <think>Hm.</think>Yes.", "Hm.", "Yes."),
    ("<thinking>Hm.</thinking>\nYes.", "Hm.", "Yes."),
    ("<reasoning>Hm.</reasoning>Yes.", "Hm.", "Yes."),
    ("<seed:think>Hm.</seed:think>Yes.", "Hm.", "Yes."),
    ("[THINK]Hm.[/THINK]Yes.", "Hm.", "Yes."),
    ("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.", "Hm.", "Yes."),
    ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", "Hm.", "Yes."),
    ("<|channel|>final<|message|>Yes.", "", "Yes."),
    ("<Think>Hm.</THINK>Yes.", "Hm.", "Yes."),
    ("<think></think>\n\nYes.", "", "Yes."),
    ("<think>One.</think>\n<think>Two.</think>\n\nYes.", "One.\n\nTwo.", "Yes."),
    ("<think>Hm.</think>\n\n    indented\n", "Hm.", "    indented\n"),
    ("<think>Hm.</think>Yes <think>no</think>.", "Hm.", "Yes <think>no</think>."),
    ("<think>a < b, [x] </thinker> ok</think>Yes.", "a < b, [x] </thinker> ok", "Yes."),
    (f"<think>So:\n{FENCED}\nok</think>Yes.", f"So:\n{FENCED}\nok", "Yes."),
    ("<think>It ends with `</think>`, ok</think>Yes.", "It ends with `</think>`, ok", "Yes."),
    ("<think>Run `x`</think>Yes.", "Run `x`", "Yes."),
    ("<think>So:\n```py\nx = 1\n</think>\n\nYes.", "So:\n```py\nx = 1", "Yes."),
    ("<think>Still at it", "Still at it", ""),
    ("Hm.</think>\n\nYes.", "Hm.", "Yes."),
    ("Hm.\n</think>Yes.", "Hm.", "Yes."),
    ("Hm.</think>", "Hm.", ""),
    ("Hm.</think>\n</think>\nYes.", "Hm.", "Yes."),
    ("</think>\n\nYes.", "", "Yes."),
    ("Yes.", "", "Yes."),
    ("", "", ""),
    (" \n", "", " \n"),
    ("\n\nYes.", "", "\n\nYes."),
    ("a < b and <b>bold</b> <thi", "", "a < b and <b>bold</b> <thi"),
    (f"So:\n{FENCED}\nYes.", "", f"So:\n{FENCED}\nYes."),
    ("~~~\n<think>\n</think>\n~~~", "", "~~~\n<think>\n</think>\n~~~"),
    ("It ends with `</think>`.", "", "It ends with `</think>`."),
    ("The </think> tag ends it.", "", "The </think> tag ends it."),
    ('A "</think>" ends it.', "", 'A "</think>" ends it.'),
    ("Say <think> first and </think> last.", "", "Say <think> first and </think> last."),
    ("x<think>y</think>\nz", "", "x<think>y</think>\nz"),
]
OPENED = [
    ("Hm.\n</think>\n\nYes.", "Hm.", "Yes."),
    ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
    ("Hm. The `</think>` tag.</think>Yes.", "Hm. The `</think>` tag.", "Yes."),
    ("Yes, at once.", "", "Yes, at once."),
]


def split(content: str, cuts: list[int], *, opened: bool = False, complete: bool = True) -> tuple[str, str]:
    splitter, thinking, text = TagSplitter(opened=opened), "", ""
    edges = [0, *sorted({min(cut, len(content)) for cut in cuts}), len(content)]
    pieces = [splitter.feed(content[a:b]) for a, b in pairwise(edges)]
    for piece in [*pieces, splitter.close(complete=complete)]:
        thinking, text = piece.whole or (thinking + piece.thinking, text + piece.text)
    return thinking, text


@pytest.mark.parametrize(("content", "thinking", "text"), CASES)
def test_content_is_split(content: str, thinking: str, text: str) -> None:
    assert split(content, []) == split(content, list(range(len(content)))) == (thinking, text)


@pytest.mark.parametrize(("content", "thinking", "text"), OPENED)
def test_content_that_begins_inside_a_block(content: str, thinking: str, text: str) -> None:
    assert split(content, [], opened=True) == split(content, list(range(99)), opened=True) == (thinking, text)


WORDS = st.lists(
    st.sampled_from(["<think>", "</think>", "\n", "```", "`", " ", "Hm", "<", "</th", "~~~\n"]), max_size=9
)


@given(WORDS, st.lists(st.integers(0, 60)), st.booleans(), st.booleans())
def test_no_cut_changes_the_split(words: list[str], cuts: list[int], opened: bool, complete: bool) -> None:
    content = "".join(words)
    assert split(content, cuts, opened=opened, complete=complete) == split(
        content, [], opened=opened, complete=complete
    )


@pytest.mark.parametrize("end", ["</", "</thi", "</think"])
def test_a_tag_cut_off_by_the_end_is_not_shown(end: str) -> None:
    thinking, _ = split(f"<think>Hm.{end}", [], complete=False)
    assert thinking == ("Hm.</" if end == "</" else "Hm.")


def test_text_after_the_block_goes_on_at_once() -> None:
    splitter = TagSplitter()
    splitter.feed("<think>Hm.</think>Yes")
    assert splitter.is_done
    assert splitter.feed(" </th").text == " </th"


def test_many_mentions_cost_linear_time() -> None:
    splitter = TagSplitter()
    content = "The `</think>` tag is only spoken of here.\n" * 4000
    given_out = "".join(splitter.feed(content[i : i + 50]).text for i in range(0, len(content), 50))
    assert given_out + splitter.close(complete=True).text == content
