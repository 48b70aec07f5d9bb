from dataclasses import replace

import pytest

from tests.tools.calling import advice_of, named, output_of, text_of, tools_of
from tests.tools.services import Services
from tools import ToolConfig
from tools.base import Tool
from tools.cards import DayForecast, WeatherCard


@pytest.fixture
def open_meteo(config: ToolConfig) -> Tool:
    return named(tools_of(config), "get_weather")


@pytest.fixture
def openweather(config: ToolConfig) -> Tool:
    return named(tools_of(replace(config, openweather_api_key="owm-canary")), "get_weather")


async def test_open_meteo_now_and_the_days(open_meteo: Tool) -> None:
    output = await output_of(open_meteo, city="Paris", days=2)
    assert output.content == (
        "Weather for Paris (Île-de-France, France), asked for as 'Paris'. Local time 2026-11-04 14:15. "
        "Source: Open-Meteo.\n"
        "Now: light rain, 7.5 °C (feels like 5.1), humidity 81 %, wind 14 km/h.\n"
        "Wednesday 2026-11-04 (today): light rain, 4.1 to 8.2 °C, 70 % chance of precipitation, 3.2 mm.\n"
        "Thursday 2026-11-05 (tomorrow): overcast, 3 to 7.9 °C, 10 % chance of precipitation."
    )
    assert output.raw_output.display == (
        WeatherCard(
            place="Paris (Île-de-France, France)",
            local_time="2026-11-04T14:15",
            sky="rain",
            condition="light rain",
            is_day=True,
            temperature=7.5,
            feels_like=5.1,
            humidity_percent=81,
            wind_speed=14.0,
            temperature_unit="°C",
            wind_unit="km/h",
            precipitation_unit="mm",
            days=(
                DayForecast(
                    date="2026-11-04",
                    sky="rain",
                    condition="light rain",
                    low=4.1,
                    high=8.2,
                    rain_chance_percent=70,
                    precipitation=3.2,
                ),
                DayForecast(
                    date="2026-11-05",
                    sky="cloudy",
                    condition="overcast",
                    low=3.0,
                    high=7.9,
                    rain_chance_percent=10,
                    precipitation=0.0,
                ),
            ),
            source="Open-Meteo",
        ),
    )


async def test_open_meteo_is_asked_once_for_the_place_and_by_its_coordinates(
    services: Services, open_meteo: Tool
) -> None:
    await text_of(open_meteo, city="Paris, Texas")
    (place,) = services.asked_at("/v1/search")
    assert place.params == {"name": "Paris", "count": "50", "language": "en"}
    (forecast,) = services.asked_at("/v1/forecast")
    assert (forecast.params["latitude"], forecast.params["longitude"]) == ("33.66", "10.25")
    assert (forecast.params["timezone"], forecast.params["forecast_days"]) == ("auto", "3")
    assert "temperature_unit" not in forecast.params


async def test_imperial_units(services: Services, open_meteo: Tool) -> None:
    text = await text_of(open_meteo, city="Oslo", units="imperial")
    assert "45.5 °F (feels like 41.2), humidity 81 %, wind 8.7 mph" in text
    (forecast,) = services.asked_at("/v1/forecast")
    assert forecast.params["temperature_unit"] == "fahrenheit"
    assert forecast.params["precipitation_unit"] == "inch"
    assert forecast.params["wind_speed_unit"] == "mph"


async def test_chinese_is_answered_in_chinese_names_and_finds_the_capital(services: Services, open_meteo: Tool) -> None:
    assert "北京市 (中国)" in await text_of(open_meteo, city="北京")
    assert [asked.params["language"] for asked in services.asked_at("/v1/search")] == ["zh", "zh"]
    (forecast,) = services.asked_at("/v1/forecast")
    assert forecast.params["latitude"] == "39.9"


async def test_days_without_figures_are_left_out_and_told(open_meteo: Tool) -> None:
    text = await text_of(open_meteo, city="Oslo", days=7)
    assert text.count("°C") == 7
    assert "Open-Meteo forecasts only 6 days." in text


async def test_other_places_of_the_name_are_told(open_meteo: Tool) -> None:
    text = await text_of(open_meteo, city="Springfield")
    assert text.splitlines()[-1] == (
        "Other places of that name: Springfield (Illinois, United States); Springfield (Oregon, United States)."
    )


async def test_not_found_is_advice(services: Services, open_meteo: Tool) -> None:
    assert await advice_of(open_meteo, city="Qxzzy") == (
        "No place called 'Qxzzy' was found. Try another spelling, its English name, or a larger town nearby."
    )
    near = await advice_of(open_meteo, city="Oslo, France")
    assert near.startswith(
        "No place fits 'Oslo, France'. Places of a like name: Oslo (Minnesota, United States); Oslo ("
    )
    assert services.asked_at("/v1/forecast") == []


async def test_an_unreachable_service_is_told_honestly(config: ToolConfig) -> None:
    lost = named(tools_of(replace(config, open_meteo_geocoding_api_base="http://127.0.0.1:9")), "get_weather")
    assert await advice_of(lost, city="Oslo") == (
        "The weather could not be looked up: Open-Meteo can't be reached from here. Tell the user so plainly. "
        "Do not state or guess any weather, and do not call get_weather again for this."
    )


@pytest.mark.parametrize(
    ("code", "words"), [(0, "clear sky"), (48, "freezing fog"), (99, "heavy hail"), (42, "unknown")]
)
async def test_weather_codes_are_words(services: Services, open_meteo: Tool, *, code: int, words: str) -> None:
    forecast = services.answers["/v1/forecast"]

    def with_code(asked: object) -> dict[str, object]:
        answer = forecast(asked)
        return answer | {"current": answer["current"] | {"weather_code": code}}

    services.answers["/v1/forecast"] = with_code
    assert words in await text_of(open_meteo, city="Oslo", days=1)


async def test_openweather_now_and_its_steps_made_into_days(openweather: Tool) -> None:
    output = await output_of(openweather, city="Paris", days=2)
    assert output.content.splitlines()[:4] == [
        "Weather for Paris (Ile-de-France, France), asked for as 'Paris'. Local time 2026-11-04 13:00. "
        "Source: OpenWeather.",
        "Now: broken clouds, 12.3 °C (feels like 11.5), humidity 72 %, wind 18 km/h.",
        "Wednesday 2026-11-04 (today): few clouds, 4.7 to 9 °C, 10 % chance of precipitation.",
        "Thursday 2026-11-05 (tomorrow): light rain, 3.9 to 9 °C, 64 % chance of precipitation, 10.2 mm.",
    ]
    (card,) = output.raw_output.display
    assert (card.sky, card.is_day, card.source) == ("cloudy", True, "OpenWeather")
    assert [day.sky for day in card.days] == ["partly_cloudy", "rain"]


async def test_openweather_gives_as_many_days_as_it_has(openweather: Tool) -> None:
    text = await text_of(openweather, city="Paris", days=7, units="imperial")
    assert "OpenWeather forecasts only 6 days." in text
    assert "0.4 in." in text
    assert "wind 5 mph" in text


@pytest.mark.parametrize(
    ("city", "query", "label"),
    [
        ("Paris, Texas", "Paris,TX,US", "Paris (Texas, United States)"),
        ("Paris, TX, US", "Paris,TX,US", "Paris (Texas, United States)"),
        ("Paris, France", "Paris,FR", "Paris (Ile-de-France, France)"),
        ("London, Ontario, Canada", "London,ON,CA", "London (Ontario, Canada)"),
        ("北京", "北京", "北京市 (Beijing, China)"),
    ],
)
async def test_openweather_is_asked_in_its_own_codes(
    services: Services, openweather: Tool, *, city: str, query: str, label: str
) -> None:
    assert label in await text_of(openweather, city=city)
    (place,) = services.asked_at("/geo/1.0/direct")
    assert place.params == {"q": query, "limit": "5", "appid": "owm-canary"}
    for path in ("/data/2.5/weather", "/data/2.5/forecast"):
        (asked,) = services.asked_at(path)
        assert asked.params["units"] == "metric"


async def test_a_base_may_have_a_path(services: Services, config: ToolConfig) -> None:
    services.answers["/gateway/v1/search"] = services.answers["/v1/search"]
    gateway = replace(config, open_meteo_geocoding_api_base=f"{services.base}/gateway/")
    assert "Oslo" in await text_of(named(tools_of(gateway), "get_weather"), city="Oslo")
