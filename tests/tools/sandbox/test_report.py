"""What a confined process says is read as the words of a stranger."""

import base64
import json
import struct
import zlib
from typing import Any

import pytest

from tools.sandbox.output import Output
from tools.sandbox.plotly_json import plain_figure
from tools.sandbox.report import Report, pictures_from, plots_from, report_from, tables_from


def png(width: int = 2, height: int = 2) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def report(**parts: Any) -> Report:
    found = report_from(json.dumps({"token": "t", **parts}).encode(), "t")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"token": "other"}',
        b'{"token": 1}',
        b'{"token": "t", "value": 5}',
        b'{"token": "t", "files": ["/etc/passwd"]}',
        b'{"token": "t", "pictures": [{"png": "/etc/passwd"}]}',
        b'{"token": "t", "pictures": "all"}',
        b'{"token": "t", "tables": [{"title": "", "columns": [], "rows": [[{}]], "total_rows": 0}]}',
        b'{"token": "t", "tables": [{"title": "", "columns": [], "rows": [], "total_rows": -1}]}',
        b'{"token": "t", "tables": [{"title": "", "columns": ["a"], "rows": [[NaN]], "total_rows": 1}]}',
        b'{"token": "t", "tables": [{"title": "", "columns": ["a"], "rows": [[1e999]], "total_rows": 1}]}',
        b'{"token": "t", "notes": ' + json.dumps(["n"] * 99).encode() + b"}",
        b"[" * 1_000_000,
        b'{"a":' * 100_000,
        b"\xff\xfe\x00",
        b"\x80\x04\x95.",  # a pickle
    ],
)
def test_what_is_no_report_of_this_call_is_none(body: bytes) -> None:
    assert report_from(body, "t") is None


@pytest.mark.parametrize(
    ("picture", "is_shown"),
    [
        (png(), True),
        (png(4000, 4000), True),
        (png(50_000, 50_000), False),
        (png(2**31, 1), False),
        (png(0, 5), False),
        (png()[:20], False),
        (b"<html><script>alert(1)</script></html>", False),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", False),
        (b"\x89PNG\r\n\x1a\n<script>alert(1)</script> and more and more", False),
        (b"", False),
    ],
)
def test_only_real_pictures_of_a_bearable_size_are_shown(picture: bytes, is_shown: bool) -> None:
    cards = pictures_from(report(pictures=[{"png": base64.b64encode(picture).decode(), "alt": "a"}]))
    assert [card.png for card in cards] == ([picture] if is_shown else [])


def test_a_picture_that_is_not_base64_is_left_out() -> None:
    assert pictures_from(report(pictures=[{"png": "%%%", "alt": ""}])) == ()


def test_rows_that_do_not_fit_their_heading_are_left_out() -> None:
    table = {"title": "t", "columns": ["a", "b"], "rows": [[1, None], [1], ["x", 2.5, 3]], "total_rows": 3}
    (card,) = tables_from(report(tables=[table]))
    assert card.rows == ((1, None),)
    assert card.total_rows == 3


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"data": 1}', "{" * 5_000, "[" * 100_000, '{"data": [}'])
def test_what_is_no_figure_is_left_out(text: str) -> None:
    assert plain_figure(text) is None
    assert plots_from(report(plots=[{"figure": text, "alt": ""}])) == ()


def test_a_figure_keeps_what_it_shows_and_loses_what_points_out() -> None:
    figure = {
        "data": [
            {"type": "bar", "x": ["a", "b"], "y": [1, 2], "text": 'see <a href="http://evil.example">this</a>'},
            {"type": "bar", "text": "<<a >a href='https://evil.example'>nested"},
            {"type": "image", "source": "https://evil.example/pixel.png"},
            {"type": "image", "source": "data:image/png;base64,AAAA"},
            {"type": "image", "source": "data:text/html,<script>"},
        ],
        "layout": {
            "title": {"text": "T"},
            "images": [{"source": "//evil.example/x.png"}],
            "map": {"style": "https://evil.example/style.json", "layers": [{"source": "http://evil.example/t"}]},
            "updatemenus": [{"buttons": [{"args": [{"images[0].source": "https://evil.example/z.png"}]}]}],
            "template": {"layout": {"images": [{"source": "http://evil.example/y.png"}]}},
        },
        "config": {"plotlyServerURL": "https://evil.example"},
        "onload": "alert(1)",
    }
    plain = plain_figure(json.dumps(figure))
    assert plain is not None
    assert "<a" not in plain
    assert plain.count("evil.example") == 1  # in words that are no link
    assert "<script" not in plain
    kept = json.loads(plain)
    assert kept["data"][0] == {"type": "bar", "x": ["a", "b"], "y": [1, 2], "text": "see this"}
    assert kept["data"][3]["source"] == "data:image/png;base64,AAAA"
    assert kept["layout"]["title"] == {"text": "T"}
    assert set(kept) == {"data", "layout"}


def test_numbers_that_are_no_json_become_nothing() -> None:
    plain = plain_figure('{"data": [{"y": [NaN, Infinity, -Infinity, 1.5]}], "layout": {}}')
    assert plain is not None
    assert json.loads(plain)["data"] == [{"y": [None, None, None, 1.5]}]


@pytest.mark.parametrize("size", [1, 7, 100, 5_000])
def test_output_keeps_its_beginning_and_its_end(size: int) -> None:
    whole = b"".join(b"%06d\n" % number for number in range(10_000))
    output = Output(1_000)
    for at in range(0, len(whole), size):
        output.feed(whole[at : at + size])
    text = output.text()
    assert output.total == len(whole)
    assert text.startswith("000000\n000001\n")
    assert text.endswith("009998\n009999\n")
    assert "69,000 more bytes were printed" in text
    assert len(text) < 1_100


def test_short_output_is_whole() -> None:
    output = Output(1_000)
    output.feed("中文".encode()[:4])
    output.feed("中文".encode()[4:])
    assert output.text() == "中文"
