import pytest

from agents.events import EndReason
from agents.history import PastTurn, estimate_tokens, messages_from_turns


def shown(turns: list[PastTurn], *, max_tokens: int = 10_000) -> list[tuple[str, str]]:
    return [(m.role.value, m.content or "") for m in messages_from_turns(turns, max_tokens=max_tokens)]


def test_turns_become_questions_and_answers_in_order() -> None:
    turns = [PastTurn("1", "Hi", "Hello!"), PastTurn("2", "And Oslo?", "Rain.", tools=("get_weather", "get_weather"))]
    assert shown(turns) == [
        ("user", "Hi"),
        ("assistant", "Hello!"),
        ("user", "And Oslo?"),
        ("assistant", "Rain.\n\n[Tools used: get_weather]"),
    ]


@pytest.mark.parametrize(
    ("ended", "says"),
    [("stopped", "The user stopped"), ("failed", "technical error"), ("gave_up", "before the work was done")],
)
@pytest.mark.parametrize("answer", ["", "It is"])
def test_a_turn_that_was_cut_says_so_and_is_never_empty(ended: EndReason, says: str, answer: str) -> None:
    text = shown([PastTurn("1", "Why?", answer, ended=ended)])[1][1]
    assert text.startswith(answer)
    assert says in text


def test_an_empty_answer_is_not_an_empty_message() -> None:
    assert shown([PastTurn("1", "Why?", "")])[1] == ("assistant", "[There was no answer.]")


def test_the_latest_turns_stay_when_the_window_is_small() -> None:
    turns = [PastTurn(str(i), f"question {i} " + "x" * 400, "y" * 400) for i in range(20)]
    kept = shown(turns, max_tokens=1000)
    assert 2 <= len(kept) < 12
    assert kept[-2][1].startswith("question 19")
    assert [role for role, _ in kept] == ["user", "assistant"] * (len(kept) // 2)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 180, 280),  # 10 tokens a sentence in common vocabularies
        ("今天天气很好，我们去公园散步吧。" * 20, 180, 300),  # 9 to 12 tokens a sentence
        ("", 0, 1),
    ],
)
def test_the_estimate_is_right_for_english_and_chinese(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most
