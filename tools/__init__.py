"""The tools, one line each. Plain values in, LlamaIndex tools out; knows neither the settings nor the agent."""

from dataclasses import dataclass, field
from functools import partial

from tools.base import Gate, Tool, as_tool
from tools.calculate import calculate
from tools.consent import unless_known
from tools.file_tools import FileTools
from tools.get_weather import Weather
from tools.query_data import DataTool
from tools.read_page import WebReader
from tools.run_python import PythonTool
from tools.sandbox import PythonSession
from tools.search.engine import PageReader, SearchEngine
from tools.search.metasearch import Metasearch
from tools.search.page_reader import GuardedReader
from tools.search.tavily import Tavily
from tools.search_web import WebSearch
from tools.sources import SourceList
from tools.weather.open_meteo import OpenMeteo
from tools.weather.openweather import OpenWeather
from tools.weather.service import WeatherService
from tools.workspace import Workspace
from tools.written_addresses import WrittenAddresses

TOOL_NAMES = (
    "search_web", "read_page", "get_weather", "calculate",
    "write_file", "read_file", "list_files", "query_data", "run_python",
)  # fmt: skip
"""All of them, in the order in which the model is told of them."""


_READING_S = 40.0
"""These tools end by themselves before, with better advice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """What the tools need to know. A key that is None means that the service without a key is used."""

    tavily_api_key: str | None = field(repr=False)
    tavily_api_base: str
    openweather_api_key: str | None = field(repr=False)
    openweather_api_base: str
    open_meteo_api_base: str
    open_meteo_geocoding_api_base: str
    timeout_s: float


class Services:
    """What the tools of all chats share."""

    def __init__(self, config: ToolConfig) -> None:
        self.timeout_s = config.timeout_s
        self.search: SearchEngine = _tavily(config) or Metasearch()
        self.reader: PageReader = _tavily(config) or GuardedReader()
        self.weather: WeatherService = (
            OpenWeather(config.openweather_api_base, config.openweather_api_key)
            if config.openweather_api_key
            else OpenMeteo(config.open_meteo_api_base, config.open_meteo_geocoding_api_base)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongings:
    """What the tools of one chat have to themselves. `python` is None where code can't be confined."""

    gate: Gate
    sources: SourceList
    written: WrittenAddresses
    workspace: Workspace
    python: PythonSession | None


def build_tools(services: Services, own: Belongings) -> list[Tool]:
    """One chat's tools."""
    tool = partial(as_tool, gate=own.gate, timeout_s=services.timeout_s)
    files = FileTools(own.workspace)

    def is_given(url: str) -> bool:
        return own.sources.knows(url) or own.written.knows(url)

    carries_out = unless_known(is_given, parameter="url")
    tools = [
        tool(WebSearch(services.search, own.sources).search_web, touches="network"),
        tool(WebReader(services.reader, own.sources).read_page, touches="network", acts_outside=carries_out),
        tool(Weather(services.weather).get_weather, touches="network"),
        tool(calculate, touches="nothing"),
        tool(files.write_file, touches="workspace", brings_strangers_text=False),
        tool(files.read_file, touches="workspace", timeout_s=_READING_S),
        tool(files.list_files, touches="workspace"),
        tool(DataTool(own.workspace).query_data, touches="workspace", timeout_s=_READING_S),
    ]
    if own.python:
        python = PythonTool(own.python, own.workspace)
        tools.append(tool(python.run_python, touches="workspace", timeout_s=own.python.longest_call_s))
    return tools


def _tavily(config: ToolConfig) -> Tavily | None:
    if not config.tavily_api_key:
        return None
    return Tavily(config.tavily_api_base, config.tavily_api_key, timeout_s=config.timeout_s)
