"""What stands in a file of the workspace, a piece at a time, as text for a model."""

import asyncio
from dataclasses import dataclass

from tools.base import ToolError
from tools.data.encoding import decoded
from tools.data.kinds import HEAD_BYTES, Kind, kind_of
from tools.data.process import ask_reader
from tools.data.unreadable import Unreadable
from tools.workspace import OpenFile

_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a file's text. `total_chars` is None where only `more` is known; `pages` are a PDF's or workbook's."""

    text: str
    more: bool
    total_chars: int | None = None
    pages: int | None = None
    title: str = ""


def kind_of_file(file: OpenFile) -> Kind:
    """By the name and what stands at the beginning."""
    return kind_of(file.name, file.read(HEAD_BYTES))


async def piece_of(file: OpenFile, kind: Kind, *, page: int, offset: int, max_chars: int) -> Piece:
    """The piece that begins at the character `offset`, of the page if any. Raises `ToolError`, `Unreadable`."""
    if kind.is_text:
        return await asyncio.to_thread(_piece_of_text, file, offset, max_chars)
    task = {"pdf": "pdf_text", "xlsx": "sheet_text"}.get(kind.name)
    if task is None and kind.is_table:
        raise ToolError(f"{file.name!r} is {kind.words}: ask it in SQL, with query_data.")
    if task is None:
        raise Unreadable("unknown_kind", found=kind.words)
    found = await ask_reader(
        task,
        [file.descriptor],
        timeout_s=_TIMEOUT_S,
        descriptor=file.descriptor,
        page=page,
        offset=offset,
        max_chars=max_chars,
    )
    if page > found["pages"]:
        raise ToolError(f"{file.name!r} has only {found['pages']} {'sheets' if kind.name == 'xlsx' else 'pages'}.")
    text = _to_line_end(found["text"], is_last=not found["more"])
    return Piece(text, found["more"], pages=found["pages"], title=found.get("title", ""))


async def picture_size(file: OpenFile, kind: Kind) -> tuple[int, int]:
    """Width and height in pixels. Raises `Unreadable`."""
    found = await ask_reader(
        "check_picture", [file.descriptor], timeout_s=_TIMEOUT_S, descriptor=file.descriptor, kind=kind.name
    )
    return found["width"], found["height"]


def first_lines(content: bytes, *, max_lines: int = 12, max_chars: int = 1_000) -> str:
    """The beginning of a text, as a card shows it; empty where it is none."""
    text = decoded(content[:HEAD_BYTES], is_whole=len(content) <= HEAD_BYTES) or ""
    return "\n".join(text[:max_chars].splitlines()[:max_lines])


def _piece_of_text(file: OpenFile, offset: int, max_chars: int) -> Piece:
    text = decoded(file.read(file.size))
    if text is None:
        raise Unreadable("damaged")
    piece = _to_line_end(text[offset : offset + max_chars], is_last=len(text) <= offset + max_chars)
    return Piece(piece, more=len(text) > offset + len(piece), total_chars=len(text))


def _to_line_end(piece: str, *, is_last: bool) -> str:
    """Without the line that the cut would break, unless that is most of it."""
    end = piece.rfind("\n") + 1
    return piece if is_last or end < len(piece) / 2 else piece[:end]
