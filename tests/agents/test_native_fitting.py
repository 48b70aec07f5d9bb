import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ThinkingBlock, ToolCallBlock

from agents.native.fitting import cost_of_tools, fitted
from agents.observation import fenced
from agents.token_estimate import tokens_of
from tests.agents.native_turns import Places, as_tools

USER, ASSISTANT, TOOL = MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL
WORDS = "rain falls on most days of the year "


def result(number: int, text: str) -> ChatMessage:
    content = fenced(text, source="look_up") + "\n(A note.)"
    return ChatMessage(role=TOOL, content=content, additional_kwargs={"tool_call_id": str(number)})


def called(*numbers: int) -> ChatMessage:
    calls = [ToolCallBlock(tool_call_id=str(n), tool_name="look_up", tool_kwargs="{}") for n in numbers]
    return ChatMessage(role=ASSISTANT, blocks=[ThinkingBlock(content="Hm."), TextBlock(text=""), *calls])


def a_turn(*, past: int = 0, size: int = 100, question: str = "Why?") -> list[ChatMessage]:
    """Past turns, then a question, a round with one call and a round with two."""
    turns = [[ChatMessage(f"q{i} {WORDS}", role=USER), ChatMessage(f"a{i}", role=ASSISTANT)] for i in range(past)]
    return [
        *(message for turn in turns for message in turn),
        ChatMessage(question, role=USER),
        called(1),
        result(1, WORDS * size),
        called(2, 3),
        result(2, WORDS * size),
        result(3, WORDS * (size // 2)),
    ]


def test_what_fits_is_sent_as_it_is() -> None:
    turn = a_turn(past=3)
    assert fitted(turn, max_tokens=100_000) == turn


def test_results_of_earlier_rounds_are_cut_first_and_keep_their_fence() -> None:
    turn = a_turn(past=3)
    cut = fitted(turn, max_tokens=tokens_of(turn) - 500)
    assert [message for message in cut if message not in turn] == [cut[8]]
    text = cut[8].content or ""
    assert text.startswith('<tool_result source="look_up">\nrain falls')
    assert "[cut: " in text
    assert text.endswith("\n</tool_result>\n(A note.)")
    assert cut[8].additional_kwargs == {"tool_call_id": "1"}


def test_then_past_turns_are_left_out_whole_and_the_oldest_first() -> None:
    turn = a_turn(past=3)
    cut = fitted(turn, max_tokens=tokens_of(turn) - 700)
    assert [message.content for message in cut if message.role == USER] == [f"q2 {WORDS}", "Why?"]
    assert [message.role for message in cut[:3]] == [USER, ASSISTANT, USER]


def test_then_the_results_of_the_last_round_and_at_last_the_question() -> None:
    turn = a_turn(past=1, question="Why? " * 1000)
    cut = fitted(turn, max_tokens=900)
    assert [message.role for message in cut] == [USER, ASSISTANT, TOOL, ASSISTANT, TOOL, TOOL]
    assert tokens_of(cut) <= 900
    assert (cut[0].content or "").startswith("Why? Why?")
    assert all("[cut: " in (cut[at].content or "") for at in (0, 2, 4, 5))
    assert [cut[at].blocks for at in (1, 3)] == [called(1).blocks, called(2, 3).blocks]


@settings(deadline=None, max_examples=60)
@given(past=st.integers(0, 5), size=st.integers(0, 300), max_tokens=st.integers(-50, 6000))
def test_calls_and_results_stay_in_pairs_and_the_limit_is_kept(past: int, size: int, max_tokens: int) -> None:
    turn = a_turn(past=past, size=size)
    cut = fitted(turn, max_tokens=max_tokens)
    assert [message.role for message in cut][-6:] == [USER, ASSISTANT, TOOL, ASSISTANT, TOOL, TOOL]
    assert tokens_of(cut) <= max(max_tokens, 700)


@pytest.mark.parametrize(("count", "least", "most"), [(0, 0, 0), (1, 60, 160)])
def test_the_tools_own_size_counts(count: int, least: int, most: int) -> None:
    assert least <= cost_of_tools(as_tools(Places())[:count]) <= most
