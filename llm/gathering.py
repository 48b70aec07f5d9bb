"""Leaves what comes in quick succession in the socket for a moment, so that many tokens wake the process up once.

To wake up for a token costs most of a millisecond, whatever is then done with it. The system can be told not to wake
us for less than so many bytes (SO_RCVLOWAT, socket(7)); where it can't, every token is read as it comes.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import ClassVar, Self

import httpx

GATHER_S = 0.03
"""How long a token waits for others: at most, and only right after another one."""
WAKES_PER_S = 1_000
"""So often may all streams of the process together wake it up: of many at once, the tokens of each wait longer."""
AMPLE_BYTES = 16_384
"""So much at once needs no company: the network is faster than we are."""


class Gathered:
    """The bytes of a response's body, piece by piece. The first one after a pause comes at once.

    Close it with the response: its connection is used again, and has to wake us for every byte then.
    """

    _streams: ClassVar[int] = 0
    """How many are open in this process."""

    def __init__(self, response: httpx.Response, *, gather_s: float = GATHER_S) -> None:
        self._pieces = response.aiter_bytes()
        self._gather_s = gather_s
        stream = response.extensions.get("network_stream")
        self._socket: socket.socket | None = stream.get_extra_info("socket") if stream else None
        self._timer: asyncio.TimerHandle | None = None
        self._bytes = 0

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = await anext(self._pieces)
        if self._timer is None:
            self._begin()
        self._bytes += len(piece)
        if self._bytes >= AMPLE_BYTES > self._bytes - len(piece):
            self._wake_at(1)
        return piece

    async def __aenter__(self) -> Self:
        Gathered._streams += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        Gathered._streams -= 1
        if self._timer:
            self._timer.cancel()
            self._wake_at(1)

    def _begin(self) -> None:
        self._bytes = 0
        self._wake_at(AMPLE_BYTES)
        moment = max(self._gather_s, self._streams / WAKES_PER_S)
        self._timer = asyncio.get_running_loop().call_later(moment, self._end)

    def _end(self) -> None:
        self._timer = None
        if self._bytes < AMPLE_BYTES:
            self._wake_at(1)

    def _wake_at(self, size: int) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # the system knows no such option, or the connection has gone
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
