"""The statements that keep which logins have ended, within a transaction of the caller. Knows marks, not tokens."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.clock import Now
from ui.data_layer.tables import ENDED_LOGINS
from ui.data_layer.writes import upsert

_OVERLAP_MS = 60_000
"""What was committed late, by another process, is read with the next look."""


@dataclass(frozen=True, slots=True)
class EndedLogin:
    """`ended_at` and `until` are milliseconds of the database's clock."""

    mark: str
    ended_at: int
    until: int


async def end(connection: AsyncConnection, marks: Collection[str], *, lasts_s: float) -> None:
    """Keep these marks as ended for so long, and forget those that are over."""
    await connection.execute(delete(ENDED_LOGINS).where(ENDED_LOGINS.c.until <= Now()))
    statement = upsert(connection, ENDED_LOGINS).on_conflict_do_nothing()
    for mark in sorted(marks):
        row = {"mark": mark, "endedAt": Now(), "until": Now() + int(lasts_s * 1000)}
        await connection.execute(statement.values(row))


async def ended_since(connection: AsyncConnection, moment: int) -> list[EndedLogin]:
    """The logins that ended after the moment, in milliseconds, and a little before; 0 gives all that count."""
    columns = (ENDED_LOGINS.c.mark, ENDED_LOGINS.c.endedAt, ENDED_LOGINS.c.until)
    recent = select(*columns).where(ENDED_LOGINS.c.endedAt >= moment - _OVERLAP_MS, ENDED_LOGINS.c.until > Now())
    return [EndedLogin(*row) for row in await connection.execute(recent)]
