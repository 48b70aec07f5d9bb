"""What tools show to people: plain facts for a card on the page. Pure data; how a card looks is the page's business."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Sky: TypeAlias = Literal["clear", "partly_cloudy", "cloudy", "fog", "drizzle", "rain", "sleet", "snow", "thunderstorm"]


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A page on the web. `url` is http or https; `site` its host without www; all of it is text by strangers.

    `number` is the one by which answers of the chat cite it. `text` is what the model was given: an excerpt where a
    search found it, the text itself where it was read.
    """

    title: str
    url: str
    site: str
    text: str
    number: int
    was_read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DayForecast:
    """One day at the place. `date` as 2026-11-04; `condition` in English words; None where the service did not say."""

    date: str
    sky: Sky
    condition: str
    low: float
    high: float
    rain_chance_percent: int | None = None
    precipitation: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeatherCard:
    """The weather now, and day by day from today on, in the units that stand beside the figures.

    `place` is the place that was found, with its region and country; `local_time` as 2026-11-04T14:15.
    """

    place: str
    local_time: str
    sky: Sky
    condition: str
    is_day: bool
    temperature: float
    feels_like: float
    humidity_percent: int
    wind_speed: float
    temperature_unit: Literal["°C", "°F"]
    wind_unit: Literal["km/h", "mph"]
    precipitation_unit: Literal["mm", "in"]
    days: tuple[DayForecast, ...]
    source: Literal["Open-Meteo", "OpenWeather"]


@dataclass(frozen=True, slots=True)
class PictureCard:
    """A picture that a tool made, as PNG. `alt` says in words what it shows."""

    png: bytes
    alt: str


@dataclass(frozen=True, slots=True)
class PlotlyCard:
    """An interactive Plotly figure, as its JSON. `alt` says in words what it shows."""

    figure_json: str
    alt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCard:
    """The first rows of a table. Cells are text, numbers or None; `total_rows` counts those that are not shown, too."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    total_rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCard:
    """A file of the chat's workspace. `path` is absolute; `preview` its first lines, or empty where it is not text."""

    name: str
    path: Path
    media_type: str
    size_bytes: int
    version: int = 1
    preview: str = ""
