"""Many chats that stream at once in one process of the app: how late tokens are, and whether memory stays flat.

A token is late by the time from the provider's writing of it to its receipt by the client of the socket. The clients
live in a process of their own.
"""

import asyncio
import contextlib
import multiprocessing
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from statistics import quantiles
from typing import Any, cast

from bench.page.apps import APPS, cpu_seconds, resident_mb, started
from bench.page.provider import STAMP, Job
from bench.page.table import head, row
from tests.e2e.chat_client import ChatClient
from tests.e2e.running_app import RunningApp

COLUMNS = (
    *("app", "tokens received", "latest while all stream", "99th percentile of all", "latest of all"),
    *("CPU of the app", "µs a token", "memory at the start, in the middle, at the end"),
)
CHATS = 200
JOB = Job(1_200, pace=30, stamps="each")
BEGINNING_S = 15.0
"""The chats begin one after the other, spread over so many seconds."""
GRACE_S = 20.0
CONNECTING_LIMIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many chats, what each asks for, and over how many seconds they begin."""

    url: str
    chats: int
    job: Job
    beginning_s: float


@dataclass(frozen=True, slots=True)
class Received:
    """Seconds that each token was late: all of them, and those written while every chat was streaming."""

    late: list[float]
    late_together: list[float]


class Listener(ChatClient):
    """Notes how late each token is as it comes."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.stamps: list[tuple[float, float]] = []
        self._socket.on("stream_start", lambda step: self._note(step["output"]))
        self._socket.on("stream_token", lambda token: self._note(token["token"]))
        self._socket.on("update_message", lambda step: self._note(step["output"]))

    def _note(self, text: str) -> None:
        """The tokens that have not come before: at its end a text is sent as a whole."""
        now, last = time.time(), self.stamps[-1][0] if self.stamps else 0.0
        written = (int(stamp) / 1e6 for stamp in STAMP.findall(text))
        self.stamps += [(moment, now - moment) for moment in written if moment > last]


def run(scale: float) -> None:
    job = Job(round(JOB.thinking * scale), pace=JOB.pace, stamps="each")
    head(f"{round(CHATS * scale)} chats, {JOB.pace:.0f} tokens a second each", *COLUMNS)
    for name in APPS:
        with started(name) as (_, app):
            _measure(name, app, Crowd(app.url, round(CHATS * scale), job, BEGINNING_S * scale))


def _measure(name: str, app: RunningApp, crowd: Crowd) -> None:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_be_crowd, args=(theirs, crowd), daemon=True)
    process.start()
    try:
        if not ours.poll(CONNECTING_LIMIT_S):
            raise TimeoutError("the chats did not connect")
        ours.recv()
        memory, cpu, began = [resident_mb(app)], cpu_seconds(app), time.monotonic()
        while not ours.poll(0.5):
            memory.append(resident_mb(app))
        cpu, seconds = cpu_seconds(app) - cpu, time.monotonic() - began
        received = cast("Received", ours.recv())
        _row(name, received, crowd=crowd, cpu=cpu, seconds=seconds, memory=memory)
    finally:
        process.terminate()
        process.join()


def _row(name: str, received: Received, *, crowd: Crowd, cpu: float, seconds: float, memory: list[float]) -> None:
    sent, late = crowd.chats * (crowd.job.thinking + crowd.job.answer), received.late
    row(
        *(name, f"{len(late):,} of {sent:,}", _ms(max(received.late_together, default=None))),
        *(_ms(quantiles(late, n=100)[-1]), _ms(max(late)), f"{cpu / seconds:.0%}", f"{cpu / len(late) * 1e6:.0f}"),
        ", ".join(f"{megabytes:.0f} MB" for megabytes in (memory[0], memory[len(memory) // 2], memory[-1])),
    )


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1e3:,.0f} ms"


def _be_crowd(pipe: "Connection[Any, Any]", crowd: Crowd) -> None:
    asyncio.run(_all_ask(pipe, crowd))


async def _all_ask(pipe: "Connection[Any, Any]", crowd: Crowd) -> None:
    listeners = [Listener(crowd.url) for _ in range(crowd.chats)]
    for listener in listeners:
        await listener.connect()
    pipe.send("connected")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(crowd.beginning_s + crowd.job.seconds + GRACE_S):
            pauses = (number * crowd.beginning_s / crowd.chats for number in range(crowd.chats))
            await asyncio.gather(*(_ask_after(*pair, crowd.job) for pair in zip(pauses, listeners, strict=True)))
    pipe.send(_received([listener.stamps for listener in listeners]))


async def _ask_after(pause: float, listener: Listener, job: Job) -> None:
    await asyncio.sleep(pause)
    await listener.send(job.question)
    await listener.idle.wait()


def _received(chats: list[list[tuple[float, float]]]) -> Received:
    every = [stamp for stamps in chats for stamp in stamps]
    together: list[float] = []
    if all(chats):
        begin, end = max(stamps[0][0] for stamps in chats), min(stamps[-1][0] for stamps in chats)
        together = [late for moment, late in every if begin <= moment <= end]
    return Received([late for _, late in every], together)
