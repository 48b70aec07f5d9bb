"""Tokens in quick succession come together, a lone one at once, and a connection is left as it was found."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from llm.gathering import AMPLE_BYTES, Gathered

LONG_S = 2.0
SOON_S = 1.0


class Peer:
    """A server that sends what the test hands over, each piece in a packet of its own; b"" ends the body."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[bytes] = asyncio.Queue()
        self.clock = asyncio.get_running_loop()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while piece := await self.queue.get():
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            writer.write(b"0\r\n\r\n")
        writer.close()

    def send(self, *pieces: bytes, after: float = 0.0) -> None:
        for piece in pieces:
            self.clock.call_later(after, self.queue.put_nowait, piece)


@asynccontextmanager
async def answering(peer: Peer) -> AsyncIterator[httpx.Response]:
    async with await asyncio.start_server(peer.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with (
            httpx.AsyncClient(trust_env=False) as client,
            client.stream("GET", f"http://127.0.0.1:{port}") as response,
        ):
            yield response


def wakes_for(response: httpx.Response) -> int:
    """How many bytes the system waits for before it wakes us."""
    connection = response.extensions["network_stream"].get_extra_info("socket")
    return int(connection.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT))


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every token is read as it comes")


@only_linux
async def test_what_follows_closely_comes_together_when_the_moment_is_over() -> None:
    peer = Peer()
    async with asyncio.timeout(30), answering(peer) as response, Gathered(response, gather_s=LONG_S) as pieces:
        began = peer.clock.time()
        peer.send(b"a")
        assert await anext(pieces) == b"a"
        assert peer.clock.time() - began < SOON_S
        for number, piece in enumerate((b"b", b"c", b"d")):
            peer.send(piece, after=number * 0.1)
        times = []
        for piece in (b"b", b"c", b"d"):
            assert await anext(pieces) == piece
            times.append(peer.clock.time() - began)
        assert times[0] >= LONG_S * 0.9
        assert times[-1] - times[0] < 0.1
        peer.send(b"")


async def test_after_a_pause_a_lone_piece_comes_at_once() -> None:
    peer = Peer()
    async with asyncio.timeout(30), answering(peer) as response, Gathered(response, gather_s=0.01) as pieces:
        for piece in (b"a", b"b", b"c"):
            began = peer.clock.time()
            peer.send(piece, after=0.1)
            assert await anext(pieces) == piece
            assert peer.clock.time() - began < SOON_S
        peer.send(b"")


async def test_so_much_at_once_waits_for_nothing() -> None:
    peer = Peer()
    async with asyncio.timeout(30), answering(peer) as response, Gathered(response, gather_s=60) as pieces:
        began = peer.clock.time()
        peer.send(b"a", *[b"b" * AMPLE_BYTES] * 3, b"c", b"")
        size = sum([len(piece) async for piece in pieces])
        assert size == 2 + 3 * AMPLE_BYTES
        assert peer.clock.time() - began < SOON_S


@only_linux
@pytest.mark.parametrize("is_read_to_its_end", [True, False])
async def test_the_connection_is_left_as_it_was_found(is_read_to_its_end: bool) -> None:
    peer = Peer()
    async with asyncio.timeout(30), answering(peer) as response:
        before = wakes_for(response)
        async with Gathered(response, gather_s=0.2) as pieces:
            peer.send(b"a")
            await anext(pieces)
            assert wakes_for(response) == AMPLE_BYTES
            peer.send(b"b", b"")
            if is_read_to_its_end:
                assert [piece async for piece in pieces] == [b"b"]
        assert wakes_for(response) == before


async def test_bodies_that_come_over_no_socket_come_as_they_are() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=b"ab"))
    async with (
        httpx.AsyncClient(transport=transport) as client,
        client.stream("GET", "http://there") as response,
        Gathered(response) as pieces,
    ):
        assert b"".join([piece async for piece in pieces]) == b"ab"
