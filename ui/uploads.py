"""Files that people send with a message: into the chat's workspace, or a sentence that says why not.

Knows Chainlit's elements; how files are looked at and kept is the business of whoever takes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chainlit.element import Element

from tools.cards import FileCard
from ui.texts import Texts
from ui.texts.files import FileWords


class Refusal(Protocol):
    """Why a file was not taken: the name under which the words for it stand, and what they name."""

    @property
    def name(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def facts(self) -> Mapping[str, Any]: ...


class Intake(Protocol):
    """Whoever takes files into the chat's workspace."""

    async def take(self, path: Path, name: str) -> FileCard | Refusal:
        """Take the file, or say why not."""

    async def describe(self, cards: Sequence[FileCard]) -> str:
        """What to tell the model of files that were taken."""


@dataclass(frozen=True, slots=True)
class Uploads:
    """What came of a message's files. `note` stands below the question for the model; empty where no file came."""

    files: tuple[FileCard, ...] = ()
    refusals: tuple[str, ...] = ()
    note: str = ""


async def take_uploads(elements: Sequence[Element], intake: Intake, *, texts: Texts, max_files: int) -> Uploads:
    """Take the files of a message one after the other; those that can't be used are told of and left out."""
    files, refusals = list[FileCard](), list[str]()
    for number, element in enumerate(elements):
        if number >= max_files:
            refusals.append(texts.files.refused["too_many"].format(name=shown_name(element.name), limit=max_files))
            continue
        taken = await intake.take(Path(element.path or ""), element.name)
        if isinstance(taken, FileCard):
            files.append(taken)
        else:
            refusals.append(_sentence(taken, texts.files))
    note = await intake.describe(files) if files else ""
    return Uploads(tuple(files), tuple(refusals), _with_refusals(note, refusals))


def _sentence(refusal: Refusal, words: FileWords) -> str:
    facts = dict(refusal.facts)
    limit = f"{facts.get('limit', 0) // (1024 * 1024)} MB"
    found = words.kinds.get(str(facts.get("found")), words.kinds["other"])
    return words.refused[refusal.reason].format(name=shown_name(refusal.name), limit=limit, found=found)


def shown_name(name: str) -> str:
    """A file's name as it stands in a sentence: without what can't be seen, and not too long."""
    seen = "".join(character for character in name if character.isprintable())
    return seen if len(seen) <= 60 else f"{seen[:40]}…{seen[-15:]}"


def _with_refusals(note: str, refusals: Sequence[str]) -> str:
    """The model learns of what is missing, too, so that it does not make up what it has not seen."""
    lines = [f"Not available: {sentence}" for sentence in refusals]
    return "\n".join(filter(None, [note, *lines]))
