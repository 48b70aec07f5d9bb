"""Excel workbooks, read in the reader's process: whether they are sound, their sheets as rows, and as text."""

import csv
import io
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import Any, BinaryIO, TypeAlias

from python_calamine import CalamineError, CalamineWorkbook

from tools.data.unreadable import Unreadable

Cell: TypeAlias = str | int | float | bool | datetime | date | time | timedelta | None
Row: TypeAlias = tuple[Cell, ...]

_MAX_UNPACKED_BYTES = 256 * 1024 * 1024
_MAX_ENTRIES = 5_000
_MAX_COLUMNS = 1_000


def check_workbook(descriptor: int) -> dict[str, Any]:
    """The names of the sheets. Raises `Unreadable` for what is damaged, unpacks to too much, or holds macros."""
    return {"sheets": open_workbook(descriptor).sheet_names}


def sheet_text(descriptor: int, page: int, offset: int, max_chars: int) -> dict[str, Any]:
    """A piece of a sheet, counted from 1, as CSV, and whether more follows; empty where there is no such sheet."""
    workbook = open_workbook(descriptor)
    names = workbook.sheet_names
    if page > len(names):
        return {"text": "", "more": False, "pages": len(names), "title": ""}
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in rows_of(workbook, names[page - 1]):
        writer.writerow("" if cell is None else cell for cell in row)
        if lines.tell() > offset + max_chars:
            break
    text = lines.getvalue()
    more = len(text) > offset + max_chars
    return {"text": text[offset : offset + max_chars], "more": more, "pages": len(names), "title": names[page - 1]}


def open_workbook(descriptor: int) -> CalamineWorkbook:
    """The workbook. Raises `Unreadable`."""
    with open(descriptor, "rb", closefd=False) as file:
        _demand_sane(file)
        file.seek(0)
        try:
            return CalamineWorkbook.from_filelike(file)
        except CalamineError:
            raise Unreadable("damaged") from None


def rows_of(workbook: CalamineWorkbook, name: str) -> Iterator[Row]:
    """The rows of a sheet that hold anything, without the empty cells at their ends."""
    try:
        sheet = workbook.get_sheet_by_name(name)
    except CalamineError:
        raise Unreadable("damaged") from None
    for row in sheet.iter_rows():
        if stripped := _stripped(row[:_MAX_COLUMNS]):
            yield stripped


def table_from(rows: Iterator[Row]) -> tuple[list[str], Iterator[Row]]:
    """The columns and the rows below them. The head is the first row that is about as wide as the table."""
    first = list(islice(rows, 20))
    width = max(map(len, first), default=0)
    head = next((number for number, row in enumerate(first) if 2 * _filled(row) > width), 0)
    if not first or not any(isinstance(cell, str) for cell in first[head]):
        return [f"column_{number}" for number in range(1, width + 1)], chain(first, rows)
    names = [str(cell).strip() if cell is not None else "" for cell in first[head]]
    names += [""] * (width - len(names))
    return _distinct(names), chain(first[head + 1 :], rows)


def _demand_sane(file: BinaryIO) -> None:
    """Look at the archive's table of contents. Where it lies about sizes, the process meets its limit of memory."""
    try:
        entries = zipfile.ZipFile(file).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise Unreadable("damaged") from None
    if len(entries) > _MAX_ENTRIES or sum(entry.file_size for entry in entries) > _MAX_UNPACKED_BYTES:
        raise Unreadable("bomb")
    names = {entry.filename.casefold().rpartition("/")[2] for entry in entries}
    if "vbaproject.bin" in names:
        raise Unreadable("active")
    if "workbook.xml" not in names:
        raise Unreadable("mismatch", found="zip")


def _stripped(row: list[Any]) -> Row:
    end = len(row)
    while end and row[end - 1] == "":
        end -= 1
    return tuple(map(_cell, row[:end]))


def _cell(value: Any) -> Cell:
    """The value, with nothing for an empty cell, and whole numbers as such: a workbook has none but fractions."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return None if value == "" else value


def _filled(row: Row) -> int:
    return sum(cell is not None for cell in row)


def _distinct(names: list[str]) -> list[str]:
    """The names, with a number where there is none or where it stands there already."""
    taken = set[str]()
    for number, name in enumerate(names):
        candidate = name or f"column_{number + 1}"
        while candidate.casefold() in taken:
            candidate = f"{candidate}_{number + 1}"
        taken.add(candidate.casefold())
        names[number] = candidate
    return names
