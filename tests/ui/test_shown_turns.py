"""What is read from a stored thread that is gone on with."""

from typing import Any

import pytest

from ui.shown_turns import last_answer_in, runs_from_thread


def step(kind: str, name: str, parent: str | None = None) -> dict[str, Any]:
    return {"id": name, "type": kind, "parentId": parent}


ASKED = [step("run", "start"), step("user_message", "q1"), step("run", "r1", "q1"), step("llm", "t1", "r1")]
ANSWERED = [*ASKED, step("assistant_message", "a1", "r1"), step("undefined", "line", "r1")]


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ([], None),
        (None, None),
        ([step("assistant_message", "hello")], None),
        (ASKED, None),
        (ANSWERED, ("q1", "a1")),
        ([*ANSWERED, step("user_message", "q2")], None),
        ([*ANSWERED, step("assistant_message", "a1b", "r1")], ("q1", "a1b")),
    ],
)
def test_the_last_answer_is_that_to_the_last_question(steps: Any, last: tuple[str, str] | None) -> None:
    assert last_answer_in({"steps": steps}) == last


def test_runs_are_known_by_the_question_that_they_answer() -> None:
    assert runs_from_thread({"steps": ANSWERED}) == {"q1": "r1"}
    assert runs_from_thread({}) == {}
