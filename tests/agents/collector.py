"""The attacker's web server, which only waits to be called, and a tool's reader that would call it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from tools.search.engine import PageText


class Collector:
    """`calls` are the paths that were asked for, with what was carried out in them."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.calls: list[str] = []


@contextmanager
def collecting() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            collector.calls.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"Thank you.")

        def log_message(self, *_: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()


class CarelessReader:
    """Reads any page at all, so that nothing but the question to the person is in the way."""

    async def read(self, url: str) -> PageText:
        async with httpx.AsyncClient(trust_env=False) as client:
            response = await client.get(url)
        return PageText("Collected", url, response.text)
