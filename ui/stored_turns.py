"""The turns of a stored chat, read from its steps in the order in which they stand on the page. Pure."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents.events import EndReason

Stored = Mapping[str, Any]

ENDED = "turn"
"""In the metadata of a turn's last line, or of the sentence in the place of its answer: `{"ended": EndReason, ...}`."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A question and all that stands below it."""

    question: Stored
    steps: tuple[Stored, ...]

    @property
    def ended(self) -> EndReason:
        """How it ended, as its last line says. A chat that another app has stored has no such lines."""
        said = [facts[ENDED]["ended"] for facts in self._facts() if ENDED in facts]
        return cast(EndReason, said[-1] if said else "interrupted" if self.is_cut else "answered")

    @property
    def is_cut(self) -> bool:
        """Whether nothing says how it ended: it still runs, or did when its process was killed."""
        if any(ENDED in facts for facts in self._facts()):
            return False
        return not self.steps or any(step["type"] == "run" and not step.get("end") for step in self.steps)

    @property
    def run_id(self) -> str | None:
        """The step that holds all the others; None where it was never begun."""
        return next((step["id"] for step in self.steps if step["type"] == "run"), None)

    @property
    def messages(self) -> list[Stored]:
        """What was sent to the person: the answer, and whatever stands in its place."""
        return [step for step in self.steps if step["type"] == "assistant_message"]

    @property
    def answers(self) -> list[Stored]:
        """Of the messages those that the model wrote."""
        return [message for message in self.messages if is_answer(message)]

    @property
    def tools(self) -> list[str]:
        """The names of those that were used, in order."""
        return [facts["tool"] for facts in self._facts() if "tool" in facts]

    def _facts(self) -> Iterator[Stored]:
        return (step.get("metadata") or {} for step in self.steps)


def turns_in(steps: Iterable[Stored]) -> Iterator[StoredTurn]:
    """The turns of a chat. What stands before the first question belongs to none."""
    turn: list[Stored] = []
    for step in steps:
        if step["type"] == "user_message" and turn:
            yield StoredTurn(turn[0], tuple(turn[1:]))
            turn = []
        if turn or step["type"] == "user_message":
            turn.append(step)
    if turn:
        yield StoredTurn(turn[0], tuple(turn[1:]))


def last_turn_in(steps: Iterable[Stored]) -> StoredTurn | None:
    """The last turn of a chat, if it has one."""
    return next(iter(deque(turns_in(steps), maxlen=1)), None)


def is_answer(message: Stored) -> bool:
    """Whether the model wrote this message: it is not a sentence in the place of an answer."""
    return not message.get("isError") and ENDED not in (message.get("metadata") or {})
