"""How many chats may have a Python of their own at once, and who gives way: the one that has rested longest."""

import asyncio
from collections.abc import Callable


class Busy(Exception):
    """All places were taken by chats that compute, for as long as one may wait."""


class Slots:
    """Places for live processes. Who holds one and rests can be asked to give it up, by the callback it left."""

    def __init__(self, most: int, *, patience_s: float) -> None:
        self._free = most
        self._patience_s = patience_s
        self._resting: dict[object, Callable[[], None]] = {}
        self._waiting: list[asyncio.Future[None]] = []

    async def take(self) -> None:
        """Get a place, if need be from a chat that rests. Raises `Busy`."""
        try:
            async with asyncio.timeout(self._patience_s):
                while not self._free:
                    await self._room()
        except TimeoutError:
            raise Busy from None
        self._free -= 1

    async def _room(self) -> None:
        if self._resting:
            give_up = self._resting.pop(next(iter(self._resting)))
            give_up()
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            else:  # it was this one's turn: let it be the next one's
                self._wake()
            raise

    def give_back(self, holder: object) -> None:
        """The place is free again."""
        self._resting.pop(holder, None)
        self._free += 1
        self._wake()

    def rest(self, holder: object, give_up: Callable[[], None]) -> None:
        """The holder keeps its place as long as nobody needs it."""
        self._resting[holder] = give_up
        self._wake()

    def work(self, holder: object) -> None:
        """The holder's place can't be taken until it rests again."""
        self._resting.pop(holder, None)

    def _wake(self) -> None:
        if self._waiting:
            turn = self._waiting.pop(0)
            if not turn.done():
                turn.set_result(None)
