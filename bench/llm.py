"""Five ways to read the same stream, side by side in one run: CPU of the reading process for each chunk.

Run from the project's root: `python -m bench.llm`. The server is a process of its own. Three measures:

* full speed: the server sends as fast as it can, as a fast model behind a fast network does;
* paced: a chunk each 0.2 ms, so that each arrives alone and wakes the process up;
* alone: no network at all, each chunk a read of its own; what is left is the reader's own work.
"""

import asyncio
import json
import multiprocessing
import socket
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import httpx
from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from openai import AsyncOpenAI

from llm.client import DeepSeek

CHUNKS = 2000
MANY = 50_000
PACE_S = 0.0002
ROUNDS = 3
ASK = [ChatMessage("How far is it?")]


def event(number: int, total: int) -> bytes:
    """The first half of the chunks is thinking, the second half text, each a word long."""
    key, other = ("reasoning_content", "content") if number < total // 2 else ("content", "reasoning_content")
    choice = {"index": 0, "delta": {key: f"word{number % 7} ", other: None}, "logprobs": None, "finish_reason": None}
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1796000000, "model": "deepseek-flash"}
    return b"data: " + json.dumps(head | {"choices": [choice], "usage": None}, separators=(",", ":")).encode() + b"\n\n"


def events(total: int) -> list[bytes]:
    end = b'data: {"id":"c-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}\n\n'
    return [*(event(number, total) for number in range(total)), end, b"data: [DONE]\n\n"]


async def serve(listener: socket.socket, total: int, pace_s: float) -> None:
    stream = events(total)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((int(h[15:]) for h in head.lower().split(b"\r\n") if h.startswith(b"content-length:")), 0)
        await reader.readexactly(length)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for piece in stream:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
            until = time.perf_counter() + pace_s
            while time.perf_counter() < until:
                pass
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, sock=listener) as server:
        await server.serve_forever()


class Alone(httpx.AsyncBaseTransport):
    """A transport without a network: each event is a read of its own, and the loop turns in between."""

    def __init__(self, total: int) -> None:
        self._events = events(total)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_Pieces(self._events))


class _Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            for _ in range(3):
                await asyncio.sleep(0)
            yield piece


@dataclass(frozen=True)
class Source:
    """Where a reader reads: an address, or a transport in its place."""

    base: str
    transport: httpx.AsyncBaseTransport | None = None

    def http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=self.transport)


async def read_raw(source: Source) -> None:
    """Sockets and json, and nothing of HTTP but its chunks' lines, which hold no data."""
    url = httpx.URL(source.base)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
    rest = b""
    while read := await reader.read(65536):
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            if line.startswith(b"data: {"):
                json.loads(line[6:])
    writer.close()


async def read_httpx(source: Source) -> None:
    async with source.http() as client, client.stream("POST", f"{source.base}/chat/completions", json={}) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                json.loads(line[6:])


async def read_sdk(source: Source) -> None:
    async with AsyncOpenAI(api_key="x", base_url=source.base, http_client=source.http()) as client:
        async for _ in await client.chat.completions.create(model="m", messages=[], stream=True):
            pass


async def read_stock(source: Source) -> None:
    llm = OpenAILike("m", api_base=source.base, api_key="x", is_chat_model=True, async_http_client=source.http())
    async for _ in await llm.astream_chat(ASK):
        pass


async def read_ours(source: Source) -> None:
    llm = DeepSeek(api_base=source.base, api_key="x", async_http_client=source.http())
    async for _ in await llm.astream_chat(ASK):
        pass


READERS: dict[str, Callable[[Source], Awaitable[None]]] = {
    "raw sockets and json": read_raw,
    "httpx lines and json": read_httpx,
    "openai SDK": read_sdk,
    "OpenAILike": read_stock,
    "Thinkglass": read_ours,
}


def cost(reader: Callable[[Source], Awaitable[None]], source: Source, total: int) -> float:
    """CPU microseconds for each chunk: the best of some rounds after one to warm up."""
    best = float("inf")
    for number in range(ROUNDS + 1):
        began = time.process_time()
        asyncio.run(reader(source))  # type: ignore[arg-type]  # every reader is a coroutine function
        if number:
            best = min(best, time.process_time() - began)
    return best / total * 1e6


def over_network(reader: Callable[[Source], Awaitable[None]], total: int, pace_s: float) -> float:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = multiprocessing.Process(target=_serve, args=(listener, total, pace_s), daemon=True)
        server.start()
        try:
            return cost(reader, Source(f"http://127.0.0.1:{listener.getsockname()[1]}/v1"), total)
        finally:
            server.terminate()
            server.join()


def _serve(listener: socket.socket, total: int, pace_s: float) -> None:
    asyncio.run(serve(listener, total, pace_s))


def alone(reader: Callable[[Source], Awaitable[None]], total: int) -> float:
    return cost(reader, Source("http://there/v1", Alone(total)), total)


async def _kept(total: int) -> int:
    """Bytes held by a consumer that keeps every response of a stream."""
    llm = DeepSeek(api_base="http://there/v1", async_http_client=httpx.AsyncClient(transport=Alone(total)))
    tracemalloc.start()
    kept = [response async for response in await llm.astream_chat(ASK)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held // len(kept)


def main() -> None:
    out = sys.stdout
    out.write(f"CPU in microseconds for each of {CHUNKS} chunks, best of {ROUNDS}; in brackets against OpenAILike\n\n")
    rows = {
        name: (over_network(reader, CHUNKS, 0.0), over_network(reader, CHUNKS, PACE_S), alone_or_none(name, reader))
        for name, reader in READERS.items()
    }
    out.write("| reader | full speed | paced | alone |\n| --- | --- | --- | --- |\n")
    for name, row in rows.items():
        out.write(f"| {name} | {' | '.join(_cell(*pair) for pair in zip(row, rows['OpenAILike'], strict=True))} |\n")
    few, many = alone(read_ours, CHUNKS), alone(read_ours, MANY)
    out.write(f"\nThinkglass, each chunk alone: {few:.1f} at {CHUNKS} chunks, {many:.1f} at {MANY}\n")
    held_few, held_many = asyncio.run(_kept(CHUNKS)), asyncio.run(_kept(MANY))
    out.write(f"Bytes kept for each response if all are kept: {held_few} at {CHUNKS}, {held_many} at {MANY}\n")


def alone_or_none(name: str, reader: Callable[[Source], Awaitable[None]]) -> float | None:
    return None if name.startswith("raw") else alone(reader, CHUNKS)


def _cell(value: float | None, stock: float | None) -> str:
    return "–" if value is None or stock is None else f"{value:.1f} ({value / stock:.2f})"


if __name__ == "__main__":
    main()
