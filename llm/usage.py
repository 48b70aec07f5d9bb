"""Token counts of one reply, as the endpoint reported them. Pure; knows no model and no host."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

_TOO_MANY = 1e15
"""No count of tokens; JSON can hold infinity."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; None where the endpoint did not say.

    `thinking_tokens` are part of `completion_tokens` at most hosts, but not at all (xAI counts them apart),
    and some report more of them than of the whole: nothing is corrected here.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    thinking_tokens: int | None = None

    def updated(self, later: Self) -> Self:
        """These counts with those of a later report over them: hosts report once, twice, or cumulatively."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        newer = {f.name: getattr(later, f.name) for f in fields(later) if getattr(later, f.name) is not None}
        return type(self)(**{**values, **newer})

    def token_counts(self) -> dict[str, int]:
        """The three counts under the keys where LlamaIndex looks for them; none if the main ones are unknown."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return {}
        total = self.prompt_tokens + self.completion_tokens if self.total_tokens is None else self.total_tokens
        prompt, completion = self.prompt_tokens, self.completion_tokens
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}


def usage_from(report: object) -> Usage | None:
    """Read a `usage` object in any of the shapes that hosts send, or None if it is not one."""
    if not isinstance(report, Mapping) or not report:
        return None
    prompt_details = _mapping(report.get("prompt_tokens_details"))
    completion_details = _mapping(report.get("completion_tokens_details"))
    usage = Usage(
        prompt_tokens=_count(report, "prompt_tokens", "input_tokens"),
        completion_tokens=_count(report, "completion_tokens", "output_tokens"),
        total_tokens=_count(report, "total_tokens"),
        # In the details at most hosts; Kimi has cached_tokens at the top.
        cached_tokens=_first(_count(prompt_details, "cached_tokens"), _count(report, "prompt_cache_hit_tokens"),
                             _count(report, "cached_tokens")),
        # SGLang puts reasoning_tokens at the top, the others into the details.
        thinking_tokens=_first(_count(completion_details, "reasoning_tokens"), _count(report, "reasoning_tokens")),
    )  # fmt: skip
    return None if usage == Usage() else usage


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(report: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = report.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _TOO_MANY:
            return int(value)
    return None


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
