"""In which chats a process is writing just now, for all processes to see: each holds a lock while a turn runs.

PostgreSQL lets go of a lock with the process that dies. With SQLite, this process is all there is.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import TextClause, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.database import Database

logger = logging.getLogger(__name__)

_PATIENCE_S = 3.0
_LOCKS = 7_426_584
"""The first half of these locks' numbers; the other is that of the chat."""
_TAKE = text("SELECT pg_advisory_lock_shared(:ours, hashtext(:thread))")
_GIVE_BACK = text("SELECT pg_advisory_unlock_shared(:ours, hashtext(:thread))")
_IS_TAKEN = text(
    "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = :ours "
    "AND objid::bigint = hashtext(:thread)::bigint & 4294967295 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
)


class Presence:
    """No turn fails for want of its lock: at worst another process takes it for one that was cut off."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = Counter[str]()
        self._standing: AsyncConnection | None = None
        self._one_at_a_time = asyncio.Lock()

    @asynccontextmanager
    async def writing_in(self, thread_id: str) -> AsyncIterator[None]:
        """A turn runs in this chat for as long as the context lasts."""
        self._own[thread_id] += 1
        try:
            await self._say(_TAKE, thread_id)
            yield
        finally:
            self._own[thread_id] -= 1
            self._own = +self._own
            await self._say(_GIVE_BACK, thread_id)

    async def is_written_in(self, thread_id: str) -> bool:
        """Whether a turn runs in this chat, in whatever process."""
        if self._database.is_sqlite or thread_id in self._own:
            return thread_id in self._own
        async with self._database.reading() as connection:
            return bool((await connection.execute(_IS_TAKEN, {"ours": _LOCKS, "thread": thread_id})).scalar())

    async def close(self) -> None:
        """Let go of all locks."""
        await self._drop()

    async def _drop(self) -> None:
        standing, self._standing = self._standing, None
        if standing:
            with suppress(SQLAlchemyError, OSError):
                await standing.invalidate()
            await standing.close()

    async def _say(self, statement: TextClause, thread_id: str) -> None:
        if self._database.is_sqlite:
            return
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    self._standing = self._standing or await self._database.standing_connection()
                    await self._standing.execute(statement, {"ours": _LOCKS, "thread": thread_id})
            except (SQLAlchemyError, OSError) as error:
                logger.warning("other processes can't see that a turn runs: %s", type(error).__name__)
                await self._drop()
