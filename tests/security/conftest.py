from collections.abc import Iterator

import pytest

from tests.e2e.running_app import RunningApp, running_app
from tests.security.attacker import APP


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app=APP) as running_server:
        yield running_server
