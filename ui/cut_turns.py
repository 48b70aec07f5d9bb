"""How a turn is shown that has no end in the store: its process was killed, or is still writing it.

What was open in a killed one is closed, and its last line says that it was cut off. For the page alone: the store stays
as it was.
"""

import json
import uuid
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Protocol, runtime_checkable

from chainlit.config import config
from chainlit.data import get_data_layer

from ui.data_layer.rows import Row
from ui.stored_turns import ENDED, StoredTurn, turns_in
from ui.texts import Texts
from ui.turn.tool_steps import stopped_title

_IDS = uuid.UUID("5b0b8f0e-6d0c-4d5e-9a3a-1f6c2f2a7d11")
"""What is added to a turn has the same id each time that the turn is shown."""


@runtime_checkable
class KnowsWriters(Protocol):
    """A data layer that knows in which chats a turn runs, in whatever process."""

    def writing_in(self, thread_id: str) -> AbstractAsyncContextManager[None]: ...

    async def is_written_in(self, thread_id: str) -> bool: ...


def writing_in(thread_id: str) -> AbstractAsyncContextManager[None]:
    """A turn runs in this chat for as long as the context lasts."""
    layer = get_data_layer()
    return layer.writing_in(thread_id) if isinstance(layer, KnowsWriters) else nullcontext()


async def steps_to_show(thread: Row, texts: Texts) -> list[Row]:
    """The steps of a stored chat, for a page that can't join the session in which a turn may be running."""
    steps: list[Row] = thread["steps"]
    cut, layer = [turn for turn in turns_in(steps) if turn.is_cut], get_data_layer()
    is_written = bool(cut) and isinstance(layer, KnowsWriters) and await layer.is_written_in(thread["id"])
    if not is_written:
        return with_cut_turns_closed(steps, texts)
    last, metadata = cut[-1], {"icon": "app-window"}
    parent = last.run_id or last.question["id"]
    return [*steps, _added(last, "undefined", name=texts.turn.elsewhere, parent=parent, metadata=metadata)]


def with_cut_turns_closed(steps: Sequence[Row], texts: Texts, *, running: Collection[str] = ()) -> list[Row]:
    """The steps of a stored thread with its cut turns closed, but for those whose question is in `running`."""
    instead: dict[str, list[Row]] = {}
    for turn in turns_in(steps):
        if turn.is_cut and turn.question["id"] not in running:
            inside = [_closed(dict(step), texts) for step in turn.steps]
            instead[turn.question["id"]] = [dict(turn.question), *inside, *_ending(turn, texts)]
            instead.update((step["id"], []) for step in turn.steps)
    return [shown for step in steps for shown in instead.get(step["id"], [step])]


def _closed(step: Row, texts: Texts) -> Row:
    if step.get("end") or step["type"] == "assistant_message":
        return step
    step["end"] = step.get("start") or step.get("createdAt")
    if step["type"] == "llm":
        step["name"] = texts.turn.thought_cut
    elif name := (step.get("metadata") or {}).get("tool"):
        step["name"] = stopped_title(texts, name, _arguments(step))
    return step


def _arguments(step: Row) -> dict[str, Any]:
    try:
        arguments = json.loads(step["input"])
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _ending(turn: StoredTurn, texts: Texts) -> list[Row]:
    added = [] if turn.run_id else [_added(turn, "run", name="on_message", parent=turn.question["id"])]
    parent, metadata = turn.run_id or added[0]["id"], {ENDED: {"ended": "interrupted"}}
    if not turn.answers:
        sentence, name = texts.turn.unanswered["interrupted"], config.ui.name
        added.append(_added(turn, "assistant_message", name=name, parent=parent, output=sentence, metadata=metadata))
    line = texts.turn.interrupted_sometime
    return [*added, _added(turn, "undefined", name=line, parent=parent, metadata={"icon": "square", **metadata})]


def _added(turn: StoredTurn, kind: str, *, name: str, parent: str, output: str = "", metadata: Any = None) -> Row:
    """A step at the turn's end, as Chainlit sends one to the page."""
    ended_at = (turn.steps or (turn.question,))[-1].get("createdAt")
    return {
        "id": str(uuid.uuid5(_IDS, f"{turn.question['id']} {kind}")),
        "threadId": turn.question.get("threadId"),
        "parentId": parent,
        "type": kind,
        "name": name,
        "input": "",
        "output": output,
        "metadata": metadata or {},
        "createdAt": ended_at,
        "start": ended_at,
        "end": ended_at,
        "streaming": False,
        "isError": False,
        "showInput": False,
    }
