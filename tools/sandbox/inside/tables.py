"""Data frames as plain tables: text, numbers, true or false, or nothing in each cell."""

import math
import sys
from typing import Any, TypeAlias

Cell: TypeAlias = str | int | float | bool | None

MOST_ROWS, MOST_COLUMNS, MOST_CHARS = 100, 30, 200
_LARGEST_EXACT = 2**53
"""Whole numbers beyond this are not exact in a browser, so they are shown as text."""


def frame_from(value: object) -> Any:
    """The data frame that this is, or is about (a series, a styled frame), else None."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    if isinstance(value, pandas.Series):
        return value.to_frame()
    styled = sys.modules.get("pandas.io.formats.style")
    if styled and isinstance(value, styled.Styler):
        return value.data
    return value if isinstance(value, pandas.DataFrame) else None


def table_from(frame: Any, title: str) -> dict[str, Any]:
    """The first rows and columns, with the index before them where it says more than a count."""
    part = frame.iloc[:MOST_ROWS, :MOST_COLUMNS]
    columns = [_label(column) for column in part.columns]
    rows = [[_cell(value) for value in row] for row in part.itertuples(index=False, name=None)]
    if not _is_count(frame.index):
        columns.insert(0, _label(tuple(name for name in frame.index.names if name is not None)))
        rows = [[_label(label), *row] for label, row in zip(part.index, rows, strict=True)]
    return {"title": title[:MOST_CHARS], "columns": columns, "rows": rows, "total_rows": len(frame)}


def _is_count(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _label(label: object) -> str:
    words = " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)
    return words[:MOST_CHARS]


def _cell(value: Any) -> Cell:
    plain = value.item() if _is_plain_number(value) else value
    match plain:
        case None | bool():
            return plain
        case int():
            return plain if abs(plain) <= _LARGEST_EXACT else str(plain)[:MOST_CHARS]
        case float():
            return None if math.isnan(plain) else plain if math.isfinite(plain) else str(plain)
        case str():
            return plain[:MOST_CHARS]
    text = str(plain)[:MOST_CHARS]
    return None if text in {"NaT", "<NA>"} else text


def _is_plain_number(value: Any) -> bool:
    """Of numpy: its dates would become a count of nanoseconds."""
    return type(value).__module__ == "numpy" and getattr(value, "size", 0) == 1 and value.dtype.kind in "biuf"
