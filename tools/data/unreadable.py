"""Why a file is not read or not taken, as a fact that each reader puts in its own words. Pure."""

from typing import Any, Literal, TypeAlias, get_args

Reason: TypeAlias = Literal[
    "empty", "too_large", "unknown_kind", "mismatch", "damaged", "protected", "active", "bomb", "too_slow", "no_room"
]
REASONS: tuple[Reason, ...] = get_args(Reason)


class Unreadable(Exception):
    """A file's content cannot be used. `facts` are what the words for the reason may name."""

    def __init__(self, reason: Reason, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts
