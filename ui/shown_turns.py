"""Which turns stand on the page, and how those that come after a question vanish from it and from the store.

Knows Chainlit's runs, messages and data layer; must not know how a turn is answered.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import chainlit as cl
from chainlit.chat_context import chat_context
from chainlit.data import get_data_layer

from ui.stored_turns import Stored, is_answer, last_turn_in


@runtime_checkable
class ForgetsLater(Protocol):
    """A data layer that can cut a thread off after one of its steps."""

    async def forget_after(self, thread_id: str, step_id: str, *, keep: Collection[str] = ()) -> None: ...


@dataclass(frozen=True, slots=True)
class Superseded:
    """A question that is asked anew, the runs by what they answered, it and later ones, and the messages after it."""

    question_id: str
    run_ids: dict[str, str]
    messages: list[cl.Message]

    async def vanish(self, *, keep: Collection[str]) -> None:
        """Take the runs, with all that is in them, and the messages off the page and out of the store."""
        emitter = cl.context.emitter
        for run_id in self.run_ids.values():
            await emitter.delete_step({"id": run_id})
        for message in self.messages:
            await message.remove()
        layer = get_data_layer()
        if isinstance(layer, ForgetsLater):
            await layer.forget_after(cl.context.session.thread_id, self.question_id, keep=keep)


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The answer to the question `turn_id`, or the sentence that says why there is none; `is_cut`: the server ended."""

    turn_id: str
    message_id: str
    has_answer: bool = True
    is_cut: bool = False


@dataclass(slots=True)
class ShownTurns:
    """The runs on the page, by the message that each one answers, in their order."""

    _run_ids: dict[str, str]

    def note(self, message: cl.Message) -> None:
        """From now on the current run answers the message."""
        if run := cl.context.current_run:
            self._run_ids[message.id] = run.id

    def take_from(self, message: cl.Message) -> Superseded | None:
        """What the message supersedes, which is then no longer counted as shown; None for a new message."""
        if message.id not in self._run_ids:
            return None
        messages = chat_context.get()
        ids = [known.id for known in messages]
        later = messages[ids.index(message.id) + 1 :] if message.id in ids else []
        turn_ids = [message.id, *(known.id for known in later)]
        run_ids = {turn_id: self._run_ids.pop(turn_id) for turn_id in turn_ids if turn_id in self._run_ids}
        earlier_runs = set(self._run_ids.values())  # their answers may have come after the message
        return Superseded(message.id, run_ids, [known for known in later if known.parent_id not in earlier_runs])

    def put_back(self, superseded: Superseded) -> None:
        """It was not superseded after all: what answered it stands on the page as before."""
        self._run_ids.update(superseded.run_ids)

    def newer_than(self, message: cl.Message) -> list[str]:
        """The messages that came in since, and their runs."""
        turn_ids = list(self._run_ids)
        newer = turn_ids[turn_ids.index(message.id) :] if message.id in turn_ids else []
        return [*newer, *(self._run_ids[turn_id] for turn_id in newer)]


def runs_from_thread(thread: Mapping[str, Any]) -> dict[str, str]:
    """The runs of a stored thread, by the message that each one answers."""
    steps = thread.get("steps") or []
    return {step["parentId"]: step["id"] for step in steps if step["type"] == "run" and step.get("parentId")}


def last_answer_in(steps: Iterable[Stored]) -> ShownAnswer | None:
    """The answer to the last question of a stored thread; None where there is none, or it is still being written."""
    last = last_turn_in(steps)
    if last is None or last.is_cut or not last.messages:
        return None
    message = last.messages[-1]
    return ShownAnswer(
        last.question["id"], message["id"], has_answer=is_answer(message), is_cut=last.ended == "interrupted"
    )
