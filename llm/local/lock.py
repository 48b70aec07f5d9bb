"""A lock between processes on a file, freed by the system when its holder dies. Knows nothing of what it guards."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

_POLL_S = 0.5


@asynccontextmanager
async def file_lock(path: Path) -> AsyncIterator[None]:
    """Hold the lock at `path`, waiting for whoever has it. SQLite's lock is the one in the standard library
    that works on every system; the file holds nothing."""
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        while not _locked(connection):  # noqa: ASYNC110 - another process has no event to wait for
            await asyncio.sleep(_POLL_S)
        yield


def _locked(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
