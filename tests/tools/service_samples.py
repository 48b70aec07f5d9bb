"""What the stand-ins answer: bodies in the services' own shapes, with made-up figures."""

from typing import Any

CAPITAL = "PPLC"


def spot(
    name: str, admin1: str, country: str, *, code: str, people: int | None = None, kind: str = "PPL", lat: float = 1.5
) -> dict[str, Any]:
    """A place as Open-Meteo describes it: without the key where the population is not known."""
    known = {} if people is None else {"population": people}
    return {
        "id": abs(hash((name, admin1, country))) % 10**7,
        "name": name,
        "latitude": lat,
        "longitude": 10.25,
        "elevation": 12.0,
        "feature_code": kind,
        "country_code": code,
        "timezone": "Europe/Oslo",
        "country_id": 1,
        "country": country,
        "admin1": admin1,
        **known,
    }


OPEN_METEO_PLACES: dict[str, list[dict[str, Any]]] = {
    "Oslo": [
        spot("Oslo", "Minnesota", "United States", code="US", people=330),
        spot("Oslo", "Oslo County", "Norway", code="NO", people=709_037, kind=CAPITAL, lat=59.91),
    ],
    "Paris": [
        spot("Paris", "Visayas", "Philippines", code="PH", people=2_000),
        spot("Parispatak", "Pest", "Hungary", code="HU", people=900),
        spot("Paris", "Texas", "United States", code="US", people=24_782, lat=33.66),
        spot("Paris", "Île-de-France", "France", code="FR", people=2_138_551, kind=CAPITAL, lat=48.85),
    ],
    "Springfield": [
        spot("Springfield", "Oregon", "United States", code="US", people=60_870),
        spot("Springfield", "Missouri", "United States", code="US", people=166_810),
        spot("Springfield", "Illinois", "United States", code="US", people=114_394),
        spot("Springfield", "Queensland", "Australia", code="AU"),
    ],
    "北京": [
        spot("北京", "重庆市", "中国", code="CN"),
        spot("北京", "四川", "中国", code="CN"),
    ],
    "北京市": [spot("北京市", "北京市", "中国", code="CN", people=18_960_744, kind=CAPITAL, lat=39.9)],
    "成都": [spot("成都市", "四川", "中国", code="CN", people=13_568_357, kind="PPLA", lat=30.66)],
    "Wien": [
        spot("Wien", "Wisconsin", "United States", code="US", people=70),
        spot("Vienna", "Vienna", "Austria", code="AT", people=1_691_468, kind=CAPITAL, lat=48.2),
    ],
    "San Jose": [
        spot("San José", "San José", "Costa Rica", code="CR", people=335_007, kind=CAPITAL),
        spot("San Jose", "California", "United States", code="US", people=1_026_908, lat=37.3),
    ],
    "Hamilton": [
        spot("Hamilton", "Hamilton city", "Bermuda", code="BM", people=902, kind=CAPITAL),
        spot("Hamilton", "Ontario", "Canada", code="CA", people=519_949, lat=43.2),
    ],
    "Qwertzu": [spot("Qwertzendorf", "Saxony", "Germany", code="DE", people=120)],
}


def open_meteo_places(asked: Any) -> dict[str, Any]:
    found = OPEN_METEO_PLACES.get(asked.params["name"])
    return {"results": found, "generationtime_ms": 0.5} if found else {"generationtime_ms": 0.5}


def open_meteo_forecast(asked: Any) -> dict[str, Any]:
    days = int(asked.params["forecast_days"])
    fahrenheit = asked.params.get("temperature_unit") == "fahrenheit"
    return {
        "latitude": float(asked.params["latitude"]),
        "longitude": float(asked.params["longitude"]),
        "utc_offset_seconds": 3600,
        "timezone": "Europe/Oslo",
        "current_units": {"time": "iso8601", "temperature_2m": "°F" if fahrenheit else "°C"},
        "current": {
            "time": "2026-11-04T14:15",
            "interval": 900,
            "temperature_2m": 45.5 if fahrenheit else 7.5,
            "apparent_temperature": 41.2 if fahrenheit else 5.1,
            "relative_humidity_2m": 81,
            "weather_code": 61,
            "wind_speed_10m": 8.7 if fahrenheit else 14.0,
            "is_day": 1,
        },
        "daily": {
            "time": [f"2026-11-{4 + day:02}" for day in range(days)],
            "weather_code": [61, 3, 0, 71, 95, 45, 2][:days],
            "temperature_2m_min": [4.1, 3.0, -1.5, -4.0, 2.2, 1.0, None][:days],
            "temperature_2m_max": [8.2, 7.9, 5.0, 0.5, 9.9, 6.0, None][:days],
            "precipitation_probability_max": [70, 10, 0, 55, 90, None, None][:days],
            "precipitation_sum": [3.2, 0.0, 0.0, 1.4, 12.5, 0.0, None][:days],
        },
    }


OPENWEATHER_PLACES: dict[str, list[dict[str, Any]]] = {
    "Paris": [
        {"name": "Paris", "local_names": {"fr": "Paris", "zh": "巴黎"}, "lat": 48.85, "lon": 2.35, "country": "FR"}
        | {"state": "Ile-de-France"},
        {"name": "Paris", "lat": 33.66, "lon": -95.55, "country": "US", "state": "Texas"},
    ],
    "Paris,TX,US": [{"name": "Paris", "lat": 33.66, "lon": -95.55, "country": "US", "state": "Texas"}],
    "Paris,FR": [{"name": "Paris", "lat": 48.85, "lon": 2.35, "country": "FR", "state": "Ile-de-France"}],
    "London,ON,CA": [{"name": "London", "lat": 42.98, "lon": -81.24, "country": "CA", "state": "Ontario"}],
    "北京": [
        {"name": "Beijing", "local_names": {"zh": "北京市", "en": "Beijing"}, "lat": 39.9, "lon": 116.4}
        | {"country": "CN", "state": "Beijing"}
    ],
}

NOON = 1_793_793_600  # 2026-11-04 12:00 UTC


def openweather_sky(kind: int, words: str, icon: str) -> list[dict[str, Any]]:
    return [{"id": kind, "main": words.title(), "description": words, "icon": icon}]


def openweather_step(number: int) -> dict[str, Any]:
    """One step of three hours, colder at night, with rain on the second day."""
    rainy = 4 <= number < 12
    return {
        "dt": NOON + number * 10_800,
        "main": {"temp": 8, "feels_like": 6, "temp_min": 5 - number * 0.1, "temp_max": 9.04, "humidity": 80},
        "weather": openweather_sky(500, "light rain", "10d") if rainy else openweather_sky(801, "few clouds", "02d"),
        "pop": 0.64 if rainy else 0.1,
        **({"rain": {"3h": 1.27}} if rainy else {}),
    }


ANSWERS: dict[str, Any] = {
    "/v1/search": open_meteo_places,
    "/v1/forecast": open_meteo_forecast,
    "/geo/1.0/direct": lambda asked: OPENWEATHER_PLACES.get(asked.params["q"], []),
    "/data/2.5/weather": {
        "coord": {"lon": 2.35, "lat": 48.85},
        "weather": openweather_sky(803, "broken clouds", "04d"),
        "main": {"temp": 12.34, "feels_like": 11.5, "temp_min": 11, "temp_max": 13, "pressure": 1015, "humidity": 72},
        "wind": {"speed": 5, "deg": 240},
        "dt": NOON,
        "timezone": 3600,
        "name": "Paris",
        "cod": 200,
    },
    "/data/2.5/forecast": {
        "cod": "200",
        "cnt": 40,
        "list": [openweather_step(number) for number in range(40)],
        "city": {"id": 2988507, "name": "Paris", "country": "FR", "timezone": 3600},
    },
    "/search": {
        "query": "trams",
        "follow_up_questions": None,
        "answer": None,
        "images": [],
        "results": [
            {"title": "Tram museum", "url": "https://www.trams.example/museum", "content": "Open  daily.\nFree entry."}
            | {"score": 0.9, "raw_content": None},
            {"title": "A long page", "url": "http://long.example/a", "content": "word " * 2_000, "score": 0.8},
            {"title": "Not the web", "url": "javascript:alert(1)", "content": "no", "score": 0.7},
        ],
        "response_time": 0.9,
    },
    "/extract": {
        "results": [{"url": "https://a.example/", "title": "A page", "raw_content": "# Heading\n\nIts text."}],
        "failed_results": [],
        "response_time": 0.4,
    },
}
