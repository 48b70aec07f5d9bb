"""A web site on loopback for the guarded client, and the seam by which it stands for sites on the internet."""

import asyncio
import gzip
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

PUBLIC = "93.184.216.34"


@dataclass
class Site:
    """`asked` holds the host and path of each request that reached it."""

    port: int
    asked: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)


class Detour(httpx.AsyncBaseTransport):
    """Where the internet begins: `to` keeps the addresses that a request would go to, and it goes to the site."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._inner = httpx.AsyncHTTPTransport()
        self.to: list[tuple[str, str, str]] = []
        self.reached = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.to.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        self.reached.set()
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._site.port)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def running_site() -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    site = Site(server.server_port)
    server.RequestHandlerClass = _handler_for(site)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.stop.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


@cache
def _bomb() -> bytes:
    """A hundred kilobytes that unpack to a hundred megabytes."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(b"\0" * 10**6) for _ in range(100)), packer.flush()])


HTML = b"<html><head><title>Trams</title></head><body><article><p>A tram runs on rails.</p></article></body></html>"
TEXT = "text/plain; charset=utf-8"
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/": (200, {"Content-Type": "text/html"}, HTML),
    "/json": (200, {"Content-Type": "application/ld+json"}, b"{}"),
    "/gzip": (200, {"Content-Type": TEXT, "Content-Encoding": "gzip"}, gzip.compress(b"packed")),
    "/badgzip": (200, {"Content-Type": TEXT, "Content-Encoding": "gzip"}, b"not packed"),
    "/twice": (200, {"Content-Type": TEXT, "Content-Encoding": "gzip, gzip"}, b""),
    "/brotli": (200, {"Content-Type": TEXT, "Content-Encoding": "br"}, b""),
    "/binary": (200, {"Content-Type": "application/octet-stream"}, b"\0"),
    "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/untyped": (200, {}, b"?"),
    "/missing": (404, {"Content-Type": "text/html"}, b"gone"),
    "/broken": (500, {"Content-Type": "text/html"}, b"gone"),
    "/hop": (302, {"Location": "https://other.example.com/"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/inside": (302, {"Location": "http://127.0.0.1:8080/"}, b""),
    "/inside-name": (307, {"Location": "http://inside.example.com/"}, b""),
    "/metadata": (301, {"Location": "http://169.254.169.254/latest/meta-data/"}, b""),
    "/file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/protocol": (302, {"Location": "//[::ffff:127.0.0.1]/"}, b""),
}


def _handler_for(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.headers["Host"] + self.path)
            match self.path:
                case "/large":
                    self._send(200, {"Content-Type": TEXT}, b"x" * 2_000_001)
                case "/bomb":
                    self._send(200, {"Content-Type": TEXT, "Content-Encoding": "gzip"}, _bomb())
                case "/endless":
                    self._endless()
                case path:
                    self._send(*PAGES[path])

        def log_message(self, *_: object) -> None:
            """Silence."""

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def _endless(self) -> None:
            """A byte now and then, for ever."""
            self.send_response(200)
            self.send_header("Content-Type", TEXT)
            self.end_headers()
            while not site.stop.wait(0.02):
                try:
                    self.wfile.write(b".")
                except OSError:
                    return

    return Handler
