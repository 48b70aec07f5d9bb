"""What `get_weather` asks of a weather service. Open-Meteo and OpenWeather are two."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from tools.cards import WeatherCard
from tools.weather.places import Place

Units: TypeAlias = Literal["metric", "imperial"]


class WeatherService(Protocol):
    """A geocoder and a forecast. Both raise `ServiceError` when there is no usable answer."""

    async def places(self, name: str, regions: tuple[str, ...]) -> Sequence[Place]:
        """Places of that name; a service that can narrow the search uses the regions."""

    async def forecast(self, place: Place, *, days: int, units: Units) -> WeatherCard:
        """The weather at the place's coordinates, now and day by day, today included."""
