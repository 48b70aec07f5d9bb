"""Takes over the tables that Chainlit documents for its own SQLAlchemy layer, in whichever of its versions they are.

Part of the first migration: it must go on writing the tables as that migration made them.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sa

from ui.data_layer.order import microseconds, moment
from ui.data_layer.rows import row_from_element, row_from_step

_TABLES = ("users", "threads", "steps", "elements", "feedbacks")
_ASIDE = "before_thinkglass_"
_AT_ONCE = 500
_ENCODED = ("metadata", "tags", "generation", "modes", "props", "playerConfig")
_FLAGS = ("streaming", "waitForAnswer", "isError", "defaultOpen", "autoCollapse", "autoPlay")

Row = dict[str, Any]


def set_aside(connection: sa.Connection) -> list[str]:
    """Rename the tables that are there and return their names; they are dropped by `copy_rows`."""
    present = [name for name in _TABLES if sa.inspect(connection).has_table(name)]
    for name in present:
        connection.execute(sa.text(f'ALTER TABLE "{name}" RENAME TO "{_ASIDE}{name}"'))
    return present


def copy_rows(connection: sa.Connection, present: list[str]) -> None:
    """Fill the new tables. What belongs to no thread, or to nobody known, is what Chainlit could not show either."""
    old = {name: sa.Table(_ASIDE + name, sa.MetaData(), autoload_with=connection) for name in present}
    new = {name: sa.Table(name, sa.MetaData(), autoload_with=connection, resolve_fks=False) for name in present}
    converters = {"users": _users, "threads": _threads, "steps": _steps, "elements": _elements, "feedbacks": _feedbacks}
    kept: dict[str, set[str]] = {name: set() for name in _TABLES}
    for name in present:
        for batch in _batches(converters[name](_rows(connection, old[name]), kept)):
            connection.execute(new[name].insert(), batch)
    for name in reversed(present):
        connection.execute(sa.text(f'DROP TABLE "{_ASIDE}{name}"'))
    if {"threads", "steps"} <= set(present):
        _set_activity(connection)


def _set_activity(connection: sa.Connection) -> None:
    last = 'SELECT max("position") FROM steps WHERE steps."threadId" = threads.id'
    connection.execute(sa.text(f"UPDATE threads SET activity = COALESCE(({last}), activity)"))  # noqa: S608 - fixed


def _rows(connection: sa.Connection, table: sa.Table) -> Iterator[Row]:
    columns = [sa.type_coerce(column, sa.types.NullType()).label(column.name) for column in table.columns]
    order = [table.c["createdAt"]] if "createdAt" in table.c else []
    for row in connection.execute(sa.select(*columns).order_by(*order)).mappings().all():
        yield {key: _value(key, value) for key, value in row.items()}


def _value(key: str, value: Any) -> Any:
    """What SQLite stored as text or number and PostgreSQL as itself, as itself."""
    if value is None:
        return None
    if key in _FLAGS:
        return bool(value)
    if key in _ENCODED:
        return _decoded(value)
    return value if isinstance(value, int | float) else str(value)


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _users(rows: Iterable[Row], kept: dict[str, set[str]]) -> Iterator[Row]:
    for row in rows:
        kept["users"].add(row["id"])
        created = row.get("createdAt") or moment(0)
        yield {
            "id": row["id"],
            "identifier": row["identifier"],
            "createdAt": created,
            "metadata": json.dumps(row.get("metadata") or {}),
        }


def _threads(rows: Iterable[Row], kept: dict[str, set[str]]) -> Iterator[Row]:
    for row in rows:
        kept["threads"].add(row["id"])
        created = row.get("createdAt") or moment(0)
        yield {
            "id": row["id"],
            "userId": row["userId"] if row.get("userId") in kept["users"] else None,
            "activity": microseconds(created),
            "createdAt": created,
            "name": row.get("name"),
            "tags": json.dumps(row["tags"]) if row.get("tags") else None,
            "metadata": json.dumps(row.get("metadata") or {}),
        }


def _steps(rows: Iterable[Row], kept: dict[str, set[str]]) -> Iterator[Row]:
    position = 0
    for row in rows:
        if row["threadId"] not in kept["threads"]:
            continue
        kept["steps"].add(row["id"])
        position = max(position + 1, microseconds(row.get("createdAt")))
        step = {key: value for key, value in row.items() if value is not None}
        if shown := step.get("showInput"):
            step["showInput"] = {"true": True, "false": False}.get(shown, shown)
        defaults = {"indexed": True}
        yield defaults | row_from_step(step) | {"position": position, "revision": position}


def _elements(rows: Iterable[Row], kept: dict[str, set[str]]) -> Iterator[Row]:
    for position, row in enumerate(rows):
        if row["threadId"] in kept["threads"]:
            yield row_from_element(row) | {"position": position, "revision": position}


def _feedbacks(rows: Iterable[Row], kept: dict[str, set[str]]) -> Iterator[Row]:
    threads = kept["feedbacks"]  # the steps that have feedback by now: one for each is kept
    for row in rows:
        if row["forId"] not in kept["steps"] or row["forId"] in threads or row.get("threadId") not in kept["threads"]:
            continue
        threads.add(row["forId"])
        yield {key: row.get(key) for key in ("id", "forId", "threadId", "value", "comment")}


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows with the same columns, many at a time."""
    batch: list[Row] = []
    for row in rows:
        if batch and (len(batch) == _AT_ONCE or row.keys() != batch[0].keys()):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
