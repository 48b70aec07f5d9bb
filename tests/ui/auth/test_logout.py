"""Logins that ended: known to all processes and after a restart, also if the database was away at that moment."""

import logging
from pathlib import Path

import pytest
from sqlalchemy import select, update

from ui.auth.logout import EndedLogins
from ui.data_layer.history import History
from ui.data_layer.tables import ENDED_LOGINS


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Not opened yet: there are no tables."""
    return History("", data_folder=tmp_path)


async def kept(history: History) -> list[str]:
    async with history.database.reading() as connection:
        return list((await connection.execute(select(ENDED_LOGINS.c.mark))).scalars())


async def test_what_ended_here_is_known_elsewhere_with_the_next_look_and_after_a_restart(history: History) -> None:
    await history.start()
    here, there = EndedLogins(history.database), EndedLogins(history.database)
    for number in range(3):
        token = f"token {number}"
        await there.look()
        assert not there.has(token)
        await here.end(token)
        assert here.has(token)
        await there.look()
        assert there.has(token)
    restarted = EndedLogins(history.database)
    await restarted.look()
    assert [restarted.has(f"token {number}") for number in range(4)] == [True, True, True, False]
    assert "token" not in str(await kept(history))
    await history.close()


async def test_two_that_end_one_login_do_not_meet(history: History) -> None:
    await history.start()
    for process in (EndedLogins(history.database), EndedLogins(history.database)):
        await process.end("token")
    assert len(await kept(history)) == 1
    await history.close()


async def test_what_ended_while_the_database_was_away_is_told_later(
    history: History, caplog: pytest.LogCaptureFixture
) -> None:
    here, there = EndedLogins(history.database), EndedLogins(history.database)
    with caplog.at_level(logging.WARNING):
        await here.end("token")
        await here.look()
    assert here.has("token")
    assert [record.levelname for record in caplog.records] == ["WARNING"], "said once, not with every look"
    await history.start()
    await here.look()
    await there.look()
    assert there.has("token")
    await history.close()


async def test_what_would_have_ended_of_itself_is_forgotten(history: History) -> None:
    await history.start()
    ended = EndedLogins(history.database)
    await ended.end("old")
    async with history.database.writing() as connection:
        await connection.execute(update(ENDED_LOGINS).values(until=1000))
    await ended.end("new")
    assert len(await kept(history)) == 1
    await history.close()
