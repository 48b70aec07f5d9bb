"""Opens SQLite or PostgreSQL: one connection that writes, a few that read. Must not know the tables."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, event, make_url
from sqlalchemy.engine import Connection
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from ui.data_layer.encryption import for_asyncpg
from ui.data_layer.errors import UnknownDatabase

_PATIENCE_S = 30
"""How long another process may keep SQLite's file locked."""
_TRY_AGAIN_S = 0.02
_UNCANCELLABLE_MS = 100
"""How long SQLite may wait for the lock by itself: nobody can stop it from that."""
_READERS = 4

T = TypeVar("T")


class Database:
    """A database by its address. SQLite waits for other processes instead of failing, and survives being killed."""

    def __init__(self, url: str, *, data_folder: Path) -> None:
        """An empty `url` is `history.db` in the data folder. Opens nothing yet.

        Raises `UnknownDatabase` or `UntrustedDatabase`.
        """
        self.url = _async_url(url, data_folder)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writer = self._engine(begin="BEGIN IMMEDIATE", connections=1, busy_ms=_UNCANCELLABLE_MS)
        self._reader = self._engine(begin="BEGIN", connections=_READERS, busy_ms=_PATIENCE_S * 1000)
        self._standing = self._engine(begin="BEGIN", connections=1, busy_ms=0).execution_options(
            isolation_level="AUTOCOMMIT"
        )

    async def prepare(self) -> None:
        """Create the file of SQLite and its folder, for nobody else's eyes. Raises OSError or sqlite3.Error."""
        if self.is_sqlite:
            await _patiently(partial(asyncio.to_thread, _make_file, Path(self.url.database or "")))

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that commits at the end. One at a time; in SQLite also among processes."""
        async with aclosing(await _patiently(self._begun)) as connection:
            yield connection
            await connection.commit()

    async def _begun(self) -> AsyncConnection:
        async with AsyncExitStack() as undo:
            connection = await self._writer.connect()
            undo.push_async_callback(connection.close)
            await connection.begin()
            undo.pop_all()
        return connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees one state of the database."""
        async with self._reader.connect() as connection:
            yield connection

    async def standing_connection(self) -> AsyncConnection:
        """The one connection that is kept for long, for what lasts as long as it: locks. It is in no transaction."""
        return await self._standing.connect()

    async def to_disk(self) -> None:
        """Wait until what is committed would survive a power cut. PostgreSQL promises that at each commit."""
        if self.is_sqlite:
            await self._outside_transaction("PRAGMA wal_checkpoint(PASSIVE)")

    async def wipe_traces(self) -> None:
        """Rewrite the SQLite file, so that nothing deleted can be read from it any more."""
        if self.is_sqlite:
            await _patiently(partial(self._outside_transaction, "VACUUM"))
            await _patiently(partial(self._outside_transaction, "PRAGMA wal_checkpoint(TRUNCATE)"))

    async def close(self) -> None:
        await self._writer.dispose()
        await self._reader.dispose()
        await self._standing.dispose()

    async def _outside_transaction(self, statement: str) -> None:
        async with self._writer.connect() as connection:
            raw = await connection.get_raw_connection()
            cursor = await raw.driver_connection.execute(statement)  # type: ignore[union-attr] # aiosqlite's own
            await cursor.close()

    def _engine(self, *, begin: str, connections: int, busy_ms: int) -> AsyncEngine:
        if not self.is_sqlite:
            url, arguments = for_asyncpg(self.url)
            return create_async_engine(
                url, pool_size=connections, max_overflow=0, pool_pre_ping=True, connect_args=arguments
            )
        engine = create_async_engine(self.url, pool_size=connections, max_overflow=0)
        event.listen(engine.sync_engine, "connect", partial(_prepare_sqlite, busy_ms=busy_ms))
        event.listen(engine.sync_engine, "begin", lambda connection: _begin(connection, begin))
        return engine


def _make_file(file: Path) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)  # SQLite gives its other files the same permissions
    with closing(sqlite3.connect(file)) as connection:
        # The file remembers it. Where several switch at once, SQLite does not let them wait: all but one fail.
        connection.execute("PRAGMA journal_mode=WAL")


async def _patiently(work: Callable[[], Awaitable[T]]) -> T:
    """Do it once no other process has SQLite's file locked; can be cancelled, as SQLite's own waiting can't."""
    give_up_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return await work()
        except (DBAPIError, sqlite3.OperationalError) as error:
            if time.monotonic() > give_up_at or not _is_busy(getattr(error, "orig", error)):
                raise
        await asyncio.sleep(_TRY_AGAIN_S)


def _is_busy(error: object) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _prepare_sqlite(connection: Any, _: Any, *, busy_ms: int) -> None:
    connection.isolation_level = None  # the driver would begin transactions of its own, and not before DDL
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={busy_ms}",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "secure_delete=FAST",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
    connection.create_function("lower", 1, _lower, deterministic=True)  # SQLite's own knows ASCII only


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _begin(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)


def _async_url(text: str, data_folder: Path) -> URL:
    if not text:
        return URL.create("sqlite+aiosqlite", database=str(data_folder / "history.db"))
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise UnknownDatabase("not an address of a database") from error
    match url.drivername.partition("+")[0]:
        case "sqlite" if url.database:
            return url.set(drivername="sqlite+aiosqlite")
        case "postgres" | "postgresql":
            return url.set(drivername="postgresql+asyncpg")
    raise UnknownDatabase(f"no history is kept in {url.drivername}")
