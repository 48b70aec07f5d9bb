"""Puts writes into the database in the order in which they were asked for, several to a transaction under load.

Knows neither tables nor steps. A write that fails alone does not take the others with it; a database that is away for a
moment is waited for.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

logger = logging.getLogger(__name__)

W = TypeVar("W")
MOST_AT_ONCE = 500
PATIENCE_S = 60.0
"""How long a database may be away before what is queued is given up."""
_PASSING_STATES = {"08", "40", "53", "57"}
"""Classes of SQLSTATE: no connection, deadlock, too many of us, starting or stopping."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


@dataclass(frozen=True, slots=True)
class _Queued(Generic[W]):
    write: W
    done: asyncio.Future[Any]


class WriteQueue(Generic[W]):
    """One worker, one transaction at a time. `apply` does a batch in order and returns one result for each write."""

    def __init__(
        self,
        begin: Callable[[], AbstractAsyncContextManager[AsyncConnection]],
        apply: Callable[[AsyncConnection, Sequence[W]], Awaitable[list[Any]]],
    ) -> None:
        self._begin = begin
        self._apply = apply
        self._waiting: list[_Queued[W]] = []
        self._arrival = asyncio.Event()
        self._last: asyncio.Future[Any] | None = None
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def submit(self, write: W) -> Any:
        """Queue a write now and wait until it is committed. Who stops waiting does not stop the write.

        Raises what the database says to this write; returns what `apply` gave for it.
        """
        done = asyncio.get_running_loop().create_future()
        self._waiting.append(_Queued(write, done))
        self._last = done
        self._arrival.set()
        return await asyncio.shield(done)

    async def settled(self) -> None:
        """Wait until all that is queued at this moment is committed or has failed."""
        if self._last and not self._last.done():
            await asyncio.wait({self._last})

    async def close(self) -> None:
        """Commit what is queued and end the worker."""
        await self.settled()
        if self._worker:
            self._worker.cancel()
            await asyncio.wait({self._worker})

    async def _work(self) -> None:
        while True:
            await self._arrival.wait()
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            if not self._waiting:
                self._arrival.clear()
            await self._write(batch)

    async def _write(self, batch: Sequence[_Queued[W]]) -> None:
        results = await self._patiently(batch)
        if isinstance(results, BaseException) and len(batch) > 1:
            for queued in batch:  # which of them was it?
                await self._write([queued])
        elif isinstance(results, BaseException):
            logger.error("a write to the history failed: %s", type(results).__name__)
            _fail(batch[0].done, results)
        else:
            for queued, result in zip(batch, results, strict=True):
                if not queued.done.done():
                    queued.done.set_result(result)

    async def _patiently(self, batch: Sequence[_Queued[W]]) -> list[Any] | BaseException:
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + PATIENCE_S, _FIRST_PAUSE_S
        while True:
            result = (await asyncio.gather(self._transaction(batch), return_exceptions=True))[0]
            if not isinstance(result, BaseException) or not _is_passing(result) or loop.time() > deadline:
                return result
            logger.warning("the history's database does not answer (%s); trying again", type(result).__name__)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _transaction(self, batch: Sequence[_Queued[W]]) -> list[Any]:
        async with self._begin() as connection:
            return await self._apply(connection, [queued.write for queued in batch])


def _fail(done: asyncio.Future[Any], error: BaseException) -> None:
    if not done.done():
        done.set_exception(error)
        done.exception()  # Chainlit's tasks are not looked at: the line in the log is enough


def _is_passing(error: BaseException) -> bool:
    if isinstance(error, DBAPIError):
        state = str(getattr(error.orig, "sqlstate", ""))  # PostgreSQL's; SQLite has none
        return error.connection_invalidated or isinstance(error, OperationalError) or state[:2] in _PASSING_STATES
    return isinstance(error, OSError | TimeoutError)
