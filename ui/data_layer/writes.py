"""The statements that change the history, each within a transaction that the caller opened. Must not know Chainlit."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.order import moment
from ui.data_layer.page_order import in_page_order
from ui.data_layer.rows import Row, clean, json_text, json_value
from ui.data_layer.search import steps_in, unindex
from ui.data_layer.tables import DOOMED_FILES, ELEMENTS, FEEDBACKS, STEPS, THREADS, USERS

MAX_NAME = 255
_NEVER_CHANGED = {"id", "threadId", "position"}
_FRESH = {"indexed": True, "favorite": False}


def upsert(connection: AsyncConnection, table: Any) -> Any:
    """An INSERT of the dialect's own kind, which knows ON CONFLICT."""
    kind: Callable[[Any], Any] = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    return kind(table)


async def write_steps(connection: AsyncConnection, rows: Iterable[Row]) -> None:
    """Insert or complete steps, given in the order of their writes; each row needs `position` and `revision`.

    A row changes the columns that it has, unless a later write came first or the id is that of another thread's step.
    """
    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = (row["id"], row["threadId"])
        merged[key] = merged.get(key, {}) | row | {"position": merged.get(key, row)["position"]}
    await ensure_threads(connection, {row["threadId"]: row["revision"] for row in merged.values()})
    await unindex(connection, STEPS.c.id.in_([row["id"] for row in merged.values() if "output" in row]))
    groups: dict[frozenset[str], list[Row]] = {}
    for row in merged.values():
        groups.setdefault(frozenset(row), []).append(_FRESH | row)
    for columns, group in groups.items():
        await connection.execute(_step_statement(connection.dialect.name, columns), group)


@cache
def _step_statement(dialect: str, columns: frozenset[str]) -> Any:
    statement: Any = (sqlite if dialect == "sqlite" else postgresql).insert(STEPS)
    return statement.on_conflict_do_update(
        index_elements=[STEPS.c.id],
        set_={name: statement.excluded[name] for name in sorted(columns - _NEVER_CHANGED)},
        where=and_(STEPS.c.threadId == statement.excluded.threadId, STEPS.c.revision <= statement.excluded.revision),
    )


async def ensure_threads(connection: AsyncConnection, activity: dict[str, int]) -> None:
    """Make sure that threads exist, and note when something happened in them last."""
    statement = upsert(connection, THREADS)
    later = statement.excluded.activity
    statement = statement.on_conflict_do_update(
        index_elements=[THREADS.c.id], set_={"activity": later}, where=THREADS.c.activity < later
    )
    rows = [{"id": key, "activity": at, "createdAt": moment(at)} for key, at in sorted(activity.items())]
    if rows:
        await connection.execute(statement, rows)


async def change_thread(
    connection: AsyncConnection,
    thread_id: str,
    *,
    number: int,
    name: str | None = None,
    user_id: str | None = None,
    metadata: dict[str, Any] | None = None,
    tags: list[str] | None = None,
) -> None:
    """Create a thread or change what is given. Metadata is merged, a None in it removes; an owner is never replaced."""
    new = upsert(connection, THREADS).values(id=thread_id, activity=number, createdAt=moment(number))
    await connection.execute(new.on_conflict_do_nothing())
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = clean(name)[:MAX_NAME]
    if tags is not None:
        values["tags"] = json_text(tags)
    if metadata is not None:
        values["metadata"] = await _merged_metadata(connection, thread_id, metadata)
    if values:
        await connection.execute(update(THREADS).where(THREADS.c.id == thread_id).values(values))
    if user_id is not None:
        owner = select(USERS.c.id).where(USERS.c.id == user_id).scalar_subquery()
        unowned = and_(THREADS.c.id == thread_id, THREADS.c.userId.is_(None))
        await connection.execute(update(THREADS).where(unowned).values(userId=owner))


async def retitle(connection: AsyncConnection, thread_id: str, title: str, *, instead_of: str) -> bool:
    """Name a thread anew if it still has that name; whether it had. A name that a person gave is left alone."""
    is_same = and_(THREADS.c.id == thread_id, THREADS.c.name == clean(instead_of)[:MAX_NAME])
    changed = await connection.execute(update(THREADS).where(is_same).values(name=clean(title)[:MAX_NAME]))
    return bool(changed.rowcount)


async def _merged_metadata(connection: AsyncConnection, thread_id: str, new: dict[str, Any]) -> str | None:
    stored = select(THREADS.c.metadata).where(THREADS.c.id == thread_id).with_for_update()
    merged = (json_value((await connection.execute(stored)).scalar()) or {}) | new
    return json_text({key: value for key, value in merged.items() if value is not None})


async def delete_thread(connection: AsyncConnection, thread_id: str) -> list[str]:
    """Delete a thread with all that hangs on it; returns the keys of the files that nobody needs any more."""
    await unindex(connection, steps_in([thread_id]))
    keys = await _doom(connection, ELEMENTS.c.threadId == thread_id)
    await connection.execute(delete(THREADS).where(THREADS.c.id == thread_id))
    return keys


async def family_of(connection: AsyncConnection, step_id: str) -> list[str]:
    """A step and all steps below it."""
    tree = select(STEPS.c.id, STEPS.c.threadId).where(STEPS.c.id == step_id).cte("tree", recursive=True)
    below = select(STEPS.c.id, STEPS.c.threadId).where(
        STEPS.c.parentId == tree.c.id, STEPS.c.threadId == tree.c.threadId
    )
    return list((await connection.execute(select(tree.union(below).c.id))).scalars())


async def steps_after(connection: AsyncConnection, thread_id: str, step_id: str, *, keep: Collection[str]) -> list[str]:
    """The steps that stand below a step on the page, but for those in `keep`; none where there is no such step."""
    query = select(STEPS.c.id, STEPS.c.parentId).where(STEPS.c.threadId == thread_id)
    rows = (await connection.execute(query.order_by(STEPS.c.position, STEPS.c.seq))).mappings().all()
    ids = [row["id"] for row in in_page_order(rows)]
    later = ids[ids.index(step_id) + 1 :] if step_id in ids else []
    return [found for found in later if found not in keep]


async def delete_steps(connection: AsyncConnection, step_ids: Sequence[str]) -> list[str]:
    """Delete steps with their elements and feedback; returns the keys of the files that nobody needs any more."""
    if not step_ids:
        return []
    await unindex(connection, STEPS.c.id.in_(step_ids))
    keys = await _doom(connection, _elements_of(step_ids))
    await connection.execute(delete(ELEMENTS).where(_elements_of(step_ids)))
    await connection.execute(delete(FEEDBACKS).where(FEEDBACKS.c.forId.in_(step_ids)))
    await connection.execute(delete(STEPS).where(STEPS.c.id.in_(step_ids)))
    return keys


def _elements_of(step_ids: Sequence[str]) -> ColumnElement[bool]:
    threads = select(STEPS.c.threadId).where(STEPS.c.id.in_(step_ids))
    return and_(ELEMENTS.c.threadId.in_(threads), ELEMENTS.c.forId.in_(step_ids))


async def write_element(connection: AsyncConnection, row: Row) -> None:
    """Insert or replace an element; an id that is another thread's element's is left alone."""
    await ensure_threads(connection, {row["threadId"]: row["revision"]})
    statement = upsert(connection, ELEMENTS)
    changed = {name: statement.excluded[name] for name in row if name not in _NEVER_CHANGED}
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=[ELEMENTS.c.id],
            set_=changed,
            where=and_(
                ELEMENTS.c.threadId == statement.excluded.threadId, ELEMENTS.c.revision <= statement.excluded.revision
            ),
        ),
        [row],
    )


async def delete_element(connection: AsyncConnection, element_id: str, thread_id: str | None) -> list[str]:
    """Delete an element, of that thread if one is named; returns the keys of its files."""
    which = ELEMENTS.c.id == element_id
    if thread_id:
        which = and_(which, ELEMENTS.c.threadId == thread_id)
    keys = await _doom(connection, which)
    await connection.execute(delete(ELEMENTS).where(which))
    return keys


async def write_feedback(
    connection: AsyncConnection, feedback_id: str, *, step_id: str, value: int, comment: str | None
) -> str | None:
    """Give a step its feedback, or change it; returns the feedback's id, None where there is no such step."""
    step = select(STEPS.c.threadId).where(STEPS.c.id == step_id)
    thread_id = (await connection.execute(step)).scalar()
    if thread_id is None:
        return None
    statement = upsert(connection, FEEDBACKS)
    statement = statement.values(id=feedback_id, forId=step_id, threadId=thread_id, value=value, comment=comment)
    changed = {"value": value, "comment": comment}
    statement = statement.on_conflict_do_update(index_elements=[FEEDBACKS.c.forId], set_=changed)
    return str((await connection.execute(statement.returning(FEEDBACKS.c.id))).scalar_one())


async def delete_feedback(connection: AsyncConnection, feedback_id: str) -> bool:
    """Whether there was one."""
    gone = await connection.execute(delete(FEEDBACKS).where(FEEDBACKS.c.id == feedback_id))
    return bool(gone.rowcount)


async def write_user(connection: AsyncConnection, user: Row) -> None:
    """Create the user, or renew the metadata of the one with that identifier."""
    statement = upsert(connection, USERS).values(user)
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=[USERS.c.identifier], set_={"metadata": statement.excluded.metadata}
        )
    )


async def file_is_gone(connection: AsyncConnection, keys: Sequence[str]) -> None:
    """Forget files that were to be deleted, once they are."""
    await connection.execute(delete(DOOMED_FILES).where(DOOMED_FILES.c.objectKey.in_(keys)))


async def _doom(connection: AsyncConnection, which: ColumnElement[bool]) -> list[str]:
    found = select(ELEMENTS.c.objectKey).where(which, ELEMENTS.c.objectKey.is_not(None))
    keys = list((await connection.execute(found)).scalars())
    if keys:
        statement = upsert(connection, DOOMED_FILES).on_conflict_do_nothing()
        await connection.execute(statement, [{"objectKey": key} for key in keys])
    return keys
