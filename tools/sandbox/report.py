"""What a confined process says about a call, read as what it is: the words of a stranger. Wrong ones are no report.

Nothing here is decoded further than needed: a picture's size is read from its head, its pixels stay packed.
"""

import base64
import binascii
import struct
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.cards import PictureCard, PlotlyCard, TableCard
from tools.sandbox.plotly_json import plain_figure

MOST_BYTES = 16 << 20
"""Of one report. What the process collects for a call has half of that as its limit."""
_MOST_PIXELS = 16_000_000
_PNG = b"\x89PNG\r\n\x1a\n"

Alt = Annotated[str, Field(max_length=500)]
_Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
Cell = Annotated[str, Field(max_length=1_000)] | bool | _Whole | Annotated[float, Field(allow_inf_nan=False)] | None
"""Numbers as browsers can hold them."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Picture(_Strict):
    png: Annotated[str, Field(max_length=MOST_BYTES)]
    alt: Alt


class _Plot(_Strict):
    figure: Annotated[str, Field(max_length=MOST_BYTES)]
    alt: Alt


class _Table(_Strict):
    title: Annotated[str, Field(max_length=200)]
    columns: Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=40)]
    rows: Annotated[list[list[Cell]], Field(max_length=200)]
    total_rows: Annotated[int, Field(ge=0, le=2**53)]


class Report(_Strict):
    """One call's report. `token` is that of the call, which shows that it is no left-over or blind forgery."""

    token: str
    value: str | None = None
    error: str | None = None
    out_of_memory: bool = False
    half_imported: bool = False
    pictures: Annotated[list[_Picture], Field(max_length=20)] = []
    plots: Annotated[list[_Plot], Field(max_length=20)] = []
    tables: Annotated[list[_Table], Field(max_length=20)] = []
    notes: Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=20)] = []


def report_from(body: bytes, token: str) -> Report | None:
    """The report of the call with this token, or None."""
    try:
        report = Report.model_validate_json(body)
    except ValidationError:
        return None
    return report if report.token == token else None


def pictures_from(report: Report) -> tuple[PictureCard, ...]:
    """The pictures that are real PNGs of a bearable size."""
    cards = (PictureCard(_decoded(picture.png), picture.alt) for picture in report.pictures)
    return tuple(card for card in cards if _is_bearable(card.png))


def plots_from(report: Report) -> tuple[PlotlyCard, ...]:
    """The Plotly figures, less all that would make the page ask other hosts."""
    figures = ((plain_figure(plot.figure), plot.alt) for plot in report.plots)
    return tuple(PlotlyCard(figure, alt) for figure, alt in figures if figure is not None)


def tables_from(report: Report) -> tuple[TableCard, ...]:
    """The tables; each row is as wide as the heading."""
    return tuple(
        TableCard(
            title=table.title,
            columns=tuple(table.columns),
            rows=tuple(tuple(row) for row in table.rows if len(row) == len(table.columns)),
            total_rows=table.total_rows,
        )
        for table in report.tables
    )


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


def _is_bearable(png: bytes) -> bool:
    if not png.startswith(_PNG) or png[12:16] != b"IHDR" or len(png) < 33:
        return False
    width, height = struct.unpack(">II", png[16:24])
    return 0 < int(width) * int(height) <= _MOST_PIXELS
