"""What is read from a stored thread that is gone on with."""

from typing import Any

import pytest

from ui.shown_turns import ShownAnswer, last_answer_in, runs_from_thread


def step(kind: str, name: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "parentId": parent, "end": "now", **more}


def line(ended: str) -> dict[str, Any]:
    return step("undefined", "line", "r1", metadata={"turn": {"ended": ended}})


ASKED = [step("run", "start"), step("user_message", "q1"), step("run", "r1", "q1"), step("llm", "t1", "r1")]
ANSWERED = [*ASKED, step("assistant_message", "a1", "r1")]
REFUSAL = step("assistant_message", "no", "r1", isError=True, metadata={"turn": {"ended": "failed"}})
UNANSWERED = step("assistant_message", "no", "r1", metadata={"turn": {"ended": "stopped"}})


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ([], None),
        ([step("assistant_message", "hello")], None),
        (ASKED, None),
        (ANSWERED, ShownAnswer("q1", "a1")),
        ([*ANSWERED, step("user_message", "q2")], None),
        ([*ANSWERED, step("assistant_message", "a1b", "r1"), line("answered")], ShownAnswer("q1", "a1b")),
        ([*ANSWERED, line("stopped")], ShownAnswer("q1", "a1")),
        ([*ANSWERED, line("interrupted")], ShownAnswer("q1", "a1", is_cut=True)),
        ([*ASKED, REFUSAL], ShownAnswer("q1", "no", has_answer=False)),
        ([*ASKED, UNANSWERED, line("stopped")], ShownAnswer("q1", "no", has_answer=False)),
    ],
)
def test_the_last_answer_is_that_to_the_last_question(steps: list[Any], last: ShownAnswer | None) -> None:
    assert last_answer_in(steps) == last


def test_runs_are_known_by_the_question_that_they_answer() -> None:
    assert runs_from_thread({"steps": ANSWERED}) == {"q1": "r1"}
    assert runs_from_thread({}) == {}
