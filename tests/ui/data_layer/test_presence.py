"""Who writes in a chat just now is known to all processes, for as long as the one that writes lives."""

import pytest
from sqlalchemy import text

from tests.ui.data_layer.conftest import NewLayer
from ui.data_layer.layer import DataLayer

THREAD, OTHER = "a thread", "another"


async def test_it_is_known_for_as_long_as_the_turn_runs(layer: DataLayer) -> None:
    async with layer.writing_in(THREAD):
        async with layer.writing_in(THREAD):
            assert await layer.is_written_in(THREAD)
        assert await layer.is_written_in(THREAD)
        assert not await layer.is_written_in(OTHER)
    assert not await layer.is_written_in(THREAD)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_other_processes_know_it_too(layer: DataLayer, new_layer: NewLayer) -> None:
    other = new_layer()
    async with layer.writing_in(THREAD):
        async with other.writing_in(THREAD):
            assert await other.is_written_in(THREAD)
        assert await other.is_written_in(THREAD)
        assert not await other.is_written_in(OTHER)
    assert not await other.is_written_in(THREAD)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_the_lock_goes_with_its_connection_and_the_next_turn_has_one_again(
    layer: DataLayer, new_layer: NewLayer
) -> None:
    other = new_layer()
    async with layer.writing_in(THREAD):
        await other.history.change(
            lambda connection: connection.execute(
                text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
            )
        )
        assert not await other.is_written_in(THREAD)
    async with layer.writing_in(OTHER):
        assert await other.is_written_in(OTHER)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_a_process_that_ends_writes_no_more(layer: DataLayer, new_layer: NewLayer) -> None:
    other = new_layer()
    async with layer.writing_in(THREAD):
        await layer.close()
        assert not await other.is_written_in(THREAD)
