"""Limits, and what one process counts by itself while it can't share its counts with others. Knows no database."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

MOST_KEPT = 10_000
"""Of so many somebodies counts are kept; then those who were idle longest are forgotten."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` of a kind at once; each counts for `lasts_s` seconds.

    Without `is_taken` it is only looked at: what counts is added later, by its amount.
    """

    kind: str
    most: int
    lasts_s: float
    is_taken: bool = True


@dataclass(frozen=True, slots=True)
class Full:
    """A limit that is reached, and the seconds until the first of what counts is over."""

    limit: Limit
    wait_s: float


@dataclass(frozen=True, slots=True)
class _Count:
    amount: int
    until: float


class OwnCounts:
    """The same as `Counts`, for one process and as long as it lives."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[tuple[str, str], _Count]] = {}

    def take(self, whose: str, limits: Sequence[Limit], *, count_id: str) -> Full | None:
        now = time.monotonic()
        mine = {key: count for key, count in self._counts.pop(whose, {}).items() if count.until > now}
        self._counts[whose] = mine  # the last, so that the first is the one that was idle longest
        if len(self._counts) > MOST_KEPT:
            del self._counts[next(iter(self._counts))]
        for limit in limits:
            counted = [count for (kind, _), count in mine.items() if kind == limit.kind]
            if sum(count.amount for count in counted) >= limit.most:
                return Full(limit, min(count.until for count in counted) - now)
        for limit in limits:
            if limit.is_taken:
                self.add(whose, limit, 1, count_id=count_id)
        return None

    def add(self, whose: str, limit: Limit, amount: int, *, count_id: str) -> None:
        mine, key = self._counts.setdefault(whose, {}), (limit.kind, count_id)
        before = mine[key].amount if key in mine else 0
        mine[key] = _Count(before + amount, time.monotonic() + limit.lasts_s)

    def give_back(self, whose: str, kind: str, *, count_id: str) -> None:
        self._counts.get(whose, {}).pop((kind, count_id), None)
