"""SQLite databases, read in the reader's process: their tables as rows. Nothing of the file's own logic is run."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.data.unreadable import Unreadable

_WAL_FLAGS = slice(18, 20)
"""Bytes that say whether the journal is a file beside it, which a copy in memory has not. sqlite.org/fileformat2"""
_TABLES = """
    select name from sqlite_master where type = 'table'
    and name not like 'sqlite\\_%' escape '\\' and sql not like 'create virtual%' order by rowid
"""


def open_sqlite(descriptor: int) -> sqlite3.Connection:
    """The database as a copy in memory. Raises `Unreadable`."""
    content = bytearray(Path(f"/dev/fd/{descriptor}").read_bytes())
    content[_WAL_FLAGS] = b"\x01\x01"
    database = sqlite3.connect(":memory:")
    database.text_factory = lambda text: text.decode(errors="replace")
    try:
        database.deserialize(bytes(content))
        database.execute("pragma trusted_schema = off")
        database.execute("select count(*) from sqlite_master")
    except (sqlite3.Error, OverflowError):
        raise Unreadable("damaged") from None
    return database


def table_names(database: sqlite3.Connection) -> list[str]:
    """The plain tables, in the order in which they were made."""
    return [name for (name,) in _rows(database, _TABLES)]


def table_rows(database: sqlite3.Connection, name: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """The columns and rows of a table."""
    quoted = name.replace('"', '""')
    try:
        cursor = database.execute(f'select * from "{quoted}"')  # noqa: S608  # quoted as SQLite does it
    except sqlite3.Error:
        raise Unreadable("damaged") from None
    return [column[0] for column in cursor.description], _guarded(cursor)


def _rows(database: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    try:
        return database.execute(sql).fetchall()
    except sqlite3.Error:
        raise Unreadable("damaged") from None


def _guarded(cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    try:
        yield from cursor
    except sqlite3.Error:
        raise Unreadable("damaged") from None
