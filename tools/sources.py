"""The numbers of a chat's sources: one for each address, from 1 on, so that `[2]` means the same page in every turn.

Pure: knows addresses and numbers, and neither searches nor reads.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from tools.cards import SourceCard

_USUAL_PORTS = {"http": 80, "https": 443}


class SourceList:
    """The sources of one chat. `known` are those of its earlier turns, as a stored chat has them."""

    def __init__(self, known: Iterable[SourceCard] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._given: set[str] = set()
        for card in known:
            self._numbers.setdefault(_address(card.url), card.number)
            if not card.was_read:
                self._given.add(card.url)

    def found(self, url: str) -> int:
        """The number of an address that a search gave."""
        self._given.add(url)
        return self.number_of(url)

    def number_of(self, url: str, *, ends_at: str = "") -> int:
        """The number of an address; where that leads on to another one, both bear the same number."""
        ways = [_address(way) for way in (url, ends_at) if way]
        known = (self._numbers[way] for way in ways if way in self._numbers)
        number = next(known, None) or max(self._numbers.values(), default=0) + 1
        for way in ways:
            self._numbers.setdefault(way, number)
        return number

    def knows(self, url: str) -> bool:
        """Whether a search of this chat gave exactly this address."""
        return url in self._given


def _address(url: str) -> str:
    """The address as far as it names a page: without its fragment, host in small letters, no needless port."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url.partition("#")[0]
    host = parts.netloc.lower()
    if port == _USUAL_PORTS.get(parts.scheme):
        host = host.removesuffix(f":{port}")
    return urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))
