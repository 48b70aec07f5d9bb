"""Server-sent events from raw bytes. Knows lines and events, not what the data means.

More forgiving than the standard where servers are: events parted by one newline, an end without a blank line, JSON
line by line, and a plain JSON body in place of a stream (which is also how a reply looks that was not asked to stream).
"""

from codecs import BOM_UTF8
from typing import NamedTuple


class Event(NamedTuple):
    """One event. `name` is empty unless the stream named it; `data` is its lines joined by newlines, undecoded."""

    name: str
    data: bytes


class EventStream:
    """Turns network reads, cut anywhere, into whole events. Comments and unknown fields are skipped."""

    def __init__(self) -> None:
        self._cut_line: list[bytes] = []
        self._after_cr = False
        self._name = ""
        self._data: list[bytes] = []
        self._plain: list[bytes] = []

    def feed(self, read: bytes) -> list[Event]:
        """The events that `read` completes."""
        lines = read.splitlines(keepends=True)
        if self._after_cr and read.startswith(b"\n"):
            del lines[0]
        self._after_cr = read.endswith(b"\r")
        if not lines:
            return []
        cut = b"" if lines[-1].endswith((b"\n", b"\r")) else lines.pop()
        if self._cut_line and lines:
            lines[0] = b"".join((*self._cut_line, lines[0]))
            self._cut_line.clear()
        if cut:
            self._cut_line.append(cut)
        events: list[Event] = []
        for line in lines:
            self._take(line.rstrip(b"\r\n"), events)
        return events

    def close(self) -> list[Event]:
        """The events that the end of the body completes."""
        events: list[Event] = []
        self._take(b"".join(self._cut_line), events)
        self._dispatch(events)
        if plain := b"\n".join(self._plain).strip():
            events.append(Event("", plain))
        return events

    def _take(self, line: bytes, events: list[Event]) -> None:
        if not line:
            self._dispatch(events)
        elif line.startswith(b"data:"):
            self._take_data(line[6:] if line[5:6] == b" " else line[5:], events)
        elif line.startswith(b"event:"):
            self._name = line[6:].strip().decode(errors="replace")
        elif line.startswith(BOM_UTF8):
            self._take(line.removeprefix(BOM_UTF8), events)
        elif not self._plain and line.startswith(b"{") and line.endswith(b"}"):
            events.append(Event(self._name, line))
        elif not line.startswith((b":", b"id:", b"retry:")):
            self._plain.append(line)

    def _take_data(self, value: bytes, events: list[Event]) -> None:
        """A new value after a whole one means that the server parts events by one newline only."""
        if self._data and self._data[-1].endswith(b"}") and value.startswith((b"{", b"[DONE]")):
            self._dispatch(events)
        self._data.append(value)

    def _dispatch(self, events: list[Event]) -> None:
        if self._data:
            events.append(Event(self._name, b"\n".join(self._data)))
            self._data.clear()
        self._name = ""
