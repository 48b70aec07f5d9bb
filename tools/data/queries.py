"""SQL on the tables of files, in the reader's process: what a table looks like, and the answer to a question."""

import json
import threading
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

import duckdb

from tools.data.tables import Source, Table, connect, load, lock, quoted, tables_of
from tools.data.unreadable import Unreadable

MAX_ROWS = 200
"""Rows of an answer that are given back; the rest is only counted."""

_MAX_CELL_CHARS = 500
_MAX_COLUMNS = 100
_COUNT_SECONDS = 5
_READING = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.MULTI})
"""MULTI is what PIVOT is, which makes a type first. Whatever runs, runs on copies in memory, behind the lock."""
_NO_NAMES = "select keyword_name from duckdb_keywords() where keyword_category in ('reserved', 'type_function')"
"""Words that can't follow FROM without quotes."""


def schema(sources: list[dict[str, Any]], only: Collection[str], samples: int) -> dict[str, Any]:
    """Name, columns with their types, number of rows and first rows of the tables of the files named in `only`.

    `unread` says which files could not be read, and why.
    """
    connection, tables, unread = _tables(sources)
    described = []
    for table in tables:
        if table.source.name not in only:
            continue
        try:
            load(connection, table)
        except Unreadable as error:
            unread[table.source.name] = error.reason
        else:
            described.append(_described(connection, table, samples))
    return {"tables": described, "unread": unread}


def query(sql: str, sources: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns, rows and their total; or, where it could not be answered, `error` and the tables that there are."""
    connection, tables, unread = _tables(sources)
    asked = [table for table in tables if table.is_named_in(sql)] or tables
    loaded = []
    for table in asked:
        try:
            load(connection, table, sql=sql)
        except Unreadable as error:
            unread[table.source.name] = error.reason
        else:
            loaded.append(_described(connection, table, samples=0))
    lock(connection)
    try:
        return _answer(connection, sql)
    except _Unanswered as error:
        others = [table.name for table in tables if table not in asked]
        return {"error": str(error), "tables": loaded, "others": others, "unread": unread}


class _Unanswered(Exception):
    """Why there is no answer, as advice."""


def _tables(sources: list[dict[str, Any]]) -> tuple[duckdb.DuckDBPyConnection, list[Table], dict[str, str]]:
    connection = connect()
    words = frozenset(word for (word,) in connection.execute(_NO_NAMES).fetchall())
    return connection, *tables_of([Source(**source) for source in sources], words)


def _described(connection: duckdb.DuckDBPyConnection, table: Table, samples: int) -> dict[str, Any]:
    name = quoted(table.name)
    columns = connection.execute(f"describe {name}").fetchall()
    total = connection.execute(f"select count(*) from {name}").fetchone()  # noqa: S608  # quoted
    first = connection.execute(f"from {name} limit {samples}").fetchall()
    return {
        "name": table.name,
        "file": table.source.name,
        "columns": [[column[0], column[1]] for column in columns[:_MAX_COLUMNS]],
        "column_count": len(columns),
        "rows": total[0] if total else 0,
        "first_rows": [_row(row) for row in first],
    }


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    try:
        statement = _only_statement(sql)
        connection.execute(statement)
        columns = [column[0] for column in connection.description or ()]
        rows = connection.fetchmany(MAX_ROWS + 1)
        total = len(rows) if len(rows) <= MAX_ROWS else _count(connection, statement.query)
    except duckdb.OutOfMemoryException:
        raise _Unanswered("It needs too much memory. Ask for less: filter, aggregate or join on a key.") from None
    except duckdb.PermissionException:
        raise _Unanswered("Only the tables below can be read: no other files, no network, no settings.") from None
    except (duckdb.Error, OverflowError, ValueError, LookupError) as error:  # also of a time zone that isn't there
        raise _Unanswered(_words(error)) from None
    return {
        "columns": columns[:_MAX_COLUMNS],
        "rows": [_row(row) for row in rows[:MAX_ROWS]],
        "total": total,
        "column_count": len(columns),
    }


def _only_statement(sql: str) -> duckdb.Statement:
    statements = duckdb.extract_statements(sql)
    if len(statements) != 1:
        raise _Unanswered("Give exactly one statement.")
    if statements[0].type not in _READING:
        raise _Unanswered("Tables are only read: begin with SELECT, WITH, FROM, DESCRIBE, SUMMARIZE or SHOW TABLES.")
    return statements[0]


def _count(connection: duckdb.DuckDBPyConnection, sql: str) -> int | None:
    """How many rows there are in all; None where that takes too long to find out."""
    clock = threading.Timer(_COUNT_SECONDS, connection.interrupt)
    clock.start()
    try:
        found = connection.execute(f"select count(*) from ({sql.strip().rstrip(';')}\n)").fetchone()  # noqa: S608
    except duckdb.Error:
        return None
    finally:
        clock.cancel()
    return int(found[0]) if found else None


def _words(error: Exception) -> str:
    """The first paragraph of what DuckDB says; below it stands the place in the SQL, which the model knows."""
    return str(error).split("\n\n")[0].split("\nLINE ")[0].strip()[:600]


def _row(row: Sequence[Any]) -> list[str | int | float | bool | None]:
    return [_cell(value) for value in row[:_MAX_COLUMNS]]


def _cell(value: Any) -> str | int | float | bool | None:
    """The value as JSON and every page can show it exactly."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, Decimal):
        return float(value) if len(value.as_tuple().digits) <= 15 else str(value)
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    text = json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict | tuple) else str(value)
    return text if len(text) <= _MAX_CELL_CHARS else f"{text[:_MAX_CELL_CHARS]}…"
