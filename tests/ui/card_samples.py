"""One card of each kind, with words of strangers in them that would do harm if they were more than text."""

import json
import struct
import zlib
from pathlib import Path

from tools.cards import DayForecast, FileCard, PictureCard, PlotlyCard, Sky, SourceCard, TableCard, WeatherCard

SKIES: list[Sky] = ["rain", "partly_cloudy", "clear", "snow", "thunderstorm", "fog", "sleet"]
EVIL = (
    '"><img src=https://evil.example/x onerror=alert(1)> [x](javascript:alert(1)) **bold** ![i](https://evil.example/p)'
)


def weather() -> WeatherCard:
    days = tuple(
        DayForecast(
            date=f"2026-11-{4 + at:02}",
            sky=sky,
            condition=sky,
            low=-3.4 + at,
            high=2.6 + at,
            rain_chance_percent=at * 12,
        )
        for at, sky in enumerate(SKIES)
    )
    return WeatherCard(
        place="Oslo, Norway",
        local_time="2026-11-04T14:15",
        sky="partly_cloudy",
        condition="Partly cloudy",
        is_day=True,
        temperature=-1.6,
        feels_like=-5.2,
        humidity_percent=81,
        wind_speed=13.7,
        temperature_unit="°C",
        wind_unit="km/h",
        precipitation_unit="mm",
        days=days,
        source="Open-Meteo",
    )


def picture() -> PictureCard:
    """A real PNG of 320 by 200 points: a gradient, so that one sees where it ends."""
    rows = b"".join(b"\0" + bytes(v for x in range(320) for v in (40 + x // 2, 120, 50 + y)) for y in range(200))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", 320, 200, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return PictureCard(b"\x89PNG\r\n\x1a\n" + b"".join(chunks), "A gradient from green to violet")


def figure() -> PlotlyCard:
    days = ["Mon", "Tue", "Wed"]
    trams = {"type": "bar", "name": "Trams", "x": days, "y": [4, 9, 6]}
    buses = {"type": "scatter", "name": "Buses", "x": days, "y": [7, 3, 8]}
    axes = {"xaxis": {"title": {"text": "Day"}}, "yaxis": {"title": {"text": "Rides"}}}
    layout = {"title": {"text": "Rides"}, "paper_bgcolor": "white", **axes}
    return PlotlyCard(json.dumps({"data": [trams, buses], "layout": layout}), "Rides by day: trams and buses")


def table() -> TableCard:
    rows = tuple(
        (f"Line {at}", at * 1234, None if at % 7 == 0 else at / 3, '=HYPERLINK("x")' if at == 1 else "north" * 6)
        for at in range(50)
    )
    return TableCard(title="Lines", columns=("line", "rides", "share", "direction"), rows=rows, total_rows=12_345)


def file(folder: Path) -> FileCard:
    path = folder / "report.csv"
    path.write_text("line,rides\n11,1234\n12,5678\n", "utf-8")
    return FileCard(
        name="report.csv",
        path=path,
        media_type="text/csv",
        size_bytes=path.stat().st_size,
        version=2,
        preview=path.read_text("utf-8"),
    )


def sources() -> tuple[SourceCard, ...]:
    excerpt = "The museum stands in the old depot. Entry is free on Sundays. " * 6
    return (
        SourceCard(
            "Oslo tram museum",
            "https://www.trams.example/museum?a=1&copy;=2",
            "trams.example",
            excerpt,
            number=1,
            was_read=False,
        ),
        SourceCard(EVIL, "https://evil.example/p_(x)|y", "evil.example", EVIL, number=2, was_read=False),
        SourceCard("Script", "javascript:alert(1)", "", "x", number=4, was_read=False),
    )


def read_page() -> SourceCard:
    text = "\n\n".join(f"Paragraph {at}: trams have run in Oslo since 1875." for at in range(30))
    return SourceCard(
        "Trams in Oslo", "https://history.example/trams", "history.example", text, number=3, was_read=True
    )
