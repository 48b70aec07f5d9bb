"""Stand-ins for Tavily, OpenWeather and Open-Meteo: one real HTTP server on loopback that speaks all three."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.tools import service_samples


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass
class Services:
    """The running server. `answers` maps a path to what is said there; `asked` is the log."""

    base: str
    answers: dict[str, Any] = field(default_factory=lambda: dict(service_samples.ANSWERS))
    status: int = 200
    raw: bytes | None = None
    hang: bool = False
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    asked: list[Asked] = field(default_factory=list)

    def asked_at(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path == path]

    def answer(self, asked: Asked) -> tuple[int, bytes]:
        if self.raw is not None or self.status != 200:
            refusal = json.dumps({"detail": {"error": f"HTTP {self.status}"}}).encode()
            return self.status, refusal if self.raw is None else self.raw
        answer = self.answers.get(asked.path, {"error": "no such path"})
        return 200, json.dumps(answer(asked) if callable(answer) else answer).encode()


@contextmanager
def running_services() -> Iterator[Services]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    services = Services(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _handler_for(services)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield services
    finally:
        services.released.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def _handler_for(services: Services) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply()

        def do_POST(self) -> None:
            self._reply()

        def log_message(self, *_: Any) -> None:
            """Silence."""

        def _reply(self) -> None:
            url = urlsplit(self.path)
            params = {name: values[-1] for name, values in parse_qs(url.query).items()}
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(url.path, params, headers, json.loads(body) if body else None)
            services.asked.append(asked)
            services.reached.set()
            if services.hang:
                services.released.wait(20)
            self._send(*services.answer(asked))

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
