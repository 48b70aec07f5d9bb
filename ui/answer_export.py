"""Saving an answer as a file: which turn, what of it, and as what. Knows the steps as they were sent to the page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import chainlit as cl
from chainlit.data import get_data_layer
from chainlit.emitter import ChainlitEmitter

from ui.cut_turns import with_cut_turns_closed
from ui.export import Transcript, as_html, as_markdown, transcript_from_steps
from ui.export.transcript import StepKind
from ui.texts import Texts

Format: TypeAlias = Literal["html", "markdown"]
_FILES: Mapping[Format, tuple[str, str]] = {"html": (".html", "text/html"), "markdown": (".md", "text/markdown")}


@dataclass(frozen=True, slots=True)
class ExportWish:
    """The turn by the id of its question, and what a person wants of it."""

    turn: str
    format: Format
    thinking: bool = False
    tools: bool = False


@dataclass(slots=True)
class TurnSteps:
    """What one turn has sent to the page, in its last state."""

    question: Mapping[str, Any]
    steps: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def all(self) -> list[Mapping[str, Any]]:
        return [self.question, *self.steps.values()]


class NotingEmitter(ChainlitEmitter):  # type: ignore[misc]  # Chainlit is not typed here
    """Sends steps and messages to the page as Chainlit does, and notes them."""

    def __init__(self, session: Any, noted: TurnSteps) -> None:
        super().__init__(session)
        self._noted = noted

    def send_step(self, step_dict: Mapping[str, Any]) -> Any:
        self._noted.steps[step_dict["id"]] = step_dict
        return super().send_step(step_dict)

    def update_step(self, step_dict: Mapping[str, Any]) -> Any:
        self._noted.steps[step_dict["id"]] = step_dict
        return super().update_step(step_dict)

    def delete_step(self, step_dict: Mapping[str, Any]) -> Any:
        self._noted.steps.pop(step_dict["id"], None)
        return super().delete_step(step_dict)


def begin_noting(message: cl.Message) -> TurnSteps:
    """Note what the turn that begins now sends, until its task ends."""
    noted = TurnSteps(message.to_dict())
    context = cl.context
    context.emitter = NotingEmitter(context.session, noted)
    return noted


async def exported(wish: ExportWish, noted: TurnSteps | None, *, texts: Texts) -> dict[str, str] | None:
    """The file's `name`, `type` and `text`; None for a turn that is not known."""
    transcript = _transcript(await _steps(wish.turn, noted, texts)).only(wish.turn)
    if not transcript.turns:
        return None
    left_out: list[StepKind] = []
    if not wish.thinking:
        left_out += ["thinking", "thought"]
    if not wish.tools:
        left_out += ["tool", "note"]
    write = as_html if wish.format == "html" else as_markdown
    ending, kind = _FILES[wish.format]
    text = write(transcript.without(*left_out), texts.export)
    return {"name": texts.export.file_name + ending, "type": kind, "text": text}


async def _steps(turn_id: str, noted: TurnSteps | None, texts: Texts) -> Iterable[Mapping[str, Any]]:
    """Those of this session, else those of the store: a chat that was gone on with."""
    if noted and noted.question["id"] == turn_id:
        return noted.all()
    layer = get_data_layer()
    thread = await layer.get_thread(cl.context.session.thread_id) if layer else None
    return with_cut_turns_closed((thread or {}).get("steps") or [], texts)


def _transcript(steps: Iterable[Mapping[str, Any]]) -> Transcript:
    return transcript_from_steps(step for step in steps if step["type"] != "run" or step.get("parentId"))
