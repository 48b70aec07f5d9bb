"""The tables of files in DuckDB, in the reader's process: loaded whole into memory, and only those that are asked.

After that DuckDB has no way to any file or host: `lock` is called before a word of anybody's SQL is run.
"""

import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from tools.data.encoding import decoded, is_utf8
from tools.data.sheets import open_workbook, rows_of, table_from
from tools.data.sqlite_file import open_sqlite, table_names, table_rows
from tools.data.table_names import first_free, identifier, stem_of
from tools.data.unreadable import Unreadable

_MAX_OBJECT_BYTES = 64 * 1024 * 1024
_LONGEST_HEAD = 100_000
_DECIMAL_COMMA = r"\s*[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?\s*"
_TYPES: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    datetime: "TIMESTAMP",
    date: "DATE",
    time: "TIME",
}
_CONFIG: dict[str, Any] = {
    "memory_limit": "1GB",
    "threads": 2,
    "temp_directory": "spill",
    "max_temp_directory_size": "512MB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_unsigned_extensions": False,
    "python_enable_replacements": False,
    "secret_directory": "none",
    "extension_directory": "none",
}
Load = Callable[[duckdb.DuckDBPyConnection, str], None]
"""Makes the table of the given name, which is quoted already."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file with tables in it, opened."""

    name: str
    kind: str
    descriptor: int


@dataclass(slots=True)
class Table:
    """A table that a file holds. `wanted` are its possible names, best first; `also` are further names for it."""

    source: Source
    wanted: tuple[str, ...]
    also: tuple[str, ...]
    load: Load
    name: str = ""

    def is_named_in(self, sql: str) -> bool:
        """Whether any of its names occurs in the SQL, be it in a text."""
        return any(_occurs(name, sql) for name in (self.name, *self.also))


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that spills into the process's own folder."""
    return duckdb.connect(":memory:", config=_CONFIG)


def lock(connection: duckdb.DuckDBPyConnection) -> None:
    """No files, no network, no extensions from now on, and no way back."""
    connection.execute("set enable_external_access = false; set lock_configuration = true")


def tables_of(sources: list[Source], reserved: frozenset[str]) -> tuple[list[Table], dict[str, str]]:
    """All tables with their final names, and the files that cannot be read, with the reason."""
    tables, unread = list[Table](), dict[str, str]()
    for source in sources:
        try:
            tables += _tables_in(source)
        except Unreadable as error:
            unread[source.name] = error.reason
    taken = set(reserved)
    for table in tables:
        table.name = first_free(table.wanted, taken=taken)
        taken.add(table.name.casefold())
    taken -= reserved
    for table in tables:
        table.also = tuple(name for name in (*table.also, *table.wanted) if name.casefold() not in taken)
        taken |= {name.casefold() for name in table.also}
    return tables, unread


def load(connection: duckdb.DuckDBPyConnection, table: Table, *, sql: str = "") -> None:
    """Make the table, and those of its further names that the SQL uses. Raises `Unreadable`."""
    try:
        table.load(connection, quoted(table.name))
    except duckdb.OutOfMemoryException:
        raise Unreadable("bomb") from None
    except (duckdb.Error, UnicodeDecodeError):
        raise Unreadable("damaged") from None
    for other in dict.fromkeys(name for name in table.also if _occurs(name, sql)):
        connection.execute(f"create or replace view {quoted(other)} as from {quoted(table.name)}")


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _occurs(name: str, sql: str) -> bool:
    spellings = "|".join(re.escape(spelling.casefold()) for spelling in (name, quoted(name)))
    return re.search(rf"(?<!\w)(?:{spellings})(?!\w)", sql.casefold()) is not None


def _tables_in(source: Source) -> Iterator[Table]:
    stem = identifier(stem_of(source.name))
    match source.kind:
        case "xlsx":
            sheets = _sheets_in(source)
            yield from _parts(source, stem, sheets, alone=len(sheets) == 1)
        case "sqlite":
            database = open_sqlite(source.descriptor)
            inner = [(name, partial(_load_sqlite, database, name)) for name in table_names(database)]
            yield from _parts(source, stem, inner, alone=False)
        case _:
            load_file = {"csv": _load_csv, "json": _load_json, "parquet": _load_parquet}[source.kind]
            wanted = (stem, f"{stem}_{source.kind}")
            yield Table(source, wanted, (source.name,), partial(load_file, source.descriptor))


def _sheets_in(source: Source) -> list[tuple[str, Load]]:
    workbook = open_workbook(source.descriptor)

    def load_sheet(sheet: str, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        _load_rows(connection, name, *table_from(rows_of(workbook, sheet)))

    return [(name, partial(load_sheet, name)) for name in workbook.sheet_names]


def _parts(source: Source, stem: str, parts: Sequence[tuple[str, Load]], *, alone: bool) -> Iterator[Table]:
    """A workbook with one sheet goes by its own name, other tables by theirs."""
    for name, load_part in parts:
        own, long = identifier(name), f"{stem}_{identifier(name)}"
        wanted = (stem, long) if alone else (own, long)
        also = (own, source.name) if alone else (name,)
        yield Table(source, wanted, also, load_part)


def _load_csv(descriptor: int, connection: duckdb.DuckDBPyConnection, name: str) -> None:
    path = _as_utf8(descriptor)
    try:
        connection.execute(f"create table {name} as from read_csv(?, sample_size = -1)", [path])
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:  # rows of different lengths, broken quotes: as text, and whatever can be read
        lenient = "all_varchar = true, null_padding = true, strict_mode = false, ignore_errors = true, parallel = false"
        connection.execute(f"create or replace table {name} as from read_csv(?, {lenient})", [path])
    else:
        _read_decimal_commas(connection, name, Path(path))


def _read_decimal_commas(connection: duckdb.DuckDBPyConnection, name: str, path: Path) -> None:
    """Make numbers of `1.234,50`, where semicolons part the columns because commas part the numbers."""
    with path.open(encoding="utf-8") as file:
        if ";" not in file.readline(_LONGEST_HEAD):
            return
    for column, kind, *_ in connection.execute(f"describe {name}").fetchall():
        own = quoted(column)
        test = f"select bool_and(regexp_full_match({own}, ?)) and bool_or(contains({own}, ',')) from {name}"  # noqa: S608
        if kind == "VARCHAR" and connection.execute(test, [_DECIMAL_COMMA]).fetchone() == (True,):
            plain = f"replace(replace({own}, '.', ''), ',', '.')::double"
            connection.execute(f"alter table {name} alter {own} type double using {plain}")


def _load_json(descriptor: int, connection: duckdb.DuckDBPyConnection, name: str) -> None:
    options = f"sample_size = -1, maximum_object_size = {_MAX_OBJECT_BYTES}"
    connection.execute(f"create table {name} as from read_json(?, {options})", [_as_utf8(descriptor)])


def _load_parquet(descriptor: int, connection: duckdb.DuckDBPyConnection, name: str) -> None:
    connection.execute(f"create table {name} as from read_parquet(?)", [f"/dev/fd/{descriptor}"])


def _load_sqlite(database: Any, table: str, connection: duckdb.DuckDBPyConnection, name: str) -> None:
    _load_rows(connection, name, *table_rows(database, table))


def _load_rows(
    connection: duckdb.DuckDBPyConnection, name: str, columns: list[str], rows: Iterator[tuple[Any, ...]]
) -> None:
    """By way of a file of JSON lines, which knows text from numbers and nothing from the empty text."""
    seen: list[set[type]] = [set() for _ in columns]
    spool = _new_path()
    with spool.open("w", encoding="utf-8") as lines:
        for row in rows:
            for types, value in zip(seen, row, strict=False):
                types.add(type(value))
            fields = {f"c{number}": _plain(value) for number, value in enumerate(row) if value is not None}
            lines.write(json.dumps(fields, ensure_ascii=False) + "\n")
    if not columns:
        connection.execute(f'create table {name} ("empty" VARCHAR)')
        return
    declared = ", ".join(f"c{number}: '{_type_of(found)}'" for number, found in enumerate(seen))
    named = ", ".join(f"c{number} as {quoted(column)}" for number, column in enumerate(columns))
    options = f"format = 'newline_delimited', columns = {{{declared}}}, maximum_object_size = {_MAX_OBJECT_BYTES}"
    source = f"read_json(?, {options})"
    connection.execute(f"create table {name} as select {named} from {source}", [str(spool)])  # noqa: S608


def _type_of(types: set[type]) -> str:
    found = types - {type(None)}
    if found == {int, float}:
        return "DOUBLE"
    if found == {date, datetime}:
        return "TIMESTAMP"
    return _TYPES.get(found.pop(), "VARCHAR") if len(found) == 1 else "VARCHAR"


def _plain(value: Any) -> str | int | float | bool | None:
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, timedelta) else value


def _as_utf8(descriptor: int) -> str:
    """The path of the file, or of a copy of it in UTF-8."""
    path = Path(f"/dev/fd/{descriptor}")
    content = path.read_bytes()
    if is_utf8(content):
        return str(path)
    text = decoded(content)
    if text is None:
        raise Unreadable("damaged")
    copy = _new_path()
    copy.write_text(text.removeprefix("\ufeff"), encoding="utf-8")
    return str(copy)


def _new_path() -> Path:
    return Path(f"spool-{secrets.token_hex(8)}")
