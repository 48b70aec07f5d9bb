"""Where steps stand on the page: each below its parent, else in the order in which they came. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

S = TypeVar("S", bound=Mapping[Any, Any])


def in_page_order(steps: Sequence[S]) -> list[S]:
    """The steps of a thread from top to bottom, given in the order in which they came.

    The two orders differ where a question came while an earlier one was being answered. Nothing is left out: a step
    whose parent is not there, or is below it, stands by itself.
    """
    inside: dict[str | None, list[S]] = {}
    known = {step["id"] for step in steps}
    for step in steps:
        inside.setdefault(step["parentId"] if step["parentId"] in known else None, []).append(step)
    ordered = {step["id"]: step for step in _below(inside, None)}
    return [*ordered.values(), *(step for step in steps if step["id"] not in ordered)]


def _below(inside: Mapping[str | None, Sequence[S]], parent_id: str | None) -> Iterator[S]:
    """Without recursion: a stranger's steps may lie deeper than Python calls."""
    waiting = list(reversed(inside.get(parent_id, ())))
    while waiting:
        step = waiting.pop()
        yield step
        waiting.extend(reversed(inside.get(step["id"], ())))
