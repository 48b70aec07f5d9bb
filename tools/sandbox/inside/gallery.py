"""What a call has to show besides its text: pictures, plots and tables, each within its limits. Plain values only."""

import base64
from dataclasses import dataclass, field
from typing import Any

MOST_PICTURES, MOST_PLOTS, MOST_TABLES = 8, 4, 4
_MOST_NOTES, _MOST_NOTE_CHARS = 12, 500
MOST_BYTES = 8 << 20
"""Of all pictures and plots of one call together."""


@dataclass(slots=True)
class Gallery:
    """Collects what is shown during one call. What does not fit is counted and told."""

    pictures: list[dict[str, str]] = field(default_factory=list)
    plots: list[dict[str, str]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: int = 0
    _room: int = MOST_BYTES

    def add_picture(self, png: bytes, alt: str) -> None:
        """Show a PNG."""
        if self._takes(len(png), has_place=len(self.pictures) < MOST_PICTURES):
            self.pictures.append({"png": base64.b64encode(png).decode(), "alt": alt})

    def add_plot(self, figure_json: str, alt: str) -> None:
        """Show a Plotly figure."""
        if self._takes(len(figure_json), has_place=len(self.plots) < MOST_PLOTS):
            self.plots.append({"figure": figure_json, "alt": alt})

    def add_table(self, table: dict[str, Any]) -> None:
        """Show a table."""
        if self._takes(0, has_place=len(self.tables) < MOST_TABLES):
            self.tables.append(table)

    def note(self, text: str) -> None:
        """Tell something about what is shown, once."""
        note = text[:_MOST_NOTE_CHARS]
        if note not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(note)

    def _takes(self, size: int, *, has_place: bool) -> bool:
        if not has_place or size > self._room:
            self.left_out += 1
            return False
        self._room -= size
        return True
