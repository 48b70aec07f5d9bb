"""What is counted for all processes together, each count until a moment of its own. Knows neither who nor why.

Where the database does not answer, this process counts alone: no limit ever falls open.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import BigInteger, bindparam, delete, func, select, text, tuple_, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.clock import Now
from ui.data_layer.database import Database
from ui.data_layer.own_counts import Full, Limit, OwnCounts
from ui.data_layer.tables import COUNTS
from ui.data_layer.writes import upsert

logger = logging.getLogger(__name__)

T = TypeVar("T")
PATIENCE_S = 3.0
"""How long a count may take before this process counts alone."""
_TIDY_EVERY_S = 10.0
_LOCKS = 7_426_583
"""The first half of our locks' numbers in PostgreSQL; the other is that of who is counted."""
_KEY = (COUNTS.c.whose, COUNTS.c.kind, COUNTS.c.id)
_LOCK = text(
    "SELECT pg_advisory_xact_lock(:ours, hashtext(:whose)), "
    "set_config('synchronous_commit', 'off', true)"  # a power cut may take the last second's counts
)
_COUNTED = (
    select(COUNTS.c.kind, func.sum(COUNTS.c.amount), func.min(COUNTS.c.until) - Now())
    .where(COUNTS.c.whose == bindparam("who"), COUNTS.c.until > Now())
    .group_by(COUNTS.c.kind)
)


class Counts:
    """One row a count; what is over is removed as others come. Nothing here is held between two calls."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = OwnCounts()
        self._tidied = -_TIDY_EVERY_S

    async def take(self, whose: str, limits: Sequence[Limit], *, count_id: str) -> Full | None:
        """Count one more under each limit, or under none of them: then the first that is full is returned."""
        own = partial(self._own.take, whose, limits, count_id=count_id)
        return await self._shared(partial(_take, whose=whose, limits=limits, count_id=count_id), own)

    async def add(self, whose: str, limit: Limit, amount: int, *, count_id: str) -> None:
        """Count more without asking whether it is too much; under a known id, it is added to what is there."""
        own = partial(self._own.add, whose, limit, amount, count_id=count_id)
        row = _row(whose, limit, amount, count_id=count_id)
        await self._shared(lambda connection: _add(connection, [row]), own)

    async def renew(self, limit: Limit, count_ids: Collection[str]) -> None:
        """Let these go on counting, as if they had been taken now."""
        ids, until = COUNTS.c.id.in_(count_ids), Now() + _milliseconds(limit)
        statement = update(COUNTS).where(COUNTS.c.kind == limit.kind, ids).values(until=until)
        await self._shared(lambda connection: connection.execute(statement), lambda: None)

    async def give_back(self, whose: str, kind: str, *, count_id: str) -> None:
        """Count this no longer."""
        statement = delete(COUNTS).where(COUNTS.c.whose == whose, COUNTS.c.kind == kind, COUNTS.c.id == count_id)
        self._own.give_back(whose, kind, count_id=count_id)
        await self._shared(lambda connection: connection.execute(statement), lambda: None)

    async def forget_all(self, kind: str) -> None:
        """Count nothing of this kind any longer, whosever it is."""
        statement = delete(COUNTS).where(COUNTS.c.kind == kind)
        await self._shared(lambda connection: connection.execute(statement), lambda: None)

    async def _shared(self, work: Callable[[AsyncConnection], Awaitable[T]], own: Callable[[], T | None]) -> T | None:
        try:
            async with asyncio.timeout(PATIENCE_S), self._database.writing() as connection:
                result = await work(connection)
                await self._tidy(connection)
                return result
        except (SQLAlchemyError, OSError) as error:
            logger.warning("no limits are shared just now: %s; this process counts alone", type(error).__name__)
            return own()

    async def _tidy(self, connection: AsyncConnection) -> None:
        """Remove what is over, now and then. What another process is about to remove is left to it."""
        if time.monotonic() < self._tidied + _TIDY_EVERY_S:
            return
        self._tidied = time.monotonic()
        over = select(*_KEY).where(COUNTS.c.until <= Now()).with_for_update(skip_locked=True)
        await connection.execute(delete(COUNTS).where(tuple_(*_KEY).in_(over)))


async def _take(connection: AsyncConnection, *, whose: str, limits: Sequence[Limit], count_id: str) -> Full | None:
    if connection.dialect.name == "postgresql":  # SQLite lets only one write, and we are that one
        await connection.execute(_LOCK, {"ours": _LOCKS, "whose": whose})
    found = {kind: (amount, wait_ms) for kind, amount, wait_ms in await connection.execute(_COUNTED, {"who": whose})}
    for limit in limits:
        amount, wait_ms = found.get(limit.kind, (0, 0))
        if amount >= limit.most:
            return Full(limit, max(0.0, wait_ms / 1000))
    rows = [_row(whose, limit, 1, count_id=count_id) for limit in limits if limit.is_taken]
    if rows:
        await _add(connection, rows)
    return None


def _row(whose: str, limit: Limit, amount: int, *, count_id: str) -> dict[str, object]:
    return {"whose": whose, "kind": limit.kind, "id": count_id, "amount": amount, "lasts": _milliseconds(limit)}


async def _add(connection: AsyncConnection, rows: Sequence[dict[str, object]]) -> None:
    """Each a count of its own, or more of one that is there."""
    statement = upsert(connection, COUNTS)
    more = {"amount": COUNTS.c.amount + statement.excluded.amount, "until": statement.excluded.until}
    row: dict[str, Any] = {name: bindparam(name) for name in ("whose", "kind", "id", "amount")}
    statement = statement.values(row | {"until": Now() + bindparam("lasts", type_=BigInteger)})
    await connection.execute(statement.on_conflict_do_update(index_elements=_KEY, set_=more), rows)


def _milliseconds(limit: Limit) -> int:
    return int(limit.lasts_s * 1000)
