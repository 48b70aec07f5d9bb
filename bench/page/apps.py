"""The apps that are compared, each started with a provider of its own, and what the system counts for a process."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.page.provider import Provider, providing
from tests.e2e.running_app import RunningApp, running_app

OURS, STOCK = "Thinkglass", "stock"
APPS = {OURS: "app.py", STOCK: "bench/stock_app.py"}


@contextlib.contextmanager
def started(name: str) -> Iterator[tuple[Provider, RunningApp]]:
    with (
        providing() as provider,
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder), app=APPS[name], LLM_API_BASE=provider.api_base, LLM_MODEL="deepseek-flash") as app,
    ):
        yield provider, app


def cpu_seconds(app: RunningApp) -> float:
    """User and system time of the app's process so far."""
    user, system, *_ = _ticks(Path(f"/proc/{app.process.pid}/stat"))[2]
    return (user + system) / os.sysconf("SC_CLK_TCK")


def resident_mb(app: RunningApp) -> float:
    """Resident memory of the app's process (proc(5), second field of statm)."""
    pages = int(Path(f"/proc/{app.process.pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def chromium_cpu_seconds() -> float:
    """User and system time of all processes of the Chromium that this process has started, also of those now gone."""
    running: dict[int, tuple[str, int, list[int]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            running[int(stat.parent.name)] = _ticks(stat)
    ours, grown = {os.getpid()}, True
    while grown:
        young = {pid for pid, (_, parent, _) in running.items() if parent in ours} - ours
        ours, grown = ours | young, bool(young)
    spent = [sum(ticks) for pid, (name, _, ticks) in running.items() if pid in ours and name.startswith("chrom")]
    return sum(spent) / os.sysconf("SC_CLK_TCK")


def _ticks(stat: Path) -> tuple[str, int, list[int]]:
    """A process's name, its parent, and user and system time, its own and that of its ended children (proc(5))."""
    start, _, rest = stat.read_text("utf-8", errors="replace").rpartition(")")
    fields = rest.split()
    return start.partition("(")[2], int(fields[1]), [int(field) for field in fields[11:15]]
