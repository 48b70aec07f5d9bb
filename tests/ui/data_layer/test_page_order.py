"""Where steps stand on the page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ui.data_layer.page_order import in_page_order

IDS = "abcdef"


def steps(*told: str) -> list[dict[str, Any]]:
    """Each is an id, or an id and its parent's: `b<a`."""
    pairs = [one.partition("<") for one in told]
    return [{"id": step_id, "parentId": parent or None} for step_id, _, parent in pairs]


@pytest.mark.parametrize(
    ("came", "stands"),
    [
        ([], ""),
        (["a", "b", "c"], "abc"),
        (["a", "b<a", "c", "d<b", "e<c", "f<d"], "abdfce"),  # a question came while the one before was being answered
        (["b<a", "a"], "ab"),
        (["a", "b<gone", "c<b"], "abc"),
        (["a<a", "b"], "ba"),
        (["a<b", "b<a", "c", "d<a"], "cabd"),
    ],
)
def test_each_stands_below_its_parent(came: list[str], stands: str) -> None:
    assert "".join(step["id"] for step in in_page_order(steps(*came))) == stands


@given(some.permutations(IDS), some.lists(some.sampled_from([None, *IDS, "gone"]), min_size=6, max_size=6))
def test_nothing_is_lost_and_nothing_twice(ids: list[str], parents: list[str | None]) -> None:
    came = [{"id": step_id, "parentId": parent} for step_id, parent in zip(ids, parents, strict=True)]
    ordered = in_page_order(came)
    assert sorted(step["id"] for step in ordered) == sorted(ids)
    assert in_page_order(ordered) == ordered


def test_a_thread_may_be_deep() -> None:
    deep = [{"id": str(number), "parentId": str(number - 1)} for number in range(5000)]
    assert in_page_order(deep) == deep
