"""Weather and places from OpenWeather, with a key. Facts: openweathermap.org/current, /forecast5, /api/geocoding-api.

The free plan's endpoints are used, so that every key works: five days in steps of three hours, made into days here.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from pydantic import BaseModel, Field, RootModel

from tools.cards import DayForecast, Sky, WeatherCard
from tools.http import ServiceClient
from tools.weather.places import Place, country_code, language_of, state_of
from tools.weather.service import Units

_MOST_PLACES = 5
_MM_PER_INCH = 25.4
_KM_H_PER_M_S = 3.6


class OpenWeather:
    """OpenWeather's geocoding, current weather and five-day forecast."""

    def __init__(self, base: str, key: str) -> None:
        self._base = base
        self._key = key

    async def places(self, name: str, regions: tuple[str, ...]) -> Sequence[Place]:
        """At most five places of the name, the best known first; in the regions where OpenWeather knows these.

        Raises:
            ServiceError: no usable answer.
        """
        query = ",".join((name, *_codes_from(regions)))
        async with self._service() as service:
            found = await service.get("/geo/1.0/direct", _Places, {"q": query, "limit": _MOST_PLACES})
        return [_place_from(place, language_of(name)) for place in found.root]

    async def forecast(self, place: Place, *, days: int, units: Units) -> WeatherCard:
        """The weather now and for `days` days, today included; the service has no more than about five.

        Raises:
            ServiceError: no usable answer.
        """
        params = {"lat": place.latitude, "lon": place.longitude, "units": units}
        async with self._service() as service:
            now = await service.get("/data/2.5/weather", _Now, params)
            steps = await service.get("/data/2.5/forecast", _Steps, params)
        return _card_from(now, _days_from(steps, units)[:days], place, units=units)

    def _service(self) -> ServiceClient:
        return ServiceClient("OpenWeather", self._base, secret_params={"appid": self._key})


class _FoundPlace(BaseModel):
    name: str
    local_names: dict[str, str] = {}
    lat: float
    lon: float
    country: str = ""
    state: str = ""


class _Places(RootModel[list[_FoundPlace]]):
    pass


class _Weather(BaseModel):
    id: int
    description: str
    icon: str


class _Main(BaseModel):
    temp: float
    feels_like: float
    temp_min: float
    temp_max: float
    humidity: int


class _Wind(BaseModel):
    speed: float


class _Now(BaseModel):
    dt: int
    timezone: int
    weather: list[_Weather] = Field(min_length=1)
    main: _Main
    wind: _Wind


class _Step(BaseModel):
    dt: int
    weather: list[_Weather] = Field(min_length=1)
    main: _Main
    pop: float = 0
    rain: dict[str, float] = {}
    snow: dict[str, float] = {}


class _City(BaseModel):
    timezone: int


class _Steps(BaseModel):
    list: list[_Step]
    city: _City


def _codes_from(regions: tuple[str, ...]) -> list[str]:
    """The regions as OpenWeather takes them: a state's code with its country, or a country's code."""
    codes: list[str] = []
    for region in regions:
        state = state_of(region)
        codes += state if state and len(regions) == 1 else [state[0] if state else country_code(region) or region]
    return codes


def _place_from(found: _FoundPlace, language: str) -> Place:
    state = state_of(found.state)
    return Place(
        name=found.local_names.get(language, found.name),
        latitude=found.lat,
        longitude=found.lon,
        country_code=found.country.upper(),
        region=found.state,
        within=state[:1] if state else (),
        other_names=(found.name, *found.local_names.values()),
    )


def _card_from(now: _Now, days: list[DayForecast], place: Place, *, units: Units) -> WeatherCard:
    imperial = units == "imperial"
    return WeatherCard(
        place=place.label,
        local_time=_local(now.dt, now.timezone).strftime("%Y-%m-%dT%H:%M"),
        sky=_sky_from(now.weather[0].id),
        condition=now.weather[0].description,
        is_day=now.weather[0].icon.endswith("d"),
        temperature=round(now.main.temp, 1),
        feels_like=round(now.main.feels_like, 1),
        humidity_percent=now.main.humidity,
        wind_speed=round(now.wind.speed * (1 if imperial else _KM_H_PER_M_S), 1),
        temperature_unit="°F" if imperial else "°C",
        wind_unit="mph" if imperial else "km/h",
        precipitation_unit="in" if imperial else "mm",
        days=tuple(days),
        source="OpenWeather",
    )


def _days_from(steps: _Steps, units: Units) -> list[DayForecast]:
    shift = steps.city.timezone
    by_day = groupby(steps.list, key=lambda step: _local(step.dt, shift).date())
    return [_day_from(day, list(of_day), units) for day, of_day in by_day]


def _day_from(day: date, steps: Sequence[_Step], units: Units) -> DayForecast:
    """One day of its three-hour steps; its sky is the one most often seen."""
    weather, _ = Counter((step.weather[0].id, step.weather[0].description) for step in steps).most_common(1)[0]
    fallen = sum(step.rain.get("3h", 0) + step.snow.get("3h", 0) for step in steps)
    return DayForecast(
        date=day.isoformat(),
        sky=_sky_from(weather[0]),
        condition=weather[1],
        low=round(min(step.main.temp_min for step in steps), 1),
        high=round(max(step.main.temp_max for step in steps), 1),
        rain_chance_percent=round(100 * max(step.pop for step in steps)),
        precipitation=round(fallen / _MM_PER_INCH, 2) if units == "imperial" else round(fallen, 1),
    )


def _local(seconds: int, shift: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC) + timedelta(seconds=shift)


def _sky_from(weather_id: int) -> Sky:
    """By OpenWeather's condition codes: hundreds are kinds, and from 800 on the clouds grow."""
    match weather_id:
        case 800:
            return "clear"
        case 801 | 802:
            return "partly_cloudy"
        case 511 | 611 | 612 | 613 | 615 | 616:
            return "sleet"
    kinds: dict[int, Sky] = {2: "thunderstorm", 3: "drizzle", 5: "rain", 6: "snow", 7: "fog"}
    return kinds.get(weather_id // 100, "cloudy")
