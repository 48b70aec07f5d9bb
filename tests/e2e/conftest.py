from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running_app import RunningApp, running_app
from tests.provider.server import ProviderServer


@pytest.fixture(scope="session")
def shared_provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture(scope="session")
def app(shared_provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """One app for all tests; every test has sessions of its own."""
    data = tmp_path_factory.mktemp("app")
    nowhere = "http://127.0.0.1:9"
    with running_app(
        Path(data),
        LLM_API_BASE=shared_provider.api_base,
        LLM_API_KEY="sk-test",
        LLM_MODEL="deepseek-flash",
        MAX_RETRIES="0",
        OPEN_METEO_API_BASE=nowhere,
        OPEN_METEO_GEOCODING_API_BASE=nowhere,
    ) as running:
        yield running
        assert "Traceback" not in running.printed(), running.printed()


@pytest.fixture
def provider(shared_provider: ProviderServer) -> ProviderServer:
    """The provider with an empty script and an empty log."""
    shared_provider.reset()
    return shared_provider
