"""How a turn is shown whose process was killed."""

from typing import Any

import pytest

from ui.cut_turns import with_cut_turns_closed
from ui.stored_turns import turns_in
from ui.texts import TEXTS, Texts

TOLD = {"metadata": {"turn": {"ended": "answered"}}}


def step(kind: str, name: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    facts = {"threadId": "t", "name": name, "input": "", "output": "", "metadata": {}, "createdAt": "2026", "end": None}
    return facts | {"id": name, "type": kind, "parentId": parent} | more


def question(number: int) -> dict[str, Any]:
    return step("user_message", f"q{number}")


def run(number: int, **more: Any) -> dict[str, Any]:
    return step("run", f"r{number}", f"q{number}", **more)


def closed(*steps: dict[str, Any], texts: Texts = TEXTS["en"], **how: Any) -> list[dict[str, Any]]:
    return with_cut_turns_closed(steps, texts, **how)


WHOLE = [question(1), run(1, end="2026"), step("assistant_message", "a1", "r1"), step("undefined", "l1", "r1", **TOLD)]


@pytest.mark.parametrize(
    "steps",
    [
        [],
        WHOLE,
        [step("run", "start"), *WHOLE],
        [*WHOLE[:2], step("undefined", "l1", "r1", **TOLD)],
        [question(1), run(1, end="2026"), step("assistant_message", "a1", "r1")],
        [question(1), step("assistant_message", "a1")],
    ],
    ids=["nothing", "answered", "with a start", "without an answer", "of another app", "of another app without runs"],
)
def test_what_was_not_cut_stays_as_it_is(steps: list[dict[str, Any]]) -> None:
    assert closed(*steps) == steps


@pytest.mark.parametrize(("language", "words"), [("en", "Interrupted"), ("zh", "中断")])
def test_thinking_that_was_cut_is_closed_and_can_be_asked_for_again(language: Any, words: str) -> None:
    thinking = step("llm", "Thinking…", "r1", output="Hm, ")
    shown = closed(*WHOLE[:1], run(1), thinking, texts=TEXTS[language])
    *_, told, sentence, line = shown
    assert (told["name"], told["output"], told["end"]) == (TEXTS[language].turn.thought_cut, "Hm, ", "2026")
    assert (sentence["type"], sentence["isError"], sentence["parentId"]) == ("assistant_message", False, "r1")
    assert words in line["name"]
    (turn,) = turns_in(shown)
    assert (turn.ended, turn.answers, turn.messages) == ("interrupted", [], [sentence])
    assert all(each.get("end") for each in turn.steps)


def test_a_part_of_an_answer_is_the_answer() -> None:
    answer = step("assistant_message", "a1", "r1", output="A par")
    shown = closed(question(1), run(1), answer)
    assert [each["type"] for each in shown] == ["user_message", "run", "assistant_message", "undefined"]
    (turn,) = turns_in(shown)
    assert (turn.ended, turn.answers) == ("interrupted", [answer])


def test_a_tool_that_ran_is_told_of_as_stopped() -> None:
    call = step("tool", "Searching the web: Lima", "r1", metadata={"tool": "search_web"}, input='{"query": "Lima"}')
    assert closed(question(1), run(1), call)[2]["name"] == "Searched the web: Lima · stopped"


@pytest.mark.parametrize("arguments", ["", "no JSON", "[1]"])
def test_a_tool_whose_arguments_were_lost_is_told_of_by_its_verb(arguments: str) -> None:
    call = step("tool", "Searching", "r1", metadata={"tool": "search_web"}, input=arguments)
    assert closed(question(1), run(1), call)[2]["name"] == "Searched the web · stopped"


def test_a_question_that_nothing_was_done_for_is_told_of_too() -> None:
    asked, begun, sentence, line = closed(question(1))
    assert (begun["type"], begun["parentId"]) == ("run", asked["id"])
    assert {sentence["parentId"], line["parentId"]} == {begun["id"]}


def test_all_turns_are_looked_at_but_those_that_run() -> None:
    steps = [question(1), run(1), *WHOLE_AFTER, question(3), run(3)]
    ends = [turn.ended for turn in turns_in(closed(*steps, running={"q3"}))]
    assert ends == ["interrupted", "answered", "interrupted"]
    assert closed(*steps, running={"q1", "q3"}) == steps


WHOLE_AFTER = [question(2), run(2, end="2026"), step("undefined", "l2", "r2", **TOLD)]


def test_shown_twice_it_is_the_same() -> None:
    once = closed(question(1), run(1))
    assert closed(question(1), run(1)) == once
    assert closed(*once) == once
    assert len({each["id"] for each in closed(question(1), question(2))}) == 8
