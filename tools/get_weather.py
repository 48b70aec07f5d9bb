"""The tool `get_weather`: finds the place once, asks by coordinates, and names the place that was found."""

from datetime import date
from typing import Annotated

from pydantic import Field

from tools.base import Line, ToolError, ToolResult
from tools.cards import DayForecast, WeatherCard
from tools.http import ServiceError
from tools.weather.places import Found, PlaceNotFoundError, find_place
from tools.weather.service import Units, WeatherService


class Weather:
    """The weather by one service."""

    def __init__(self, service: WeatherService) -> None:
        self._service = service

    async def get_weather(
        self,
        city: Annotated[
            Line, Field(description='The place, with region or country if known: "Oslo", "Paris, Texas", "北京".')
        ],
        days: Annotated[int, Field(description="Days of forecast, today included.", ge=1, le=7)] = 3,
        units: Annotated[
            Units, Field(description="What the user is used to: imperial (°F) in the US, metric elsewhere.")
        ] = "metric",
    ) -> ToolResult:
        """Look up the weather at a place: now, and a forecast for up to 7 days.

        Name the place that the result names, since several places may bear one name.
        """
        try:
            found = await find_place(self._service.places, city)
            card = await self._service.forecast(found.place, days=days, units=units)
        except PlaceNotFoundError as error:
            raise ToolError(_not_found(city, error)) from None
        except ServiceError as error:
            raise ToolError(_no_weather(error)) from None
        return ToolResult(_text_from(card, city, found=found, days=days), (card,))


def _not_found(city: str, error: PlaceNotFoundError) -> str:
    if error.near:
        known = "; ".join(place.label for place in error.near[:5])
        return f"No place fits {city!r}. Places of a like name: {known}. Ask for one of these, or ask the user."
    return f"No place called {city!r} was found. Try another spelling, its English name, or a larger town nearby."


def _no_weather(error: ServiceError) -> str:
    return (
        f"The weather could not be looked up: {error}. Tell the user so plainly. Do not state or guess any weather, "
        "and do not call get_weather again for this."
    )


def _text_from(card: WeatherCard, city: str, *, found: Found, days: int) -> str:
    today = date.fromisoformat(card.local_time[:10])
    lines = [
        f"Weather for {card.place}, asked for as {city!r}. Local time {card.local_time.replace('T', ' ')}. "
        f"Source: {card.source}.",
        f"Now: {card.condition}, {card.temperature:g} {card.temperature_unit} (feels like {card.feels_like:g}), "
        f"humidity {card.humidity_percent} %, wind {card.wind_speed:g} {card.wind_unit}.",
        *(_day_line(day, card, today) for day in card.days),
    ]
    if len(card.days) < days:
        lines.append(f"{card.source} forecasts only {len(card.days)} days.")
    if found.others:
        lines.append(f"Other places of that name: {'; '.join(place.label for place in found.others)}.")
    return "\n".join(lines)


def _day_line(day: DayForecast, card: WeatherCard, today: date) -> str:
    when = date.fromisoformat(day.date)
    nearness = {0: " (today)", 1: " (tomorrow)"}.get((when - today).days, "")
    chance = "" if day.rain_chance_percent is None else f", {day.rain_chance_percent} % chance of precipitation"
    amount = f", {day.precipitation:g} {card.precipitation_unit}" if day.precipitation else ""
    span = f"{day.low:g} to {day.high:g} {card.temperature_unit}"
    return f"{when:%A} {day.date}{nearness}: {day.condition}, {span}{chance}{amount}."
