import pytest
from sqlalchemy import select

from ui.auth.attempts import MOST_PER_ADDRESS, MOST_PER_NAME, WINDOW_S, attempt_as, attempt_from
from ui.data_layer.counts import Counts
from ui.data_layer.history import History
from ui.data_layer.tables import COUNTS


@pytest.fixture
def counts(history: History) -> Counts:
    return Counts(history.database)


async def test_only_so_many_attempts_are_let_through_for_an_address(counts: Counts) -> None:
    tries = [await attempt_from("192.0.2.1", counts) for _ in range(MOST_PER_ADDRESS + 2)]
    assert tries[:MOST_PER_ADDRESS] == [None] * MOST_PER_ADDRESS
    assert [0 < refused.wait_s <= WINDOW_S for refused in tries[MOST_PER_ADDRESS:] if refused] == [True, True]
    assert await attempt_from("192.0.2.2", counts) is None


async def test_only_so_many_attempts_are_let_through_for_a_name(counts: Counts) -> None:
    tries = [await attempt_as("ada", counts) is None for _ in range(MOST_PER_NAME + 2)]
    assert tries == [True] * MOST_PER_NAME + [False] * 2
    assert await attempt_as("bob", counts) is None


@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:3::1"),
        ("::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2"),
        ("", "", "a socket"),
    ],
)
async def test_whoever_has_many_addresses_of_one_network_counts_once(
    counts: Counts, address: str, same: str, other: str
) -> None:
    for _ in range(MOST_PER_ADDRESS):
        assert await attempt_from(address, counts) is None
    assert await attempt_from(same, counts) is not None
    assert await attempt_from(other, counts) is None


async def test_neither_an_address_nor_a_name_is_kept(counts: Counts, history: History) -> None:
    await attempt_from("192.0.2.1", counts)
    await attempt_as("ada\x00\ud800", counts)
    async with history.database.reading() as connection:
        kept = [tuple(row) for row in await connection.execute(select(COUNTS))]
    assert len(kept) == 2
    assert "192.0.2" not in str(kept)
    assert "ada" not in str(kept)
