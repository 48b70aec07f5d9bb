import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.ui.card_samples import picture, read_page, sources, table, weather
from tools.cards import FileCard, TableCard
from ui.cards import sources_in
from ui.cards.figure import on_any_page
from ui.cards.props import address, file_props, source_props, table_props, weather_props
from ui.texts import CHINESE, ENGLISH

WORDS = ENGLISH.cards


def as_sent(props: dict[str, Any]) -> dict[str, Any]:
    """The properties as the page receives them."""
    received: dict[str, Any] = json.loads(json.dumps(props, allow_nan=False))
    return received


def test_weather_is_told_in_whole_degrees_in_the_units_that_came() -> None:
    props = as_sent(weather_props(weather(), WORDS))
    assert (props["label"], props["when"]) == ("Weather in Oslo, Norway", "Local time 14:15")
    assert (props["temperature"], props["unit"], props["feelsLike"]) == ("−2°", "°C", "Feels like −5°")
    assert [fact["value"] for fact in props["facts"]] == ["81 %", "14 km/h"]
    assert props["source"] == "Data: Open-Meteo"


def test_days_are_told_by_name_from_today_on() -> None:
    days = weather_props(weather(), WORDS)["days"]
    assert [day["name"] for day in days] == ["Today", "Thu", "Fri", "Sat", "Sun", "Mon", "Tue"]
    assert [day["chance"] for day in days[:2]] == ["", "12 %"]
    chinese = weather_props(weather(), CHINESE.cards)["days"]
    assert [(day["name"], day["condition"]) for day in chinese[:2]] == [("今天", "雨"), ("周四", "多云")]


def test_a_place_where_it_is_just_below_zero_has_no_minus_zero() -> None:
    assert weather_props(replace(weather(), temperature=-0.4), WORDS)["temperature"] == "0°"


@pytest.mark.parametrize(
    ("cells", "is_numeric"),
    [
        ((1, 2.5, None), True),
        ((1, "2"), False),
        ((True, False), False),
        ((None, None), False),
        ((1, math.nan), True),
        (("a", None), False),
    ],
)
def test_a_column_is_numeric_where_it_holds_numbers_only(cells: tuple[Any, ...], *, is_numeric: bool) -> None:
    card = TableCard(title="", columns=("a",), rows=tuple((cell,) for cell in cells), total_rows=len(cells))
    assert table_props(card, WORDS)["numeric"] == [is_numeric]


def test_cells_reach_the_page_as_they_are_or_as_exact_text() -> None:
    row = (1, 2.5, None, True, math.inf, 2**60, "<b>")
    card = TableCard(title="T", columns=tuple("abcdefg"), rows=(row,), total_rows=1)
    assert as_sent(table_props(card, WORDS))["rows"] == [[1, 2.5, None, "true", "inf", str(2**60), "<b>"]]


@pytest.mark.parametrize(
    ("shown", "total", "english", "chinese"),
    [
        (50, 12_345, "First 50 of 12,345 rows", "前 50 行，共 12,345 行"),
        (3, 3, "3 rows", "共 3 行"),
        (1, 1, "1 row", "共 1 行"),
        (0, 0, "0 rows", "共 0 行"),
    ],
)
def test_a_table_says_how_much_of_it_is_shown(shown: int, total: int, english: str, chinese: str) -> None:
    card = TableCard(title="T", columns=("a",), rows=((1,),) * shown, total_rows=total)
    assert (table_props(card, WORDS)["amount"], table_props(card, CHINESE.cards)["amount"]) == (english, chinese)


def test_a_table_without_rows_still_has_its_columns() -> None:
    props = table_props(TableCard(title="", columns=("a", "b"), rows=(), total_rows=0), WORDS)
    assert (props["title"], props["numeric"], props["fileName"]) == ("Table", [False, False], "Table.csv")


@pytest.mark.parametrize(
    ("name", "media_type", "size", "version", "about"),
    [
        ("a.csv", "text/csv", 812, 1, "CSV table · 812 B"),
        ("a.csv", "text/csv", 4_230, 2, "CSV table · 4.2 kB · version 2"),
        ("a.xyz", "application/x-unknown", 31_000_000, 1, "XYZ file · 31 MB"),
        ("README", "application/octet-stream", 1_000, 1, "File · 1.0 kB"),
        ("a.bin", "application/octet-stream", 5_200_000_000_000, 1, "BIN file · 5200 GB"),
    ],
)
def test_a_file_says_what_it_is(name: str, media_type: str, *, size: int, version: int, about: str) -> None:
    card = FileCard(name=name, path=Path("/x"), media_type=media_type, size_bytes=size, version=version)
    assert file_props(card, WORDS)["about"] == about


def test_sources_come_back_from_a_stored_chat_as_they_were() -> None:
    cards = [*sources(), read_page()]
    stored = [
        {"type": "custom", "name": "Sources", "props": as_sent(source_props(cards, WORDS))},
        {"type": "custom", "name": "Weather", "props": {}},
        {"type": "image", "name": "Sources", "props": None},
        {"type": "custom", "name": "Citations", "props": as_sent(source_props(cards[:1], WORDS))},
    ]
    assert sources_in(stored) == cards


def test_a_source_has_a_name_to_be_called_by() -> None:
    (found, *_, read) = source_props([*sources(), read_page()], WORDS)["sources"]
    assert (found["label"], found["origin"]) == ("Source 1: Oslo tram museum", "Search result")
    assert (read["label"], read["origin"]) == ("Source 3: Trams in Oslo", "Page that was read")


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://a.example/p_(x)|y z", "https://a.example/p_%28x%29%7Cy%20z"),
        ("https://a.example/%20?a=1&b=%2F#q", "https://a.example/%20?a=1&b=%2F#q"),
        ("https://a.example/100%", "https://a.example/100%25"),
        ("https://a.example/有", "https://a.example/%E6%9C%89"),
        ('https://a.example/"<>`[]{}\\^', "https://a.example/%22%3C%3E%60%5B%5D%7B%7D%5C%5E"),
    ],
)
def test_an_address_is_written_in_letters_that_markdown_leaves_alone(url: str, written: str) -> None:
    assert address(url) == written


def test_a_figure_has_no_ground_of_its_own_and_fetches_nothing() -> None:
    given = {
        "data": [{"type": "bar", "y": [1, 2]}],
        "layout": {
            "template": "plotly_dark",
            "paper_bgcolor": "white",
            "plot_bgcolor": "#fff",
            "width": 1200,
            "title": {"text": "Rides"},
            "images": [{"source": "https://evil.example/x.png"}, {"source": "data:image/png;base64,AA"}],
        },
    }
    figure = json.loads(on_any_page(json.dumps(given)))
    layout = figure["layout"]
    assert figure["data"] == given["data"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert layout["title"] == {"text": "Rides"}
    assert "width" not in layout
    assert [image["source"] for image in layout["images"]] == ["data:image/png;base64,AA"]
    assert figure["config"]["displaylogo"] is False


def test_a_figure_without_a_layout_gets_one() -> None:
    assert json.loads(on_any_page('{"data": []}'))["layout"]["autosize"] is True


def test_the_samples_are_what_they_claim() -> None:
    assert picture().png.startswith(b"\x89PNG")
    assert len(table().rows) == 50
