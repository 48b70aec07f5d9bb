"""The schema makes itself, grows from every earlier one, refuses a later one, and takes over Chainlit's."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from chainlit.types import Pagination, ThreadFilter
from sqlalchemy import Connection, text

from tests.ui.data_layer.conftest import NewLayer
from tests.ui.data_layer.people import new_id, step, stored, texts
from tests.ui.data_layer.postgres import Postgres
from ui.data_layer import schema
from ui.data_layer.database import Database
from ui.data_layer.errors import NewerSchema, UnknownDatabase, Unreachable
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.tables import METADATA

SAMPLES = Path(__file__).parent / "samples"


def differences(connection: Connection) -> list[object]:
    def ours(name: str | None, kind: str, _: object) -> bool:
        return kind != "table" or not (name or "").startswith("search")

    context = MigrationContext.configure(connection, opts={"include_name": ours})
    return list(compare_metadata(context, METADATA))


async def test_the_migrations_make_the_tables_that_the_queries_are_written_for(layer: DataLayer) -> None:
    async with layer.history.database.reading() as connection:
        assert await connection.run_sync(differences) == []
        assert await schema.revision_of(connection) == schema.newest_revision()


async def test_two_that_start_at_once_do_not_meet(new_layer: NewLayer) -> None:
    layers = [new_layer() for _ in range(4)]
    await asyncio.gather(*(layer.start() for layer in layers))
    thread_id = new_id()
    for layer in layers:
        await layer.create_step(step(thread_id, "x"))
    assert await texts(layers[0], thread_id) == ["x"] * 4


async def test_sqlite_waits_where_another_process_is_just_making_the_file(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "history.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        database = Database("", data_folder=tmp_path)
        preparing = asyncio.create_task(database.prepare())
        assert await asyncio.wait([preparing], timeout=0.3) == (set(), {preparing})
        other.execute("COMMIT")
        await preparing
    async with database.reading() as connection:
        assert (await connection.execute(text("PRAGMA journal_mode"))).scalar() == "wal"
    await database.close()


async def test_a_database_of_the_first_schema_is_brought_up_to_date(
    url: str, tmp_path: Path, new_layer: NewLayer
) -> None:
    old = Database(url, data_folder=tmp_path)
    async with old.writing() as connection:
        await schema.upgrade(connection, to="0001")
        for statement in (SAMPLES / "first_schema.sql").read_text("utf-8").split(";\n"):
            await connection.execute(text(statement))
    await old.close()
    layer = new_layer()
    await layer.start()
    user = await layer.get_user("alice")
    assert user
    assert await texts(layer, "t1") == ["Is it old?", "Yes, 很旧."]
    found = await layer.list_threads(Pagination(first=5), ThreadFilter(userId=user.id, search="很旧"))
    assert [thread["id"] for thread in found.data] == ["t1"]


async def test_a_later_schema_is_refused_and_left_alone(layer: DataLayer, new_layer: NewLayer) -> None:
    async with layer.history.database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(NewerSchema) as refused:
        await new_layer().start()
    assert "newer Thinkglass" in refused.value.user_message
    async with layer.history.database.reading() as connection:
        assert await schema.revision_of(connection) == "9999"


@pytest.mark.parametrize("version", ["documented", "with_later_columns"])
async def test_chainlits_documented_tables_are_taken_over(
    url: str, tmp_path: Path, new_layer: NewLayer, version: str
) -> None:
    old = Database(url, data_folder=tmp_path)
    files = [SAMPLES / f"chainlit_{version}.sql", SAMPLES / "chainlit_rows.sql"]
    async with old.writing() as connection:
        for statement in ";\n".join(file.read_text("utf-8") for file in files).split(";\n"):
            await connection.exec_driver_sql(statement)
    await old.close()
    layer = new_layer()
    await layer.start()
    await check_what_chainlit_had(layer)
    async with layer.history.database.reading() as connection:
        assert await connection.run_sync(differences) == []


async def check_what_chainlit_had(layer: DataLayer) -> None:
    user = await layer.get_user("alice")
    assert user
    assert user.metadata == {"provider": "credentials"}
    [listed] = (await layer.list_threads(Pagination(first=5), ThreadFilter(userId=user.id))).data
    thread = await layer.get_thread(listed["id"])
    assert thread
    assert (thread["name"], thread["metadata"], thread["userIdentifier"]) == (
        "Old chat",
        {"chat_profile": "Coder"},
        "alice",
    )
    assert [s["output"] for s in thread["steps"]] == ["Hi", "", "hm", "Hello 你好"]
    question, run, thinking, answer = thread["steps"]
    assert (question["type"], run["parentId"], answer["parentId"]) == ("user_message", question["id"], run["id"])
    assert (thinking["metadata"], thinking["showInput"], thinking["isError"]) == ({"icon": "brain"}, "json", False)
    assert answer["feedback"]["value"] == 1
    assert [(e["name"], e["page"]) for e in thread["elements"]] == [("report", 2)]
    [found] = (await layer.list_threads(Pagination(first=5), ThreadFilter(userId=user.id, search="你好"))).data
    assert found["id"] == listed["id"]
    await layer.update_step(answer | {"output": "changed", "autoCollapse": True})
    assert (await stored(layer, listed["id"]))[3]["autoCollapse"] is True


async def test_an_empty_address_is_a_private_file_in_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    history = History("", data_folder=folder)
    await history.start()
    await history.close()
    assert (folder / "history.db").is_file()
    assert [path.stat().st_mode & 0o077 for path in (folder, folder / "history.db")] == [0, 0]


@pytest.mark.parametrize("fault", ["no server", "no database", "no folder", "no permission", "no SQLite file"])
async def test_a_database_that_cannot_be_opened_is_said_plainly(
    postgres_server: Postgres, tmp_path: Path, fault: str
) -> None:
    (tmp_path / "file").write_text("this is no database " * 100, "utf-8")
    address = {
        "no server": f"postgresql://test@/test?host={tmp_path}",
        "no database": f"postgresql://test@/missing?host={postgres_server.folder}",
        "no permission": f"postgresql://stranger@/postgres?host={postgres_server.folder}",
        "no folder": f"sqlite:///{tmp_path}/file/below/history.db",
        "no SQLite file": f"sqlite:///{tmp_path}/file",
    }[fault]
    history = History(address, data_folder=tmp_path)
    with pytest.raises(Unreachable) as refused:
        await history.start()
    assert "DATABASE_URL" in refused.value.user_message
    await history.close()


@pytest.mark.parametrize("address", ["mysql://u@h/d", "nonsense", "sqlite://", "redis://h", "http://h/d"])
def test_a_database_that_we_cannot_use_is_named_plainly(address: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownDatabase) as refused:
        Database(address, data_folder=tmp_path)
    assert "DATABASE_URL" in refused.value.user_message


@pytest.mark.parametrize(
    "address",
    [
        "postgres://u:p@h:5/d",
        "postgresql://u:p@h:5/d?sslmode=require",
        "postgresql+asyncpg://u:p@h:5/d?channel_binding=x",
    ],
)
def test_addresses_as_hosts_hand_them_out_are_understood(address: str, tmp_path: Path) -> None:
    database = Database(address, data_folder=tmp_path)
    assert (database.url.drivername, database.url.password, database.is_sqlite) == ("postgresql+asyncpg", "p", False)
