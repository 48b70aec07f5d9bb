"""The tool that computes: it runs the model's Python in the chat's confined session. Knows nothing of the page."""

import asyncio
import mimetypes
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from tools.base import ToolError, ToolResult
from tools.cards import FileCard, PictureCard, PlotlyCard
from tools.sandbox import Outcome, PythonSession
from tools.workspace import Workspace

_MOST_FILES = 10
"""Shown to the person; the model hears of more."""
_MOST_NAMES = 30
_PREVIEW_BYTES = 2_000
_TEXTUAL = ("text/", "application/json", "application/xml", "application/x-yaml")


class PythonTool:
    """Python for one chat. With its `workspace`, the files that code makes are kept as versions and shown."""

    def __init__(self, session: PythonSession, workspace: Workspace | None = None) -> None:
        self._session = session
        self._workspace = workspace

    async def run_python(
        self,
        code: Annotated[
            str,
            Field(
                min_length=1,
                description="Python code. The value of its last expression is given back, as is all that it prints.",
            ),
        ],
    ) -> ToolResult:
        """Run Python to compute, analyse data or draw.

        Variables are kept between calls. The current folder holds the user's files; use relative names. numpy,
        pandas, scipy, matplotlib, seaborn, sympy, scikit-learn and plotly can be imported; there is no network,
        nothing can be installed and no other program started. Every matplotlib or plotly figure, and a data frame
        as the last expression, is shown to the user by itself: don't save it only to show it, don't link to it.
        """
        if self._workspace:
            await asyncio.to_thread(self._workspace.prepare)
        outcome = await self._session.run(code)
        cards = await asyncio.to_thread(self._file_cards, outcome.files)
        text = _told(outcome)
        if outcome.error is not None:
            raise ToolError(text)
        return ToolResult(text, (*outcome.figures, *outcome.tables, *cards))

    def _file_cards(self, names: tuple[str, ...]) -> list[FileCard]:
        cards = []
        for name in names[:_MOST_FILES]:
            card = self._file_card(name)
            if card is not None:
                cards.append(card)
        return cards

    def _file_card(self, name: str) -> FileCard | None:
        """The card of a kept copy; None where the file's name or place is not fit to be shown, or has gone."""
        if self._workspace is None:
            return None
        try:
            kept = self._workspace.keep(name)
        except ToolError:
            return None
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        preview = ""
        if media_type.startswith(_TEXTUAL):
            with kept.path.open("rb") as file:
                preview = file.read(_PREVIEW_BYTES).decode("utf-8", "replace")
        return FileCard(
            name=PurePosixPath(kept.name).name,
            path=kept.path,
            media_type=media_type,
            size_bytes=kept.size,
            version=kept.version,
            preview=preview,
        )


def _told(outcome: Outcome) -> str:
    """What the model reads: what was printed and computed, what the person saw, and what went wrong."""
    parts = [
        *outcome.notices,
        outcome.printed.rstrip(),
        f"Value: {outcome.value}" if outcome.value is not None else "",
        _shown(outcome) if outcome.error is None else "",
        _files(outcome.files),
        outcome.error or "",
    ]
    said = [part for part in parts if part]
    return "\n".join(said) or "The code ran. It printed nothing and its last line has no value."


def _shown(outcome: Outcome) -> str:
    pictures = sum(isinstance(figure, PictureCard) for figure in outcome.figures)
    plots = sum(isinstance(figure, PlotlyCard) for figure in outcome.figures)
    counts = [(pictures, "figure"), (plots, "interactive figure"), (len(outcome.tables), "table")]
    things = [f"{count} {name}{'s' if count > 1 else ''}" for count, name in counts if count]
    if not things:
        return ""
    is_one = sum(count for count, _ in counts) == 1
    return f"{' and '.join(things)} {'was' if is_one else 'were'} shown to the user."


def _files(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"Files made or changed: {', '.join(map(repr, names[:_MOST_NAMES]))}{more}."
