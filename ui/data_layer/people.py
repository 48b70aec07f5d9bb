"""Everything that is kept for one person: to take along, to put back, to erase. Knows no Chainlit and no settings.

An export is a zip: `history.jsonl` with a head and one row of a table in each line, and `files/` with the files of
elements.
"""

import json
import shutil
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from sqlalchemy import Table, delete, insert, select
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer import reads, search, writes
from ui.data_layer.errors import BrokenExport
from ui.data_layer.file_folder import object_key
from ui.data_layer.file_store import FileStore
from ui.data_layer.history import History
from ui.data_layer.order import moment
from ui.data_layer.rows import Row
from ui.data_layer.tables import ELEMENTS, FEEDBACKS, STEPS, THREADS, USERS

FORMAT = 1
_REFUSED = (DataError, IntegrityError, InterfaceError, ProgrammingError)
_LINES = "history.jsonl"
_BY_THREAD = {"steps": STEPS, "elements": ELEMENTS, "feedbacks": FEEDBACKS}
_OF_THIS_DATABASE = {"seq", "indexed"}


async def export_person(history: History, files: FileStore, identifier: str, *, target: Path) -> int:
    """Write all that is kept for a person into a new zip; returns the number of threads. Raises LookupError."""
    user = await _user(history, identifier)
    thread_ids = await history.read(partial(reads.threads_of, user_id=user["id"]))
    names: dict[str, str] = {}
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        with archive.open(_LINES, "w", force_zip64=True) as lines:
            _write_line(lines, {"thinkglass": FORMAT, "user": user})
            async for line in _all_lines(history, thread_ids):
                _write_line(lines, line | _file_of(line["row"], files, names))
        for key, name in names.items():
            with files.open(key) as source, archive.open(name, "w", force_zip64=True) as copy:
                shutil.copyfileobj(source, copy)
    return len(thread_ids)


async def import_person(history: History, files: FileStore, identifier: str, *, source: Path) -> int:
    """Give a person what an export holds; threads that are there already are left as they are.

    Returns the number of threads added. Raises `BrokenExport`.
    """
    try:
        with ZipFile(source) as archive, archive.open(_LINES) as lines:
            head = json.loads(lines.readline())
            if head["thinkglass"] != FORMAT:
                raise BrokenExport(f"format {head['thinkglass']} is not known here")
            user_id = await _user_id(history, identifier, head["user"])
            added = 0
            for thread in _threads(lines):
                added += await _add_thread(history, files, user_id=user_id, thread=thread, archive=archive)
            return added
    except (BadZipFile, KeyError, ValueError, TypeError, *_REFUSED) as error:
        raise BrokenExport(f"{type(error).__name__}: {error}") from error


async def erase_person(
    history: History, files: FileStore, identifier: str, *, forget_chat: Callable[[str], None]
) -> int:
    """Delete a person with all threads and files, so that nothing can be read from the disk any more.

    Returns the number of threads. Raises LookupError where nobody has that name.
    """
    user = await _user(history, identifier)
    thread_ids = await history.read(partial(reads.threads_of, user_id=user["id"]))
    for thread_id in thread_ids:
        forget_chat(thread_id)
        for key in await history.delete_thread(thread_id):
            files.delete(key)
            await history.change(partial(writes.file_is_gone, keys=[key]))
    await history.change(partial(_delete_user, user_id=user["id"]))
    files.delete_all_of(user["id"])
    await history.change(search.tidy)
    await history.flush()
    await history.database.wipe_traces()
    return len(thread_ids)


async def _user(history: History, identifier: str) -> Row:
    user = await history.read(partial(reads.user_by_identifier, identifier=identifier))
    if user is None:
        raise LookupError(identifier)
    return user


async def _user_id(history: History, identifier: str, exported: Row) -> str:
    created = exported.get("createdAt") or moment(history.number())
    metadata = json.dumps(exported.get("metadata") or {})
    row = {"id": exported["id"], "identifier": identifier, "createdAt": created, "metadata": metadata}
    return str(await history.change(partial(_find_or_add_user, user=row)))


async def _find_or_add_user(connection: AsyncConnection, user: Row) -> str:
    existing = await reads.user_by_identifier(connection, user["identifier"])
    if existing is None:
        is_taken = (await connection.execute(select(USERS.c.id).where(USERS.c.id == user["id"]))).first()
        existing = user | ({"id": str(uuid.uuid4())} if is_taken else {})
        await writes.write_user(connection, existing)
    return str(existing["id"])


async def _delete_user(connection: AsyncConnection, user_id: str) -> None:
    await connection.execute(delete(USERS).where(USERS.c.id == user_id))


def _file_of(row: Row, files: FileStore, names: dict[str, str]) -> dict[str, str]:
    key = row.get("objectKey")
    if key is None or not files.has(key):
        return {}
    return {"file": names.setdefault(key, f"files/{len(names) + 1}")}


async def _all_lines(history: History, thread_ids: Sequence[str]) -> AsyncIterator[Row]:
    for thread_id in thread_ids:
        for line in await history.read(partial(_thread_lines, thread_id=thread_id)):
            yield line


async def _thread_lines(connection: AsyncConnection, thread_id: str) -> list[Row]:
    lines = await _table_lines(connection, THREADS, THREADS.c.id == thread_id)
    for table in _BY_THREAD.values():
        lines += await _table_lines(connection, table, table.c.threadId == thread_id)
    return lines


async def _table_lines(connection: AsyncConnection, table: Table, which: Any) -> list[Row]:
    columns = [column for column in table.columns if column.name not in _OF_THIS_DATABASE]
    order = table.c.position if "position" in table.c else table.c.id
    rows = (await connection.execute(select(*columns).where(which).order_by(order))).mappings()
    return [{"table": table.name, "row": dict(row)} for row in rows]


def _write_line(lines: Any, line: Row) -> None:
    lines.write(json.dumps(line).encode() + b"\n")


def _threads(lines: Any) -> Iterator[list[Row]]:
    """The lines of one thread after the other; each begins with the thread's own."""
    thread: list[Row] = []
    for text in lines:
        line = json.loads(text)
        if line["table"] == "threads" and thread:
            yield thread
            thread = []
        thread.append(line)
    if thread:
        yield thread


async def _add_thread(history: History, files: FileStore, *, user_id: str, thread: list[Row], archive: ZipFile) -> bool:
    added: bool = await history.change(partial(_insert_thread, user_id=user_id, thread=thread))
    try:
        for line in thread if added else []:
            if "file" in line:
                _keep_file(files, line["row"]["objectKey"], source=archive, name=line["file"])
    except OSError:
        await history.delete_thread(thread[0]["row"]["id"])  # so that another try is not told that it is there already
        raise
    return added


def _keep_file(files: FileStore, key: str, *, source: ZipFile, name: str) -> None:
    with source.open(name) as content:
        files.copy_in(key, cast(BinaryIO, content))


async def _insert_thread(connection: AsyncConnection, user_id: str, thread: list[Row]) -> bool:
    head, *lines = thread
    thread_id = head["row"]["id"]
    row = _known(THREADS, head["row"]) | {"userId": user_id}
    new = writes.upsert(connection, THREADS).values(row).on_conflict_do_nothing().returning(THREADS.c.id)
    if (await connection.execute(new)).first() is None:
        return False
    for line in lines:
        table, row = _BY_THREAD[line["table"]], line["row"]
        if row["threadId"] != thread_id:
            raise BrokenExport("a row belongs to another thread")
        if table is STEPS:
            row["indexed"] = not row.get("output")
        if row.get("objectKey"):
            row["objectKey"] = object_key(user_id, row["threadId"], row["id"])
        await connection.execute(insert(table).values(_known(table, row)))
    return True


def _known(table: Table, row: Row) -> Row:
    """The row without columns that only another version knows."""
    return {name: value for name, value in row.items() if name in table.c}
