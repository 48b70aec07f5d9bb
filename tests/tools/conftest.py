from collections.abc import Iterator

import pytest

from tests.tools.services import Services, running_services
from tools import ToolConfig


@pytest.fixture
def services() -> Iterator[Services]:
    with running_services() as running:
        yield running


@pytest.fixture
def config(services: Services) -> ToolConfig:
    """Everything by the stand-ins, without keys."""
    return ToolConfig(
        tavily_api_key=None,
        tavily_api_base=services.base,
        openweather_api_key=None,
        openweather_api_base=services.base,
        open_meteo_api_base=services.base,
        open_meteo_geocoding_api_base=services.base,
        timeout_s=5,
    )
