"""Numbers for writes: always growing, in every process, and never behind what is stored. Also moments as text."""

import time
from datetime import UTC, datetime


class Counter:
    """Gives the time in microseconds, or one more than before where the clock stands still or was set back."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        """A number greater than all that this counter gave or has seen."""
        self._last = max(self._last + 1, time.time_ns() // 1000)
        return self._last

    def saw(self, number: int) -> None:
        """Stay above `number`, which is stored already."""
        self._last = max(self._last, number)


def moment(microseconds: int) -> str:
    """The text that Chainlit uses for a moment, such as 2026-11-30T19:00:00.000001Z."""
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def microseconds(text: str | None) -> int:
    """The number of a moment as Chainlit writes it; 0 where it is none. A moment without a zone is UTC."""
    try:
        at = datetime.fromisoformat(text or "")
    except ValueError:
        return 0
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)
