"""The queries of the history, each within a transaction that the caller opened. Must not know Chainlit."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.order import moment
from ui.data_layer.page_order import in_page_order
from ui.data_layer.rows import Row, Stored, element_from_row, json_value, step_from_row
from ui.data_layer.search import matching
from ui.data_layer.tables import DOOMED_FILES, ELEMENTS, FEEDBACKS, STEPS, THREADS, USERS

LISTED_NAME = 70
"""Characters of a name in the sidebar, which has room for some thirty."""


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """A part of somebody's threads, the one with the last activity first. `end` is the cursor of what follows."""

    threads: list[Row]
    has_next: bool
    start: str | None
    end: str | None


async def user_by_identifier(connection: AsyncConnection, identifier: str) -> Row | None:
    """The user's row with its metadata as a dict."""
    row = (await connection.execute(select(USERS).where(USERS.c.identifier == identifier))).mappings().first()
    return {**row, "metadata": json_value(row["metadata"])} if row else None


async def last_number(connection: AsyncConnection) -> int:
    """The greatest number given to a write so far."""
    return (await connection.execute(select(func.max(THREADS.c.activity)))).scalar() or 0


async def owner_of_thread(connection: AsyncConnection, thread_id: str) -> Row | None:
    """`id` and `identifier` of the user that a thread belongs to."""
    return await _owner(connection, select(THREADS.c.userId).where(THREADS.c.id == thread_id))


async def owner_of_step(connection: AsyncConnection, step_id: str) -> Row | None:
    """`id` and `identifier` of the user in whose thread a step is."""
    joined = select(THREADS.c.userId).join(STEPS, STEPS.c.threadId == THREADS.c.id)
    return await _owner(connection, joined.where(STEPS.c.id == step_id))


async def owner_of_feedback(connection: AsyncConnection, feedback_id: str) -> Row | None:
    """`id` and `identifier` of the user in whose thread a feedback was given."""
    joined = select(THREADS.c.userId).join(FEEDBACKS, FEEDBACKS.c.threadId == THREADS.c.id)
    return await _owner(connection, joined.where(FEEDBACKS.c.id == feedback_id))


async def _owner(connection: AsyncConnection, user_id: Select[Any]) -> Row | None:
    query = select(USERS.c.id, USERS.c.identifier).where(USERS.c.id == user_id.scalar_subquery())
    row = (await connection.execute(query)).mappings().first()
    return dict(row) if row else None


async def list_threads(
    connection: AsyncConnection,
    user_id: str,
    *,
    first: int,
    cursor: str | None = None,
    search: str | None = None,
    feedback: int | None = None,
) -> ThreadPage:
    """A page of somebody's threads: names only. `search` looks into titles and texts; a bad cursor is the start."""
    query = (
        select(THREADS.c.id, THREADS.c.name, THREADS.c.tags, THREADS.c.activity, THREADS.c.userId, USERS.c.identifier)
        .join(USERS, USERS.c.id == THREADS.c.userId)
        .where(THREADS.c.userId == user_id)
        .order_by(THREADS.c.activity.desc(), THREADS.c.id.desc())
        .limit(first + 1)
    )
    if after := _position(cursor):
        activity, thread_id = after
        same_moment = and_(THREADS.c.activity == activity, THREADS.c.id < thread_id)
        query = query.where(or_(THREADS.c.activity < activity, same_moment))
    if search and search.strip():
        query = query.where(matching(search, connection.dialect.name))
    if feedback is not None:
        query = query.where(exists().where(FEEDBACKS.c.threadId == THREADS.c.id, FEEDBACKS.c.value == feedback))
    rows = (await connection.execute(query)).mappings().all()
    shown = rows[:first]
    start, end = (_cursor(shown[0]), _cursor(shown[-1])) if shown else (None, None)
    return ThreadPage([_listed(row) for row in shown], has_next=len(rows) > first, start=start, end=end)


def _cursor(row: Stored) -> str:
    return f"{row['activity']}.{row['id']}"


def _position(cursor: str | None) -> tuple[int, str] | None:
    activity, _, thread_id = (cursor or "").partition(".")
    return (int(activity), thread_id) if activity.isdecimal() and len(activity) < 19 and thread_id else None


def _listed(row: Stored) -> Row:
    """A thread in the sidebar, which sorts by `createdAt`: there it is the moment of the last activity."""
    return {
        "id": row["id"],
        "createdAt": moment(row["activity"]),
        "name": row["name"] and row["name"][:LISTED_NAME],
        "userId": row["userId"],
        "userIdentifier": row["identifier"],
        "tags": json_value(row["tags"]),
        "metadata": {},
        "steps": [],
        "elements": [],
    }


async def thread(connection: AsyncConnection, thread_id: str) -> Row | None:
    """A whole thread, its steps and elements in the order of the page; None where there is none."""
    query = select(THREADS, USERS.c.identifier).outerjoin(USERS, USERS.c.id == THREADS.c.userId)
    row = (await connection.execute(query.where(THREADS.c.id == thread_id))).mappings().first()
    if not row:
        return None
    return {
        "id": row["id"],
        "createdAt": row["createdAt"],
        "name": row["name"],
        "userId": row["userId"],
        "userIdentifier": row["identifier"],
        "tags": json_value(row["tags"]),
        "metadata": json_value(row["metadata"]) or {},
        "steps": await _steps(connection, thread_id),
        "elements": await _elements(connection, thread_id),
    }


async def _steps(connection: AsyncConnection, thread_id: str) -> list[Row]:
    given = await connection.execute(select(FEEDBACKS).where(FEEDBACKS.c.threadId == thread_id))
    feedback = {row["forId"]: _feedback(row) for row in given.mappings()}
    in_order = select(STEPS).where(STEPS.c.threadId == thread_id).order_by(STEPS.c.position, STEPS.c.seq)
    rows = (await connection.execute(in_order)).mappings()
    return in_page_order([step_from_row(row, feedback.get(row["id"])) for row in rows])


def _feedback(row: Stored) -> Row:
    return {key: row[key] for key in ("forId", "id", "value", "comment")}


async def _elements(connection: AsyncConnection, thread_id: str) -> list[Row]:
    in_order = select(ELEMENTS).where(ELEMENTS.c.threadId == thread_id).order_by(ELEMENTS.c.position, ELEMENTS.c.id)
    return [element_from_row(row) for row in (await connection.execute(in_order)).mappings()]


async def element(connection: AsyncConnection, thread_id: str, element_id: str) -> Row | None:
    """One element of a thread."""
    query = select(ELEMENTS).where(ELEMENTS.c.threadId == thread_id, ELEMENTS.c.id == element_id)
    row = (await connection.execute(query)).mappings().first()
    return element_from_row(row) if row else None


async def favorites(connection: AsyncConnection, user_id: str) -> list[Row]:
    """The steps that somebody marked, the newest first."""
    query = (
        select(STEPS)
        .join(THREADS, THREADS.c.id == STEPS.c.threadId)
        .where(THREADS.c.userId == user_id, STEPS.c.favorite)
        .order_by(STEPS.c.position.desc())
    )
    return [step_from_row(row) for row in (await connection.execute(query)).mappings()]


async def threads_of(connection: AsyncConnection, user_id: str) -> list[str]:
    """The ids of somebody's threads, the oldest activity first."""
    query = select(THREADS.c.id).where(THREADS.c.userId == user_id).order_by(THREADS.c.activity, THREADS.c.id)
    return list((await connection.execute(query)).scalars())


async def doomed_files(connection: AsyncConnection) -> list[str]:
    """Keys of files that a crash kept from being deleted, and that no element has taken since."""
    is_taken = exists().where(ELEMENTS.c.objectKey == DOOMED_FILES.c.objectKey)
    return list((await connection.execute(select(DOOMED_FILES.c.objectKey).where(~is_taken))).scalars())
