"""CPU time of the server for each token, from the provider's wire to the browser's socket.

What a turn costs whatever its length (measured on turns of one token) is taken off.
"""

import asyncio

from bench.page.apps import APPS, cpu_seconds, started
from bench.page.provider import Job, Provider
from bench.page.table import head, row
from tests.e2e.chat_client import ChatClient, chatting
from tests.e2e.running_app import RunningApp

PACES = {
    "full speed": Job(20_000),
    "1,000 a second": Job(5_000, pace=1_000),
    "200 a second": Job(2_000, pace=200),
    "100 a second": Job(1_000, pace=100),
}
COLUMNS = ("tokens", "app", "pace reached", "µs a token", "emits for 1,000", "ms a turn of one token")
SHORT_TURNS = 10
LIMIT_S = 300


def run(scale: float) -> None:
    head("CPU of the server for each token", *COLUMNS)
    for name in APPS:
        asyncio.run(_measure(name, scale))


async def _measure(name: str, scale: float) -> None:
    with started(name) as (provider, app):
        async with chatting(app.url) as chat:
            await _turn(app, chat, Job(1))
            provider.streamed()
            fixed = sum([await _short(app, chat, provider) for _ in range(SHORT_TURNS)]) / SHORT_TURNS
            for pace, whole in PACES.items():
                job = Job(round(whole.thinking * scale), pace=whole.pace)
                emits = chat.page.emits
                seconds = await _turn(app, chat, job) - fixed
                emits, tokens = chat.page.emits - emits, job.thinking
                row(
                    *(pace, name, f"{provider.streamed().pace:,.0f}", f"{seconds / tokens * 1e6:.0f}"),
                    *(f"{emits * 1000 / tokens:.1f}", f"{fixed * 1e3:.0f}"),
                )


async def _short(app: RunningApp, chat: ChatClient, provider: Provider) -> float:
    seconds = await _turn(app, chat, Job(1))
    provider.streamed()
    return seconds


async def _turn(app: RunningApp, chat: ChatClient, job: Job) -> float:
    """CPU seconds of one turn."""
    before = cpu_seconds(app)
    await chat.ask(job.question, limit=LIMIT_S)
    return cpu_seconds(app) - before
