"""What a token costs the server on its way from the provider's wire to the browser's socket: `python -m bench.page`.

The real app and the usual way (`stock_app.py`), one after the other in one run, against a provider on this machine.
What a turn costs whatever its length (measured on turns of one token) is taken off. `python -m bench.page crowd` has
200 chats stream at once instead.
"""

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.e2e.chat_client import ChatClient, chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer

PACES = {
    "full speed": (20_000, 0.0),
    "1,000 a second": (5_000, 0.001),
    "200 a second": (2_000, 0.005),
    "100 a second": (1_000, 0.01),
}
SHORT_TURNS = 10
CHATS, TOKENS_EACH, SECONDS_BETWEEN = 200, 300, 1 / 30


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def cpu_seconds(app: RunningApp) -> float:
    """User and system time of the app's process so far (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{app.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(app: RunningApp) -> float:
    """Resident memory of the app's process (proc(5), second field of statm)."""
    pages = int(Path(f"/proc/{app.process.pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def reply(tokens: int, pause: float) -> Reply:
    return stream("Thought: Done.\nAnswer: Done.", thinking="tok " * tokens, size=4, pause=pause)


async def turn(app: RunningApp, chat: ChatClient, provider: ProviderServer, answer: Reply) -> float:
    """CPU seconds of one turn."""
    provider.add(answer)
    before = cpu_seconds(app)
    await chat.ask("Go", limit=300)
    return cpu_seconds(app) - before


@contextlib.contextmanager
def started(app_file: str) -> Iterator[tuple[ProviderServer, RunningApp]]:
    with (
        ProviderServer() as provider,
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder), app=app_file, LLM_API_BASE=provider.api_base, LLM_MODEL="deepseek-flash") as app,
    ):
        yield provider, app


async def measure(name: str, app_file: str) -> None:
    with started(app_file) as (provider, app):
        async with chatting(app.url) as chat:
            await turn(app, chat, provider, reply(1, 0.0))
            short = [await turn(app, chat, provider, reply(1, 0.0)) for _ in range(SHORT_TURNS)]
            fixed = sum(short) / len(short)
            say(f"{name:10} a turn of one token: {fixed * 1e3:.0f} ms")
            for pace, (tokens, pause) in PACES.items():
                emits = chat.page.emits
                seconds = await turn(app, chat, provider, reply(tokens, pause)) - fixed
                per_thousand = (chat.page.emits - emits) * 1000 / tokens
                say(
                    f"{name:10} {pace:15} {seconds / tokens * 1e6:6.0f} µs a token, {per_thousand:6.1f} emits per 1,000"
                )


async def crowd() -> None:
    """Many chats at once, each at a usual pace: how late the slowest is, and what that costs."""
    with started("app.py") as (provider, app):
        provider.reset(lambda _: reply(TOKENS_EACH, SECONDS_BETWEEN))
        async with contextlib.AsyncExitStack() as stack:
            chats = [await stack.enter_async_context(chatting(app.url)) for _ in range(CHATS)]
            memory, cpu, began = resident_mb(app), cpu_seconds(app), time.monotonic()
            await asyncio.gather(*(chat.ask("Go", limit=300) for chat in chats))
            seconds, spent = time.monotonic() - began, cpu_seconds(app) - cpu
            say(f"{CHATS} chats: {seconds:.1f} s for {TOKENS_EACH * SECONDS_BETWEEN:.1f} s of tokens each")
            say(f"{spent / CHATS / TOKENS_EACH * 1e6:.0f} µs a token; memory {memory:.0f} to {resident_mb(app):.0f} MB")


async def main() -> None:
    if sys.argv[1:] == ["crowd"]:
        await crowd()
        return
    await measure("Thinkglass", "app.py")
    await measure("stock", "bench/stock_app.py")


if __name__ == "__main__":
    asyncio.run(main())
