"""A real little HTTP server on a free port: fixed answers, a log of what was asked, and a gate before some of them."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LIMIT_S = 60


class Site:
    """Answers GET and POST by path: JSON for a dict or list, bytes as they are, a function is asked with the body.

    An unknown path is a 404.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = dict(answers)
        self.asked: list[str] = []
        self.waiting = threading.Event()
        """Set when somebody has asked for a held path."""
        self._held: set[str] = set()
        self._gate = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def hold(self, path: str) -> None:
        """Send this path's head and first byte, and no more until the site closes."""
        self._held.add(path)

    def release(self) -> None:
        """Hold nothing any more."""
        self._held.clear()
        self._gate.set()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        found = self.answers.get(request.path)
        if callable(found):
            found = found(json.loads(body))
        content = found if isinstance(found, bytes) else json.dumps(found).encode()
        request.send_response(200 if found is not None else 404)
        request.send_header("Content-Length", str(len(content)))
        request.send_header("Content-Type", "text/html" if isinstance(found, bytes) else "application/json")
        request.end_headers()
        request.wfile.write(content[:1])
        if request.path in self._held:
            self.waiting.set()
            self._gate.wait(LIMIT_S)
        request.wfile.write(content[1:])

    @contextmanager
    def running(self) -> Iterator["Site"]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.release()
            self._server.shutdown()
            self._server.server_close()
            thread.join(LIMIT_S)


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with suppress(ConnectionError):  # some tests want the client to leave
                site.answer(self)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler
