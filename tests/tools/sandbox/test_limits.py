"""Time, places and idleness: short limits, one sandbox for each test. And the server stays awake meanwhile."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
import pytest_asyncio

from tests.tools.sandbox.conftest import LIMITS, confined_processes, new_chat, ready_sandbox, until
from tools.sandbox import PythonSession, Sandbox, SandboxLimits
from tools.sandbox.confinement import Mode
from tools.sandbox.outcome import ANEW, BUSY, GONE, KEPT
from tools.sandbox.slots import Busy, Slots

Open: TypeAlias = Callable[[SandboxLimits], Awaitable[Sandbox]]

pytestmark = pytest.mark.alone


@pytest_asyncio.fixture(params=["bubblewrap", "landlock"])
async def opened(request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    boxes: list[Sandbox] = []
    mode: Mode = request.param

    async def open_sandbox(limits: SandboxLimits) -> Sandbox:
        boxes.append(await ready_sandbox(mode, limits))
        return boxes[-1]

    yield open_sandbox
    for box in boxes:
        await box.close()


async def test_code_that_takes_too_long_is_stopped_and_keeps_its_variables_where_it_can(
    opened: Open, chats: Path
) -> None:
    session = (await opened(replace(LIMITS, seconds=1))).session(new_chat(chats))
    await session.run("kept = 1")
    gentle = await session.run("print('no line end', end='')\nwhile True: pass")
    assert gentle.printed == "no line end"
    assert gentle.error == f"The code was stopped, because it took longer than 1 s. Do less at once. {KEPT}"
    assert (await session.run("kept")).value == "1"
    stubborn = await session.run("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass")
    assert GONE in (stubborn.error or "")
    after = await session.run("2")
    assert (after.value, after.notices) == ("2", ())  # it was told already


async def test_who_is_idle_ends_and_is_told_at_the_next_call(opened: Open, chats: Path) -> None:
    session = (await opened(replace(LIMITS, idle_s=0.2))).session(new_chat(chats))
    others = confined_processes()
    await session.run("x = 1")
    await until(lambda: not confined_processes() - others, within_s=20)
    outcome = await session.run("x")
    assert outcome.notices == (ANEW,)


async def test_a_place_is_taken_from_the_chat_that_rested_longest(opened: Open, chats: Path) -> None:
    box = await opened(replace(LIMITS, max_live=2))
    first, second, third = (box.session(new_chat(chats)) for _ in range(3))
    for session in (first, second, third):
        assert (await session.run("x = 1")).error is None
    assert (await second.run("x")).value == "1"
    assert (await first.run("1")).notices == (ANEW,)


async def test_busy_is_said_when_every_place_computes(opened: Open, chats: Path) -> None:
    box = await opened(replace(LIMITS, max_live=1, queue_s=0.3))
    folder = new_chat(chats)
    computing = asyncio.create_task(box.session(folder).run("open('started', 'w').close()\nwhile True: pass"))
    await until((folder / "started").exists, within_s=20)
    other = box.session(new_chat(chats))
    assert (await other.run("1")).error == BUSY
    computing.cancel()
    await asyncio.wait({computing})
    assert (await other.run("1")).value == "1"


async def test_calls_of_one_chat_wait_for_each_other(opened: Open, chats: Path) -> None:
    session = (await opened(LIMITS)).session(new_chat(chats))
    await session.run("order = []")
    calls = [session.run(f"import time; time.sleep(0.01); order.append({number})") for number in range(5)]
    await asyncio.gather(*calls)
    assert (await session.run("order")).value == "[0, 1, 2, 3, 4]"


async def test_a_server_that_holds_many_files_open_hands_none_of_them_on(opened: Open, chats: Path) -> None:
    box = await opened(LIMITS)
    with contextlib.ExitStack() as held:
        for _ in range(100):
            held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        outcome = await box.session(new_chat(chats)).run(f"import os\n{OPEN_FILES_BEYOND_OURS}")
    assert (outcome.error, outcome.value) == (None, "2")


OPEN_FILES_BEYOND_OURS = """def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
sum(map(is_open, range(64, 2000)))"""
"""Those of the channel to the server are 2."""


async def test_eight_chats_that_compute_leave_the_server_awake(opened: Open, chats: Path) -> None:
    box = await opened(replace(LIMITS, max_live=8))
    sessions = [box.session(new_chat(chats)) for _ in range(8)]
    burning = "import time\nuntil = time.time() + 2\nwhile time.time() < until: sum(range(10_000))"
    calls = asyncio.gather(*(session.run(burning) for session in sessions))
    lags = await lags_until(calls)
    assert [outcome.error for outcome in await calls] == [None] * 8
    assert sorted(lags)[len(lags) // 2] < 0.05
    assert max(lags) < 1.5


async def lags_until(done: asyncio.Future[list[object]]) -> list[float]:
    """By how many seconds the event loop is late, each 20 ms until something is done."""
    lags = []
    while not done.done():
        asleep_at = time.monotonic()
        await asyncio.sleep(0.02)
        lags.append(time.monotonic() - asleep_at - 0.02)
    return lags


async def test_a_later_call_costs_little_over_its_code(opened: Open, chats: Path) -> None:
    session = (await opened(LIMITS)).session(new_chat(chats))
    await session.run("import numpy, pandas")
    assert min([await seconds_of(session) for _ in range(10)]) < 0.02


async def seconds_of(session: PythonSession) -> float:
    began_at = time.monotonic()
    await session.run("1")
    return time.monotonic() - began_at


async def test_a_place_that_is_given_back_goes_to_who_waits() -> None:
    slots = Slots(1, patience_s=5)
    await slots.take()
    waiting = asyncio.create_task(slots.take())
    await asyncio.sleep(0)
    slots.give_back("first")
    await waiting
    with pytest.raises(Busy):
        await Slots(0, patience_s=0).take()


async def test_who_leaves_the_queue_takes_no_place_with_it() -> None:
    slots = Slots(1, patience_s=5)
    await slots.take()
    leaving, staying = asyncio.create_task(slots.take()), asyncio.create_task(slots.take())
    await asyncio.sleep(0)
    slots.give_back("first")
    leaving.cancel()
    await asyncio.wait_for(staying, 1)
