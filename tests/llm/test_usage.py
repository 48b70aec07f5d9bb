"""Usage in every shape that hosts send."""

from typing import Any

import pytest

from llm.usage import Usage, usage_from

BASE = {"prompt_tokens": 31, "completion_tokens": 17, "total_tokens": 48}
CASES: list[tuple[Any, Usage | None]] = [
    (BASE, Usage(31, 17, 48)),
    ({**BASE, "prompt_cache_hit_tokens": 16, "prompt_cache_miss_tokens": 15}, Usage(31, 17, 48, cached_tokens=16)),
    ({**BASE, "prompt_tokens_details": {"cached_tokens": 8}}, Usage(31, 17, 48, cached_tokens=8)),
    ({**BASE, "cached_tokens": 4}, Usage(31, 17, 48, cached_tokens=4)),
    ({**BASE, "completion_tokens_details": {"reasoning_tokens": 90}}, Usage(31, 17, 48, thinking_tokens=90)),
    ({**BASE, "reasoning_tokens": 11, "completion_tokens_details": None}, Usage(31, 17, 48, thinking_tokens=11)),
    ({"input_tokens": 3, "output_tokens": 2}, Usage(3, 2)),
    ({**BASE, "prompt_tokens": None, "cost": 0.2}, Usage(None, 17, 48)),
    ({"prompt_tokens": "31", "completion_tokens": float("inf"), "total_tokens": -1}, None),
    ({}, None),
    (None, None),
    ([], None),
]


@pytest.mark.parametrize(("report", "usage"), CASES)
def test_a_report_is_read(report: Any, usage: Usage | None) -> None:
    assert usage_from(report) == usage


def test_a_later_report_wins_and_keeps_what_it_does_not_mention() -> None:
    assert Usage(31, 1, 32, cached_tokens=8).updated(Usage(31, 17, 48)) == Usage(31, 17, 48, cached_tokens=8)


def test_llamaindex_gets_its_three_counts_or_none() -> None:
    assert Usage(31, 17).token_counts() == BASE
    assert Usage(31).token_counts() == {}
