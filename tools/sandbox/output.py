"""What a call prints, kept within bounds: its beginning and its end, however much there is."""


class Output:
    """Takes bytes for ever and keeps at most about `max_bytes` of them."""

    def __init__(self, max_bytes: int) -> None:
        self._head_size, self._tail_size = max_bytes * 3 // 4, max_bytes // 4
        self._head, self._tail = bytearray(), bytearray()
        self.total = 0

    def feed(self, some: bytes) -> None:
        """More of it."""
        self.total += len(some)
        room = self._head_size - len(self._head)
        self._head += some[:room]
        self._tail += some[room:]
        del self._tail[: max(0, len(self._tail) - self._tail_size)]

    def text(self) -> str:
        """What is kept, with a mark where something is missing."""
        missing = self.total - len(self._head) - len(self._tail)
        mark = f"\n… [{missing:,} more bytes were printed] …\n".encode() if missing else b""
        return (self._head + mark + self._tail).decode("utf-8", "replace")
