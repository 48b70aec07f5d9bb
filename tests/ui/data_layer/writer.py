"""A process that writes until it is killed: `python -m tests.ui.data_layer.writer URL FOLDER THREAD`.

It prints the number of the step it has flushed last; a step's text holds its number.
"""

import asyncio
import sys
from pathlib import Path

from ui.data_layer.history import History

TOGETHER = 20


async def write(url: str, folder: str, thread_id: str) -> None:
    history = History(url, data_folder=Path(folder))
    await history.start()
    number = 0
    while True:
        steps = [{"id": f"{thread_id}-{n}", "threadId": thread_id} for n in range(number, number + TOGETHER)]
        writes = [history.write(history.step_write(step | {"output": ""})) for step in steps]
        for n, step in enumerate(steps, number):
            writes.append(history.write(history.step_write(step | {"output": str(n)})))
        await asyncio.gather(*writes)
        await history.flush()
        number += TOGETHER
        print(number - 1, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(write(*sys.argv[1:]))
