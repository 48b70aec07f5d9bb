"""A process that takes a turn and holds it until it is killed: `python -m tests.ui.data_layer.holder URL FOLDER`.

It prints a line when it has the turn; its lease is `LEASE_S`, and one turn may run at a time.
"""

import asyncio
import sys
from pathlib import Path

from ui.data_layer.database import Database
from ui.quotas import Quotas

LEASE_S = 4.0
PERSON = "ada"


def one_at_a_time(database: Database) -> Quotas:
    limits = {"max_running_turns": 1, "max_messages_per_minute": 0, "max_tokens_per_day": 0}
    return Quotas(database, **limits, lease_s=LEASE_S)


async def hold(url: str, folder: str) -> None:
    async with one_at_a_time(Database(url, data_folder=Path(folder))).turn(PERSON, "hello"):
        print("running", flush=True)  # noqa: T201
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(hold(*sys.argv[1:]))
