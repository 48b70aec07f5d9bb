"""What a stored chat is gone on with, read from its thread as Chainlit hands it over. Knows no agent, no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import chainlit as cl

from agents.history import PastTurn
from tools.cards import SourceCard
from ui.cards import sources_in
from ui.export import copyable
from ui.pickers import Picked, picked_from
from ui.shown_turns import ShownAnswer, last_answer_in, runs_from_thread
from ui.stored_turns import Stored, StoredTurn, turns_in

MODES = "modes"
"""Under this name a thread's store keeps what was picked last."""
WRITTEN = "written"
"""In an answer's metadata: what the model wrote, where that can't be told from what stands on the page."""
NOTE = "note"
"""In a question's metadata: what the model is told of the files that came with it."""
UPLOAD = "upload"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChat:
    """`settings` are the entries of the panel; `runs` the runs by the message that each one answers; `last_answer` is
    what stands below the last question; `tools` the names of those that were used.
    """

    settings: Stored = field(default_factory=dict)
    picked: Picked = field(default_factory=Picked)
    turns: tuple[PastTurn, ...] = ()
    runs: Mapping[str, str] = field(default_factory=dict)
    last_answer: ShownAnswer | None = None
    sources: tuple[SourceCard, ...] = ()
    tools: tuple[str, ...] = ()


def past_of(thread: Stored) -> PastChat:
    """What there is to know of a thread that is gone on with in the current session."""
    steps: Sequence[Stored] = thread.get("steps") or []
    turns = tuple(_remembered(turn) for turn in turns_in(steps))
    has_upload = any(note_of(step.get("metadata")) for step in steps)
    used = dict.fromkeys([*(name for turn in turns for name in turn.tools), *([UPLOAD] if has_upload else [])])
    return PastChat(
        settings=cl.context.session.chat_settings,
        picked=picked_from(cl.user_session.get(MODES)),
        turns=turns,
        runs=runs_from_thread(thread),
        last_answer=last_answer_in(steps),
        sources=tuple(sources_in(thread.get("elements") or [])),
        tools=tuple(used),
    )


def note_of(metadata: Stored | None) -> str | None:
    """What the model is told of a question's files; None if they have not been looked at."""
    note: str | None = (metadata or {}).get(NOTE)
    return note


def question_for_model(text: str, metadata: Stored | None) -> str:
    """A question with the note of its files."""
    return "\n\n".join(filter(None, [text, note_of(metadata)]))


def _remembered(turn: StoredTurn) -> PastTurn:
    """The turn as a model remembers it."""
    return PastTurn(
        turn_id=turn.question["id"],
        question=question_for_model(turn.question.get("output") or "", turn.question.get("metadata")),
        answer="\n\n".join(_written(answer) for answer in turn.answers),
        ended=turn.ended,
        tools=tuple(turn.tools),
    )


def _written(answer: Stored) -> str:
    """The answer as the model wrote it."""
    written: str | None = (answer.get("metadata") or {}).get(WRITTEN)
    return copyable(answer.get("output") or "") if written is None else written
