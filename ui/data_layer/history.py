"""The stored chats: every write in order, every read after the writes that were asked for before. Knows no Chainlit."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Any, TypeVar

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer import reads, schema, search, writes
from ui.data_layer.database import Database
from ui.data_layer.errors import Unreachable, UntrustedDatabase
from ui.data_layer.order import Counter
from ui.data_layer.remembered import Remembered
from ui.data_layer.rows import Row, row_from_element, row_from_step
from ui.data_layer.write_queue import WriteQueue

logger = logging.getLogger(__name__)

T = TypeVar("T")

QUIET_S = 5.0
"""So long a text must have rested before it goes into the index by itself."""
_INDEX_AT_ONCE, _INDEX_PAUSE_S = 100, 0.2
_INDEX_BEFORE_SEARCH = 500
"""A search indexes so many of the person's newest texts first; the rest of a backlog follows in the background."""


@dataclass(frozen=True, slots=True)
class StepWrite:
    """A step to insert or to complete. Several in a row are written together."""

    row: Row


Change = Callable[[AsyncConnection], Awaitable[Any]]
Write = StepWrite | Change


class History:
    """Open it with `start()`, close it with `close()`. Every write returns when it is committed.

    The order of writes is the order of the calls, up to their first `await`: what is written is taken at the call.
    """

    def __init__(self, url: str, *, data_folder: Path) -> None:
        """An empty `url` is SQLite in the data folder. Raises `UnknownDatabase` or `UntrustedDatabase`."""
        self.database = Database(url, data_folder=data_folder)
        self._counter = Counter()
        self._positions = Remembered[int]()
        self._gone = Remembered[bool]()
        self._queue = WriteQueue(self.database.writing, self._apply)
        self._starting: asyncio.Lock = asyncio.Lock()
        self._indexer: asyncio.Task[None] | None = None
        self._unindexed = asyncio.Event()

    async def start(self) -> None:
        """Bring the schema up to date and take writes; a second call does nothing.

        Raises `NewerSchema`, `UntrustedDatabase` or `Unreachable`.
        """
        async with self._starting:
            if self._indexer:
                return
            try:
                await self._upgrade()
            except SSLCertVerificationError as error:
                raise UntrustedDatabase(str(error)) from error
            except (OSError, sqlite3.Error, DBAPIError) as error:
                raise Unreachable(f"{type(error).__name__}: {error}") from error
            self._queue.start()
            self._unindexed.set()
            self._indexer = asyncio.create_task(self._index_what_rests())

    async def _upgrade(self) -> None:
        await self.database.prepare()
        async with self.database.writing() as connection:
            await schema.upgrade(connection)
            self._counter.saw(await reads.last_number(connection))

    async def flush(self) -> None:
        """Wait until every write asked for so far is on disk, as far as the database promises that."""
        await self._queue.settled()
        await self.database.to_disk()

    async def close(self) -> None:
        """Commit what is queued, then let the database go."""
        if self._indexer:
            self._indexer.cancel()
            await asyncio.wait({self._indexer})
            await self._queue.close()
            await self.database.to_disk()
        await self.database.close()

    async def health(self) -> bool:
        """Whether the database answers. Raises what it says otherwise."""
        async with self.database.reading() as connection:
            return (await connection.execute(text("SELECT 1"))).scalar() == 1

    async def read(self, query: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Run a query of `reads` after all writes asked for so far."""
        await self.start()
        await self._queue.settled()
        async with self.database.reading() as connection:
            return await query(connection)

    async def change(self, change: Change) -> Any:
        """Run a change in the order of writes; returns what it returns."""
        if not self._indexer:
            await self.start()
        return await self._queue.submit(change)

    # Steps

    def step_write(self, step: Mapping[str, Any]) -> StepWrite:
        """The write of a step as it is at this moment; it keeps its place in the order, whenever it is written."""
        number = self._counter.next()
        position = self._positions.setdefault(step["id"], number)
        return StepWrite(row_from_step(step) | {"position": position, "revision": number})

    async def write(self, write: StepWrite) -> None:
        if not self._indexer:
            await self.start()
        await self._queue.submit(write)

    async def delete_step(self, step_id: str) -> list[str]:
        """Delete a step and all below it; returns the keys of the files to delete."""

        async def change(connection: AsyncConnection) -> list[str]:
            self._gone[step_id] = True
            return await self._delete(connection, await writes.family_of(connection, step_id))

        keys: list[str] = await self.change(change)
        return keys

    async def forget_after(self, thread_id: str, step_id: str, *, keep: Collection[str] = ()) -> list[str]:
        """Delete what came after a step, but for the steps in `keep`; returns the keys of the files to delete."""

        async def change(connection: AsyncConnection) -> list[str]:
            later = await writes.steps_after(connection, thread_id, step_id, keep=keep)
            return await self._delete(connection, later)

        keys: list[str] = await self.change(change)
        return keys

    async def _delete(self, connection: AsyncConnection, step_ids: Sequence[str]) -> list[str]:
        for step_id in step_ids:
            self._gone[step_id] = True
        return await writes.delete_steps(connection, step_ids)

    # Threads

    async def change_thread(self, thread_id: str, **changes: Any) -> None:
        """Create a thread or change it, see `writes.change_thread`; one that was deleted stays deleted."""
        number = self._counter.next()

        async def change(connection: AsyncConnection) -> None:
            if thread_id not in self._gone:
                await writes.change_thread(connection, thread_id, number=number, **changes)

        await self.change(change)

    async def delete_thread(self, thread_id: str) -> list[str]:
        """Delete a thread for good, also against writes that are still on their way; returns the keys of its files."""

        async def change(connection: AsyncConnection) -> list[str]:
            self._gone[thread_id] = True
            return await writes.delete_thread(connection, thread_id)

        keys: list[str] = await self.change(change)
        return keys

    async def list_threads(self, user_id: str, *, search_for: str | None = None, **page: Any) -> reads.ThreadPage:
        """See `reads.list_threads`. What was said just now can be searched for as well."""
        if search_for and search_for.strip():
            index = partial(search.index_some, most=_INDEX_BEFORE_SEARCH, user_id=user_id)
            await self.change(partial(index, before=self._counter.next()))
        return await self.read(partial(reads.list_threads, user_id=user_id, search=search_for, **page))

    # Elements

    async def write_element(self, element: Mapping[str, Any], number: int) -> bool:
        """Write an element with the number it got from `number()`. False where its step or thread is deleted."""
        row = row_from_element(element) | {"position": number, "revision": number}

        async def change(connection: AsyncConnection) -> bool:
            if row["threadId"] in self._gone or row["forId"] in self._gone:
                return False
            await writes.write_element(connection, row)
            return True

        return bool(await self.change(change))

    def number(self) -> int:
        """The next number in the order of writes."""
        return self._counter.next()

    # The queue's work

    async def _apply(self, connection: AsyncConnection, batch: Sequence[Write]) -> list[Any]:
        results: list[Any] = []
        for are_steps, group in groupby(batch, lambda write: isinstance(write, StepWrite)):
            if are_steps:
                steps = [write.row for write in group if isinstance(write, StepWrite)]
                await writes.write_steps(connection, [row for row in steps if self._is_wanted(row)])
                results += [None] * len(steps)
                self._unindexed.set()
            else:
                results += [await write(connection) for write in group if not isinstance(write, StepWrite)]
        return results

    def _is_wanted(self, row: Row) -> bool:
        """Nothing deleted comes back by a write that was late, nor does anything below it."""
        if row["threadId"] in self._gone or row["id"] in self._gone:
            return False
        if row.get("parentId") in self._gone:
            self._gone[row["id"]] = True
            return False
        return True

    async def _index_what_rests(self) -> None:
        pause = QUIET_S
        while True:
            await self._unindexed.wait()
            self._unindexed.clear()
            await asyncio.sleep(pause)
            pause = QUIET_S
            if await self._index_some(before=self._counter.next() - int(QUIET_S * 1_000_000)):
                pause = _INDEX_PAUSE_S  # there may be more
                self._unindexed.set()

    async def _index_some(self, *, before: int) -> int:
        try:
            return int(await self._queue.submit(partial(search.index_some, most=_INDEX_AT_ONCE, before=before)))
        except SQLAlchemyError:
            return 0  # the queue has logged it; the texts stay marked as not indexed
