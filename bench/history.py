"""What it costs to keep chats: `python -m bench.history`. Ours and Chainlit's own SQLAlchemy layer, in one run.

Both on SQLite on this disk, Chainlit's on its documented schema completed by the columns that 2.12.0 writes. A turn is
what the page shows: a question, a run, a thinking step that is saved every two seconds, a tool step and an answer.
"""

import asyncio
import json
import os
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from chainlit.context import init_http_context
from chainlit.data.base import BaseDataLayer
from chainlit.data.sql_alchemy import SQLAlchemyDataLayer
from chainlit.types import Pagination, ThreadFilter
from chainlit.user import User
from sqlalchemy import text

from tests.ui.data_layer.many_threads import add_many_threads
from tests.ui.data_layer.people import step
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.places import files_folder
from ui.data_layer.storage import LocalFiles

SAMPLES = Path("tests/ui/data_layer/samples")
TURNS, THREADS, STEPS_EACH, CHAINLITS_THREADS, LONG_THREAD = 200, 10_000, 200, 300, 1_000
THINKING = "I should look at this from several sides. " * 25
ANSWER = "The answer has some length, as answers do. " * 40
PARTS = 10


class Meter:
    """Processor time and bytes handed to the disk by this process, threads of the database included."""

    def __init__(self) -> None:
        self._cpu, self._bytes, self._clock = time.process_time(), written(), time.perf_counter()

    def per(self, count: int) -> str:
        cpu, size = time.process_time() - self._cpu, written() - self._bytes
        wall = time.perf_counter() - self._clock
        return (
            f"{cpu / count * 1000:7.2f} ms CPU  {size / count / 1024:7.1f} KiB written  {wall / count * 1000:7.2f} ms"
        )


def written() -> int:
    """Bytes given to write calls so far (proc(5), `wchar` of io): the same whether or not the disk has them yet."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text("ascii").splitlines())
    return int(fields["wchar"])


async def turn(layer: BaseDataLayer, thread_id: str) -> None:
    """The writes of one turn, in the order and with the overlaps that Chainlit gives them."""
    question = step(thread_id, "What is the answer?", type="user_message")
    run = step(thread_id, type="run", parentId=question["id"], end=None)
    thinking = step(thread_id, type="tool", parentId=run["id"], end=None)
    tool = step(thread_id, type="tool", parentId=run["id"], metadata={"icon": "cloud-sun"}, showInput="json")
    writes = [layer.create_step(dict(part)) for part in (question, run, thinking)]
    for part in range(1, PARTS + 1):
        writes.append(layer.update_step(thinking | {"output": THINKING * part, "streaming": part < PARTS}))
    writes += [layer.create_step(dict(tool)), layer.update_step(tool | {"output": "18 degrees, light rain"})]
    writes += [layer.create_step(step(thread_id, ANSWER, parentId=run["id"])), layer.update_step(dict(run))]
    for write in writes:
        await write


async def turns(layer: BaseDataLayer, user_id: str, *, together: int) -> str:
    thread_ids = [str(uuid.uuid4()) for _ in range(together)]
    for thread_id in thread_ids:
        await layer.update_thread(thread_id, name="Bench", user_id=user_id)
    meter = Meter()
    for _ in range(TURNS // together):
        await asyncio.gather(*(turn(layer, thread_id) for thread_id in thread_ids))
    if isinstance(layer, DataLayer):
        await layer.flush()
    return meter.per(TURNS)


async def best_of(count: int, what: Callable[[], Awaitable[Any]]) -> tuple[float, int]:
    """Milliseconds of the quickest call, and the bytes of its answer as the browser gets it."""
    best, answer = float("inf"), None
    for _ in range(count):
        start = time.perf_counter()
        answer = await what()
        best = min(best, time.perf_counter() - start)
    body = answer.to_dict() if hasattr(answer, "to_dict") else answer
    return best * 1000, len(json.dumps(body, ensure_ascii=False).encode())


async def sidebar(layer: BaseDataLayer, user_id: str) -> str:
    wanted = ThreadFilter(userId=user_id)
    best, size = await best_of(3, lambda: layer.list_threads(Pagination(first=35), wanted))
    return f"{best:9.1f} ms  {size / 1024:9.1f} KiB"


async def resume(layer: BaseDataLayer, user_id: str) -> str:
    thread_id = str(uuid.uuid4())
    await layer.update_thread(thread_id, name="Long", user_id=user_id)
    for number in range(LONG_THREAD):
        await layer.create_step(step(thread_id, f"{number} {ANSWER}"))
    best, size = await best_of(5, lambda: layer.get_thread(thread_id))
    return f"{best:9.1f} ms  {size / 1024:9.1f} KiB"


async def measure(name: str, layer: BaseDataLayer, add_threads: Callable[[str], Awaitable[str]]) -> None:
    user: Any = await layer.create_user(User(identifier="bench"))
    say(name, "a turn, one at a time", await turns(layer, user.id, together=1))
    say(name, "a turn, 20 people at once", await turns(layer, user.id, together=20))
    say(name, f"resume of {LONG_THREAD:,} steps", await resume(layer, user.id))
    amount = await add_threads(user.id)
    say(name, f"sidebar of {amount}", await sidebar(layer, user.id))
    await layer.close()


async def ours(folder: Path) -> None:
    history = History("", data_folder=folder)
    layer = DataLayer(history, LocalFiles(files_folder(folder)))
    await layer.start()

    async def add_threads(user_id: str) -> str:
        await add_many_threads(history.database, user_id, threads=THREADS, steps_each=STEPS_EACH)
        found = ThreadFilter(userId=user_id, search="number 7777")
        best, _ = await best_of(3, lambda: layer.list_threads(Pagination(first=20), found))
        say("Thinkglass", "search of them", f"{best:9.1f} ms")
        return f"{THREADS:,} threads of {STEPS_EACH} steps"

    await measure("Thinkglass", layer, add_threads)


async def chainlits(folder: Path) -> None:
    layer = SQLAlchemyDataLayer(f"sqlite+aiosqlite:///{folder}/chainlit.db", storage_provider=None)
    async with layer.engine.begin() as connection:
        for statement in (SAMPLES / "chainlit_with_later_columns.sql").read_text("utf-8").split(";\n"):
            await connection.execute(text(statement))

    async def add_threads(user_id: str) -> str:
        for number in range(CHAINLITS_THREADS):
            thread_id = str(uuid.uuid4())
            await layer.update_thread(thread_id, name=f"Thread {number}", user_id=user_id)
            await turn(layer, thread_id)
        return f"{CHAINLITS_THREADS} threads of one turn"

    await measure("Chainlit", layer, add_threads)


def say(name: str, what: str, figures: str) -> None:
    print(f"{name:10}  {what:40}  {figures}", flush=True)  # noqa: T201


async def main() -> None:
    init_http_context()  # Chainlit's layer writes only inside a session
    with tempfile.TemporaryDirectory(dir=os.curdir) as folder:
        await ours(Path(folder))
        await chainlits(Path(folder))


if __name__ == "__main__":
    asyncio.run(main())
