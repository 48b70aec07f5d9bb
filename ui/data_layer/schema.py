"""Makes the tables, brings older ones up to date, takes over Chainlit's own. Safe when two processes start at once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.errors import NewerSchema

_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 7_426_583_011
"""Any number that no other program takes for its own lock in the same PostgreSQL database."""


async def upgrade(connection: AsyncConnection, *, to: str = "head") -> None:
    """Bring the schema to a revision, within the transaction of `connection`, which must be one that writes.

    Raises `NewerSchema` where the database is at a revision that this version does not know.
    """
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    await connection.run_sync(_upgrade, to)


async def revision_of(connection: AsyncConnection) -> str | None:
    """The revision that the database is at; None where it is not ours yet."""
    return await connection.run_sync(_current)


def newest_revision() -> str:
    """The revision that this version of the app works with."""
    return str(ScriptDirectory(str(_SCRIPTS)).get_current_head())


def _upgrade(connection: Connection, to: str) -> None:
    known = {script.revision for script in ScriptDirectory(str(_SCRIPTS)).walk_revisions()}
    current = _current(connection)
    if current and current not in known:
        raise NewerSchema(f"the database is at revision {current}, the newest known here is {newest_revision()}")
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()
