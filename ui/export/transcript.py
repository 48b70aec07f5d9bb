"""What was said in a chat, turn by turn, read from its steps. Pure: dictionaries in, frozen facts out.

Knows Chainlit's steps as they are sent to the page or stored, and neither the data layer nor how a file is written.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any, Literal, TypeAlias

from ui.citations import cited_in, uncited

StepKind: TypeAlias = Literal["thinking", "thought", "tool", "note"]

_THOUGHT_ICON = "message-circle-dashed"
_KINDS: Mapping[str, StepKind] = {"llm": "thinking", "tool": "tool", "undefined": "note"}
_PIECE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=fence)|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<defines>(?<=\])\\:)|\\(?P<escaped>[]:~$<!`=-])|\\.|(?P<reference>&#\d+;)|\ufeff",
    re.DOTALL | re.MULTILINE,
)
"""Code, which is left alone, and what the page's Markdown needs: see `ui.markdown`."""


@dataclass(frozen=True, slots=True)
class ExportedStep:
    """What stood on the page before the answer. `title` is plain text, `text` is Markdown."""

    kind: StepKind
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ExportedSource:
    """A page that an answer cites by its number."""

    number: int
    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTurn:
    """A question, and what came of it. `answer` is Markdown with its marks as links; `when` as 2026-11-04T14:15."""

    turn_id: str
    question: str
    when: str = ""
    steps: tuple[ExportedStep, ...] = ()
    answer: str = ""
    sources: tuple[ExportedSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of a chat, in order."""

    turns: tuple[ExportedTurn, ...]

    def only(self, turn_id: str) -> "Transcript":
        """Of all turns this one, by the id of its question."""
        return Transcript(tuple(turn for turn in self.turns if turn.turn_id == turn_id))

    def without(self, *kinds: StepKind) -> "Transcript":
        """The same without these kinds of steps: for whoever shares an answer and not the way to it."""
        keep = [tuple(step for step in turn.steps if step.kind not in kinds) for turn in self.turns]
        return Transcript(tuple(replace(turn, steps=steps) for turn, steps in zip(self.turns, keep, strict=True)))


def transcript_from_steps(steps: Iterable[Mapping[str, Any]]) -> Transcript:
    """The transcript of a chat's steps, as they are sent to the page or stored, in their order."""
    drafts: dict[str, _Draft] = {}
    parents: dict[str, str | None] = {}
    for step in steps:
        parents[step["id"]] = step.get("parentId")
        if step["type"] == "user_message":
            drafts[step["id"]] = _Draft(step)
        elif draft := drafts.get(_question_of(step["id"], parents, drafts)):
            draft.add(step)
    return Transcript(tuple(draft.turn() for draft in drafts.values()))


def copyable(answer: str, *, keep: str = "") -> str:
    """The answer as the model wrote it: its marks as `[1]`, and without the backslashes that the page needs.

    Those before the characters of `keep` stay, and with them those that keep a line from giving a link its address.
    """

    def plain(piece: re.Match[str]) -> str:
        if piece["defines"]:
            return piece[0] if keep else ":"
        if piece["escaped"]:
            return piece[0] if piece["escaped"] in keep else piece["escaped"]
        return unescape(piece["reference"]) if piece["reference"] else piece[0].strip("\ufeff")

    return _PIECE.sub(plain, uncited(answer))


def _question_of(step_id: str, parents: Mapping[str, str | None], drafts: dict[str, "_Draft"]) -> str:
    """The question under which the step stands; the latest, where its run is not among the steps."""
    at: str | None = step_id
    while at and at not in drafts:
        at = parents.get(at)
    return at or next(reversed(drafts), "")


@dataclass(slots=True)
class _Draft:
    """A turn whose steps are still being read."""

    question: Mapping[str, Any]
    steps: list[ExportedStep] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def add(self, step: Mapping[str, Any]) -> None:
        output = step.get("output") or ""
        if step["type"] == "assistant_message":
            self.answers.append(output)
        elif kind := _KINDS.get(step["type"]):
            icon = (step.get("metadata") or {}).get("icon")
            kind = "thought" if icon == _THOUGHT_ICON else kind
            self.steps.append(ExportedStep(kind, step.get("name") or "", output if kind != "note" else ""))

    def turn(self) -> ExportedTurn:
        answer = "\n\n".join(answer for answer in self.answers if answer.strip())
        return ExportedTurn(
            turn_id=self.question["id"],
            question=self.question.get("output") or "",
            when=(self.question.get("createdAt") or "")[:16],
            steps=tuple(self.steps),
            answer=answer,
            sources=tuple(ExportedSource(*source) for source in cited_in(answer)),
        )
