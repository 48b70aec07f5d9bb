"""The real app as a child process: `chainlit run app.py` on a free port, with an environment of its own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parent.parent.parent
START_LIMIT_S = 60


@dataclass(frozen=True, slots=True)
class RunningApp:
    """Where the app answers, the folder `data` that it writes to, its process, and the file of what it printed."""

    port: int
    data: Path
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def printed(self) -> str:
        return self.log.read_text("utf-8", errors="replace")

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return httpx.request(method, self.url + path, timeout=20, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running_app(folder: Path, *, app: str = "app.py", app_root: Path = ROOT, **variables: str) -> Iterator[RunningApp]:
    """`app` with its data and its log under `folder` and these environment variables; nothing else of ours is set."""
    port, data, log = free_port(), folder / "data", folder / "app.log"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CHAINLIT_APP_ROOT": str(app_root),
        "THINKGLASS_DATA": str(data),
        "LOCAL_MODEL": "off",
        "SHUTDOWN_PATIENCE": "0",
        "CHAT_TITLES": "words",
        "PYTHONUNBUFFERED": "1",
        **variables,
    }
    command = [sys.executable, "-m", "chainlit", "run", app, "--headless", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    running = RunningApp(port, data, process, log)
    try:
        _wait_until_healthy(running)
        yield running
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def _wait_until_healthy(app: RunningApp) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{app.url}/health", timeout=1).status_code == 200:
                return
        if app.process.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError(f"the app did not start:\n{app.printed()}")
