"""Limits that hold for all processes on a database together, and for each one alone while the database is away."""

import asyncio
import contextlib
import logging
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from tests.ui.data_layer.conftest import NewLayer
from tests.ui.data_layer.holder import LEASE_S, PERSON, one_at_a_time
from tests.ui.data_layer.people import person, step, texts, thread_of
from tests.ui.data_layer.postgres import Postgres
from tests.ui.data_layer.test_processes import LIMIT_S, ROOT
from ui.data_layer.counts import PATIENCE_S, Counts
from ui.data_layer.layer import DataLayer
from ui.data_layer.own_counts import MOST_KEPT, Full, Limit, OwnCounts
from ui.data_layer.tables import COUNTS
from ui.quotas import TooManyRunning

THREE = Limit("tries", 3, 60)
TEN = Limit("tries", 10, 60)
SUM = Limit("tokens", 100, 60, is_taken=False)


def counts_of(layer: DataLayer) -> Counts:
    return Counts(layer.history.database)


async def taken(counts: Counts, *limits: Limit, whose: str = "ada", count_id: str = "") -> bool:
    return await counts.take(whose, limits, count_id=count_id or str(time.monotonic_ns())) is None


async def rows(layer: DataLayer) -> int:
    async with layer.history.database.reading() as connection:
        return int((await connection.execute(select(func.count()).select_from(COUNTS))).scalar_one())


async def let_pass(layer: DataLayer, seconds: float) -> None:
    """As if so much time had passed for all that is counted."""
    async with layer.history.database.writing() as connection:
        await connection.execute(update(COUNTS).values(until=COUNTS.c.until - int(seconds * 1000)))


async def test_each_counts_for_itself_and_for_its_time(layer: DataLayer) -> None:
    counts = counts_of(layer)
    assert [await taken(counts, THREE) for _ in range(5)] == [True, True, True, False, False]
    assert await taken(counts, THREE, whose="bob")
    full = await counts.take("ada", [THREE], count_id="x")
    assert full
    assert (full.limit, 50 < full.wait_s <= 60) == (THREE, True)
    await let_pass(layer, 60)
    assert [await taken(counts, THREE) for _ in range(4)] == [True, True, True, False]


async def test_where_one_limit_is_full_nothing_is_counted_under_the_others(layer: DataLayer) -> None:
    counts, other = counts_of(layer), Limit("other", 1, 60)
    assert await taken(counts, other)
    before = await rows(layer)
    assert not await taken(counts, THREE, other)
    assert await rows(layer) == before


async def test_amounts_add_up_under_an_id_and_over_ids(layer: DataLayer) -> None:
    counts = counts_of(layer)
    for amount, count_id in ((30, "today"), (30, "today"), (39, "else")):
        await counts.add("ada", SUM, amount, count_id=count_id)
        assert await taken(counts, SUM)
    await counts.add("ada", SUM, 1, count_id="today")
    assert await counts.take("ada", [SUM], count_id="x") is not None
    assert await rows(layer) == 2


async def test_thirty_at_once_from_five_processes_do_not_slip_through_a_limit_of_ten(
    layer: DataLayer, new_layer: NewLayer
) -> None:
    shared = [counts_of(layer), *(counts_of(new_layer()) for _ in range(4))]
    tries = [taken(counts, TEN, whose=who) for counts in shared for who in ("ada", "bob") for _ in range(6)]
    assert sum(await asyncio.gather(*tries)) == 20
    assert await rows(layer) == 20


async def test_what_is_over_is_removed_as_others_come(layer: DataLayer) -> None:
    counts = counts_of(layer)
    for number in range(30):
        assert await taken(counts, THREE, whose=f"person {number}")
    await let_pass(layer, 60)
    assert await taken(counts_of(layer), THREE), "a process tidies with its first count, and then now and then"
    assert await rows(layer) == 1


async def test_what_is_renewed_goes_on_counting_and_what_is_given_back_does_not(layer: DataLayer) -> None:
    counts, one = counts_of(layer), Limit("running", 1, 60)
    assert await taken(counts, one, count_id="turn")
    await let_pass(layer, 59)
    await counts.renew(one, ["turn"])
    await let_pass(layer, 59)
    assert not await taken(counts, one)
    await counts.give_back("ada", one.kind, count_id="turn")
    assert await taken(counts, one)


async def test_a_killed_processs_turn_stops_counting_after_its_lease(
    url: str, tmp_path: Path, layer: DataLayer
) -> None:
    quotas = one_at_a_time(layer.history.database)

    async def let_in() -> None:
        for _ in range(10 * LIMIT_S):
            with contextlib.suppress(TooManyRunning):
                async with quotas.turn(PERSON, "hello"):
                    return
            await asyncio.sleep(0.1)

    command = (sys.executable, "-m", "tests.ui.data_layer.holder", url, str(tmp_path))
    holder = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    assert holder.stdout
    assert await asyncio.wait_for(holder.stdout.readline(), LIMIT_S) == b"running\n"
    try:
        with pytest.raises(TimeoutError):  # it is renewed for as long as its process lives
            await asyncio.wait_for(let_in(), 1.3 * LEASE_S)
    finally:
        holder.send_signal(signal.SIGKILL)
        await holder.wait()
    await asyncio.wait_for(let_in(), LIMIT_S)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_a_process_counts_alone_while_the_database_is_away(
    layer: DataLayer, postgres_server: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    counts = counts_of(layer)
    assert await taken(counts, THREE)
    await asyncio.to_thread(postgres_server.control, "-m", "fast", "stop")
    try:
        with caplog.at_level(logging.WARNING):
            assert [await taken(counts, THREE) for _ in range(5)] == [True, True, True, False, False]
            await counts.add("ada", SUM, 100, count_id="today")
            assert not await taken(counts, SUM)
            await counts.renew(THREE, ["x"])
            await counts.give_back("ada", SUM.kind, count_id="today")
            assert await taken(counts, SUM)
    finally:
        await asyncio.to_thread(postgres_server.control, "start")
    assert "counts alone" in caplog.text
    assert "ada" not in caplog.text
    assert [await taken(counts, THREE) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_a_file_that_another_process_has_locked_is_not_waited_for_long(layer: DataLayer, tmp_path: Path) -> None:
    counts = counts_of(layer)
    with contextlib.closing(sqlite3.connect(tmp_path / "history.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        assert [await taken(counts, Limit("tries", 1, 60)) for _ in range(2)] == [True, False]
        assert time.monotonic() - began < 2 * PATIENCE_S + 5
        other.execute("ROLLBACK")
    thread_id = await thread_of(layer, await person(layer))
    await layer.create_step(step(thread_id, "written"))
    assert await texts(layer, thread_id) == ["written"]
    assert [await taken(counts, THREE) for _ in range(4)] == [True, True, True, False]


def test_a_process_alone_forgets_who_was_idle_longest() -> None:
    counts, one = OwnCounts(), Limit("tries", 2, 60)
    mine = [counts.take("ada", [one], count_id="1"), counts.take("ada", [one], count_id="2")]
    for number in range(3 * MOST_KEPT):
        counts.take(f"person {number}", [one], count_id="1")
        if number % 100 == 0:
            mine.append(counts.take("ada", [one], count_id="3"))
    assert mine[:2] == [None, None]
    assert all(isinstance(full, Full) for full in mine[2:])
    assert counts.take("person 0", [Limit("tries", 1, 60)], count_id="2") is None
