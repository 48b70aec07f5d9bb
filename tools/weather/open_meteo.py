"""Weather and places from Open-Meteo, which needs no key. Facts: open-meteo.com/en/docs and /docs/geocoding-api."""

from collections.abc import Sequence
from datetime import date, datetime

from pydantic import BaseModel

from tools.cards import DayForecast, Sky, WeatherCard
from tools.http import ServiceClient
from tools.weather.places import Place, language_of
from tools.weather.service import Units

_CURRENT = "temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m,is_day"
_DAILY = "weather_code,temperature_2m_min,temperature_2m_max,precipitation_probability_max,precipitation_sum"
_IMPERIAL = {"temperature_unit": "fahrenheit", "wind_speed_unit": "mph", "precipitation_unit": "inch"}

_MANY = 50
"""How many places to look at: a capital may come far down, after hamlets that bear its name."""

_WMO: dict[int, tuple[Sky, str]] = {
    0: ("clear", "clear sky"),
    1: ("clear", "mainly clear"),
    2: ("partly_cloudy", "partly cloudy"),
    3: ("cloudy", "overcast"),
    45: ("fog", "fog"),
    48: ("fog", "freezing fog"),
    51: ("drizzle", "light drizzle"),
    53: ("drizzle", "drizzle"),
    55: ("drizzle", "dense drizzle"),
    56: ("sleet", "light freezing drizzle"),
    57: ("sleet", "freezing drizzle"),
    61: ("rain", "light rain"),
    63: ("rain", "rain"),
    65: ("rain", "heavy rain"),
    66: ("sleet", "light freezing rain"),
    67: ("sleet", "freezing rain"),
    71: ("snow", "light snow"),
    73: ("snow", "snow"),
    75: ("snow", "heavy snow"),
    77: ("snow", "snow grains"),
    80: ("rain", "light rain showers"),
    81: ("rain", "rain showers"),
    82: ("rain", "violent rain showers"),
    85: ("snow", "light snow showers"),
    86: ("snow", "heavy snow showers"),
    95: ("thunderstorm", "thunderstorm"),
    96: ("thunderstorm", "thunderstorm with light hail"),
    99: ("thunderstorm", "thunderstorm with heavy hail"),
}
"""WMO weather codes, as far as Open-Meteo uses them."""


class OpenMeteo:
    """Open-Meteo's forecast and geocoding endpoints."""

    def __init__(self, base: str, geocoding_base: str) -> None:
        self._base = base
        self._geocoding_base = geocoding_base

    async def places(self, name: str, regions: tuple[str, ...]) -> Sequence[Place]:
        """Places of the name anywhere; the regions are for the caller to look at.

        Raises:
            ServiceError: no usable answer.
        """
        async with ServiceClient("Open-Meteo", self._geocoding_base) as service:
            found = await service.get(
                "/v1/search", _Places, {"name": name, "count": _MANY, "language": language_of(name)}
            )
        return [_place_from(place) for place in found.results]

    async def forecast(self, place: Place, *, days: int, units: Units) -> WeatherCard:
        """The weather now and for `days` days, today included.

        Raises:
            ServiceError: no usable answer.
        """
        params: dict[str, str | int | float] = {
            "latitude": place.latitude,
            "longitude": place.longitude,
            "current": _CURRENT,
            "daily": _DAILY,
            "timezone": "auto",
            "forecast_days": days,
        }
        if units == "imperial":
            params |= _IMPERIAL
        async with ServiceClient("Open-Meteo", self._base) as service:
            forecast = await service.get("/v1/forecast", _Forecast, params)
        return _card_from(forecast, place, units)


class _FoundPlace(BaseModel):
    name: str
    latitude: float
    longitude: float
    country_code: str = ""
    country: str = ""
    feature_code: str = ""
    population: int | None = None
    admin1: str = ""
    admin2: str = ""
    admin3: str = ""


class _Places(BaseModel):
    results: list[_FoundPlace] = []


class _Current(BaseModel):
    time: datetime
    temperature_2m: float
    apparent_temperature: float
    relative_humidity_2m: int
    weather_code: int
    wind_speed_10m: float
    is_day: bool


class _Daily(BaseModel):
    time: list[date]
    weather_code: list[int | None]
    temperature_2m_min: list[float | None]
    temperature_2m_max: list[float | None]
    precipitation_probability_max: list[int | None]
    precipitation_sum: list[float | None]


class _Forecast(BaseModel):
    current: _Current
    daily: _Daily


def _place_from(found: _FoundPlace) -> Place:
    return Place(
        name=found.name,
        latitude=found.latitude,
        longitude=found.longitude,
        country_code=found.country_code.upper(),
        country=found.country,
        region=found.admin1,
        within=(found.admin2, found.admin3),
        population=found.population or 0,
        is_capital=found.feature_code == "PPLC",
    )


def _card_from(forecast: _Forecast, place: Place, units: Units) -> WeatherCard:
    now = forecast.current
    sky, condition = _words_for(now.weather_code)
    imperial = units == "imperial"
    return WeatherCard(
        place=place.label,
        local_time=now.time.isoformat(timespec="minutes"),
        sky=sky,
        condition=condition,
        is_day=now.is_day,
        temperature=now.temperature_2m,
        feels_like=now.apparent_temperature,
        humidity_percent=now.relative_humidity_2m,
        wind_speed=now.wind_speed_10m,
        temperature_unit="°F" if imperial else "°C",
        wind_unit="mph" if imperial else "km/h",
        precipitation_unit="in" if imperial else "mm",
        days=tuple(_days_from(forecast.daily)),
        source="Open-Meteo",
    )


def _days_from(daily: _Daily) -> list[DayForecast]:
    """Each day that has temperatures: the service may send nulls at the end of its range."""
    rows = zip(
        daily.time,
        daily.weather_code,
        daily.temperature_2m_min,
        daily.temperature_2m_max,
        daily.precipitation_probability_max,
        daily.precipitation_sum,
        strict=False,
    )
    return [
        DayForecast(
            date=day.isoformat(),
            sky=_words_for(code)[0],
            condition=_words_for(code)[1],
            low=low,
            high=high,
            rain_chance_percent=chance,
            precipitation=amount,
        )
        for day, code, low, high, chance, amount in rows
        if low is not None and high is not None
    ]


def _words_for(code: int | None) -> tuple[Sky, str]:
    return _WMO.get(code, ("cloudy", "unknown sky")) if code is not None else ("cloudy", "unknown sky")
