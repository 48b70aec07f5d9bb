"""The tools, one line each. Plain values in, LlamaIndex tools out; knows neither the settings nor the agent."""

from dataclasses import dataclass, field

from tools.base import Tool, as_tool
from tools.calculate import calculate
from tools.get_weather import Weather
from tools.read_page import WebReader
from tools.search.engine import PageReader, SearchEngine
from tools.search.metasearch import Metasearch
from tools.search.page_reader import GuardedReader
from tools.search.tavily import Tavily
from tools.search_web import WebSearch
from tools.weather.open_meteo import OpenMeteo
from tools.weather.openweather import OpenWeather
from tools.weather.service import WeatherService


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


def build_tools(config: ToolConfig) -> list[Tool]:
    """All tools that this configuration offers, in the order in which the model is told of them."""
    timeout_s = config.timeout_s
    return [
        as_tool(WebSearch(_search_engine(config)).search_web, touches="network", timeout_s=timeout_s),
        as_tool(WebReader(_page_reader(config)).read_page, touches="network", timeout_s=timeout_s),
        as_tool(Weather(_weather_service(config)).get_weather, touches="network", timeout_s=timeout_s),
        as_tool(calculate, touches="nothing", timeout_s=timeout_s),
    ]


def _weather_service(config: ToolConfig) -> WeatherService:
    if config.openweather_api_key:
        return OpenWeather(config.openweather_api_base, config.openweather_api_key)
    return OpenMeteo(config.open_meteo_api_base, config.open_meteo_geocoding_api_base)


def _search_engine(config: ToolConfig) -> SearchEngine:
    if config.tavily_api_key:
        return Tavily(config.tavily_api_base, config.tavily_api_key, timeout_s=config.timeout_s)
    return Metasearch()


def _page_reader(config: ToolConfig) -> PageReader:
    if config.tavily_api_key:
        return Tavily(config.tavily_api_base, config.tavily_api_key, timeout_s=config.timeout_s)
    return GuardedReader()
