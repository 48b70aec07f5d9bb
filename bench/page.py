"""What a token costs the server on its way from the provider's wire to the browser's socket: `python -m bench.page`.

The real app and the usual way (`stock_app.py`), one after the other in one run, against a provider on this machine.
"""

import asyncio
import os
import tempfile
from pathlib import Path

from tests.e2e.chat_client import ChatClient, chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import stream
from tests.provider.server import ProviderServer

PACES = {"full speed": (20_000, 0.0), "1,000 a second": (5_000, 0.001), "100 a second": (1_000, 0.01)}


def cpu_seconds(app: RunningApp) -> float:
    """User and system time of the app's process so far (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{app.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def cost(app: RunningApp, chat: ChatClient, provider: ProviderServer, tokens: int, pause: float) -> str:
    provider.add(stream("Thought: Done.\nAnswer: Done.", thinking="tok " * tokens, size=4, pause=pause))
    cpu, emits = cpu_seconds(app), chat.page.emits
    await chat.ask("Go", limit=300)
    microseconds = (cpu_seconds(app) - cpu) / tokens * 1e6
    return f"{microseconds:6.0f} µs a token, {(chat.page.emits - emits) * 1000 / tokens:6.1f} emits per 1,000 tokens"


async def measure(name: str, app_file: str) -> None:
    with (
        ProviderServer() as provider,
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder), app=app_file, LLM_API_BASE=provider.api_base, LLM_MODEL="deepseek-flash") as app,
    ):
        async with chatting(app.url) as chat:
            provider.add(stream("Thought: Hi.\nAnswer: Hi."))
            await chat.ask("Warm up")
            for pace, (tokens, pause) in PACES.items():
                print(f"{name:10} {pace:15} {await cost(app, chat, provider, tokens, pause)}")  # noqa: T201


async def main() -> None:
    await measure("Thinkglass", "app.py")
    await measure("stock", "bench/stock_app.py")


if __name__ == "__main__":
    asyncio.run(main())
