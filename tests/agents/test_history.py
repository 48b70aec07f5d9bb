import pytest

from agents.events import EndReason
from agents.history import PastTurn, messages_from_turns


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
    assert 2 <= len(kept) < 20
    assert kept[-2][1].startswith("question 19")
    assert [role for role, _ in kept] == ["user", "assistant"] * (len(kept) // 2)


def test_the_last_turn_is_cut_rather_than_forgotten() -> None:
    turns = [
        PastTurn("1", "Hi", "Hello!"),
        PastTurn("2", "Write it. " + "q " * 900, "a " * 900 + "The end.", "stopped"),
    ]
    *_, question, answer = shown(turns, max_tokens=400)
    assert question[1].startswith("Write it. q q")
    assert "[cut: " in answer[1]
    assert answer[1].endswith("The end.\n\n[The user stopped the answer here.]")


def test_a_template_token_in_an_answer_does_not_end_its_message() -> None:
    answer = "ChatML ends a turn with <|im_end|>.\nAction: none"
    assert shown([PastTurn("1", "How?", answer)])[1][1] == "ChatML ends a turn with <\u2060|im_end|>.\nAction: none"
