"""The provider's HTTP server. It runs in a thread of its own, so that sync code and other processes can use it too."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.provider.replies import Drop, Hold, Part, Pause, Reply, error, json_reply

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 404: "Not Found"}


@dataclass(slots=True)
class Request:
    """One request as it came, with when it ended and whether the client went away before the answer was complete."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    client_left: bool = False
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def last_text(self) -> str:
        """The text of the last message."""
        return str(self.body["messages"][-1]["content"])

    @property
    def question(self) -> str:
        """The text of the last user message that is a person's question, not an observation."""
        texts = [str(m["content"]) for m in self.body["messages"] if m["role"] == "user"]
        return next((t for t in reversed(texts) if not t.startswith(("Observation", "<"))), "")


Responder = Callable[[Request], Reply]


class ProviderServer:
    """Answers `POST …/chat/completions` from a script: the given replies in turn, or whatever `responder` says.

    Use as a context manager; `api_base` is the address for a client. `requests` is the log of chat requests,
    `listings` that of requests for the models, which are answered with the names `models`, or with a reply as it is.
    """

    def __init__(self, *replies: Reply, responder: Responder | None = None, port: int = 0) -> None:
        self.requests: list[Request] = []
        self.listings: list[Request] = []
        self.models: list[str] | Reply = ["deepseek-flash"]
        self._replies = list(replies)
        self._responder = responder
        self._port = port
        self._released = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def add(self, *replies: Reply) -> None:
        """Put more replies at the end of the script."""
        self._replies.extend(replies)

    def reset(self, responder: Responder | None = None) -> None:
        """Forget the script and the log; from now on answer as `responder` says, if one is given."""
        self._replies.clear()
        self.requests.clear()
        self._responder = responder
        self._loop.call_soon_threadsafe(self._released.clear)

    def release(self) -> None:
        """Let every `Hold` go on."""
        self._loop.call_soon_threadsafe(self._released.set)

    def wait_for_request(self, number: int, *, timeout: float = 10) -> Request:
        """The chat request with this number (from 1), waited for."""
        limit = time.monotonic() + timeout
        while len(self.requests) < number:
            if time.monotonic() > limit:
                raise AssertionError(f"request {number} did not come within {timeout} s; {len(self.requests)} came")
            time.sleep(0.005)
        return self.requests[number - 1]

    def __enter__(self) -> Self:
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(5)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _close(self) -> None:
        assert self._server
        self._server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            if request := await _read_request(reader):
                await self._send(self._reply_to(request), request, reader, writer)
        writer.close()

    def _reply_to(self, request: Request) -> Reply:
        if request.path.endswith("/models"):
            self.listings.append(request)
            return self.models if isinstance(self.models, Reply) else _listing(self.models)
        if not request.path.endswith("/chat/completions"):
            return error(404, f"no such path: {request.path}")
        self.requests.append(request)
        if self._responder:
            return self._responder(request)
        return self._replies.pop(0) if self._replies else error(500, "the script has no more replies")

    async def _send(
        self, reply: Reply, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Send the reply, or stop as soon as the client goes away; one request a connection."""
        gone = asyncio.ensure_future(reader.read(1))
        sending = asyncio.ensure_future(self._write(reply, writer))
        await asyncio.wait({gone, sending}, return_when=asyncio.FIRST_COMPLETED)
        complete = sending.done() and not sending.exception() and sending.result()
        request.client_left = gone.done() and not complete
        request.ended = time.monotonic()
        request.over.set()
        for task in (gone, sending):
            task.cancel()
        await asyncio.gather(gone, sending, return_exceptions=True)

    async def _write(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        writer.write(_head(reply))
        for part in reply.parts:
            if isinstance(part, Drop):
                writer.transport.abort()
                return True
            await self._write_part(part, writer)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _write_part(self, part: Part, writer: asyncio.StreamWriter) -> None:
        match part:
            case bytes():
                writer.write(b"%x\r\n%b\r\n" % (len(part), part))
                await writer.drain()
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Hold():
                await self._released.wait()


def _listing(names: list[str]) -> Reply:
    return json_reply({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


def _head(reply: Reply) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    lines += ["transfer-encoding: chunked", "connection: close", "", ""]
    return "\r\n".join(lines).encode()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    data = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, json.loads(data) if data else None)


@contextlib.contextmanager
def provider(*replies: Reply) -> Iterator[ProviderServer]:
    """A running provider with this script."""
    with ProviderServer(*replies) as server:
        yield server
