"""A dict that forgets its oldest entries, so that a server may run for years."""

from typing import Generic, TypeVar

V = TypeVar("V")
MOST = 100_000


class Remembered(Generic[V]):
    """Holds the last 100,000 keys that were set."""

    def __init__(self) -> None:
        self._values: dict[object, V] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __setitem__(self, key: object, value: V) -> None:
        self._values[key] = value
        if len(self._values) > MOST:
            del self._values[next(iter(self._values))]

    def setdefault(self, key: object, value: V) -> V:
        """The value of a key, which is `value` from now on if there was none."""
        if key not in self._values:
            self[key] = value
        return self._values[key]
