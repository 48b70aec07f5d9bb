"""Files of a message on their way into the workspace: each refusal a sentence, and the rest goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chainlit as cl
import pytest
from chainlit.config import config
from chainlit.server import validate_file_mime_type
from fastapi import UploadFile
from starlette.datastructures import Headers

from tools.cards import FileCard
from tools.data.kinds import BY_ENDING, KINDS
from tools.data.unreadable import REASONS
from ui.texts import TEXTS
from ui.uploads import take_uploads


@dataclass(frozen=True)
class Refused:
    name: str
    reason: str
    facts: dict[str, Any] = field(default_factory=dict)


class ScriptedIntake:
    """Takes what ends in .csv; refuses others for the reason that is their name."""

    def __init__(self) -> None:
        self.asked: list[tuple[Path, str]] = []

    async def take(self, path: Path, name: str) -> FileCard | Refused:
        self.asked.append((path, name))
        if name.endswith(".csv"):
            return FileCard(name=name, path=path, media_type="text/csv", size_bytes=1)
        return Refused(name, name, {"limit": 20 * 1024 * 1024, "found": "png"})

    async def describe(self, cards: Sequence[FileCard]) -> str:
        return f"described {[card.name for card in cards]}"


def element(name: str) -> cl.File:
    return cl.File(thread_id="t", name=name, path=f"/uploads/{name}")


async def test_what_can_be_used_is_taken_and_the_rest_is_told_of() -> None:
    intake = ScriptedIntake()
    files = [element("a.csv"), element("empty"), element("b.csv")]
    uploads = await take_uploads(files, intake, texts=TEXTS["en"], max_files=5)
    assert intake.asked[0] == (Path("/uploads/a.csv"), "a.csv")
    assert [card.name for card in uploads.files] == ["a.csv", "b.csv"]
    assert uploads.refusals == ("“empty” is empty, so it was left out.",)
    assert uploads.note.startswith("described ['a.csv', 'b.csv']")
    assert "“empty”" in uploads.note


async def test_a_message_without_files_has_no_note() -> None:
    uploads = await take_uploads([], ScriptedIntake(), texts=TEXTS["en"], max_files=5)
    assert (uploads.files, uploads.refusals, uploads.note) == ((), (), "")


async def test_no_more_files_than_allowed_are_looked_at() -> None:
    intake = ScriptedIntake()
    files = [element(f"{number}.csv") for number in range(4)]
    uploads = await take_uploads(files, intake, texts=TEXTS["zh"], max_files=3)
    assert len(intake.asked) == 3
    assert uploads.refusals == ("“3.csv”已略过：一条消息最多带 3 个文件。",)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("reason", REASONS)
async def test_every_reason_is_a_sentence_in_both_languages(language: Any, reason: str) -> None:
    uploads = await take_uploads([element(reason)], ScriptedIntake(), texts=TEXTS[language], max_files=5)
    (sentence,) = uploads.refusals
    assert reason in sentence
    assert "{" not in sentence
    assert sentence[-1] in ".。"
    if reason == "too_large":
        assert "20 MB" in sentence


def test_every_kind_has_words_in_both_languages() -> None:
    for texts in TEXTS.values():
        assert set(KINDS) <= set(texts.files.kinds)


@pytest.mark.parametrize("name", ["x" * 500, "a\u202egnp.exe", "a\nb"])
async def test_a_hostile_name_is_shown_tamed(name: str) -> None:
    class Intake(ScriptedIntake):
        async def take(self, path: Path, name: str) -> Refused:
            return Refused(name, "empty")

    uploads = await take_uploads([element(name)], Intake(), texts=TEXTS["en"], max_files=5)
    assert uploads.refusals[0].isprintable()
    assert len(uploads.refusals[0]) < 120


@pytest.mark.parametrize("ending", sorted(BY_ENDING))
def test_the_server_lets_through_every_ending_that_is_taken(ending: str) -> None:
    """With the type of its kind, and with the one that browsers give to what they do not know."""
    types = [BY_ENDING[ending].media_type]
    if not types[0].startswith("image/") and ending not in {".pdf", ".xlsx", ".txt"}:
        types.append("application/octet-stream")
    for media_type in types:
        upload = UploadFile(file=None, filename=f"a{ending}", headers=Headers({"content-type": media_type}))  # type: ignore[arg-type]
        validate_file_mime_type(upload, None)


def test_the_server_stops_other_endings() -> None:
    assert config.features.spontaneous_file_upload.accept
    for name in ("a.html", "a.svg", "a.exe", "a.js"):
        upload = UploadFile(file=None, filename=name, headers=Headers({"content-type": "application/octet-stream"}))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="not allowed"):
            validate_file_mime_type(upload, None)
