"""The facts of a card as the properties of its element: text, ready to be shown, in the reader's language. Pure."""

import math
import re
from collections.abc import Iterable
from datetime import date
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from tools.cards import DayForecast, FileCard, SourceCard, TableCard, WeatherCard
from ui.revealed import without_hidden
from ui.texts.cards import CardWords

Props = dict[str, Any]

_MAX_EXACT = 2**53
"""Beyond it a browser's numbers lose digits."""


def weather_props(card: WeatherCard, words: CardWords) -> Props:
    """Degrees without decimals, as weather is told; days by their name, today first."""
    return {
        "label": words.weather.format(place=card.place),
        "place": card.place,
        "when": words.local_time.format(time=card.local_time[11:16]),
        "sky": card.sky,
        "isDay": card.is_day,
        "condition": words.skies[card.sky],
        "temperature": _degrees(card.temperature),
        "unit": card.temperature_unit,
        "feelsLike": words.feels_like.format(temperature=_degrees(card.feels_like)),
        "facts": [
            {"icon": "Droplets", "name": words.humidity, "value": f"{card.humidity_percent} %"},
            {"icon": "Wind", "name": words.wind, "value": f"{card.wind_speed:.0f} {card.wind_unit}"},
        ],
        "days": [_day_props(day, card.local_time[:10], words) for day in card.days],
        "rainChance": words.rain_chance,
        "source": words.weather_by.format(source=card.source),
    }


def _day_props(day: DayForecast, today: str, words: CardWords) -> Props:
    weekday = words.weekdays[date.fromisoformat(day.date).weekday()]
    chance = day.rain_chance_percent
    return {
        "date": day.date,
        "name": words.today if day.date == today else weekday,
        "sky": day.sky,
        "condition": words.skies[day.sky],
        "low": _degrees(day.low),
        "high": _degrees(day.high),
        "chance": f"{chance} %" if chance else "",
    }


def _degrees(value: float) -> str:
    return f"{round(value)}°".replace("-", "−")  # a minus sign, as wide as a figure


def table_props(card: TableCard, words: CardWords) -> Props:
    """Cells as JSON can hold them; a column is numeric where it holds numbers and nothing else."""
    columns = list(zip(*card.rows, strict=True)) or [()] * len(card.columns)
    title = without_hidden(card.title) or words.table
    return {
        "title": title,
        "columns": list(card.columns),
        "rows": [[_cell(cell) for cell in row] for row in card.rows],
        "numeric": [_is_numeric(column) for column in columns],
        "amount": _amount(len(card.rows), card.total_rows, words),
        "download": words.download_rows,
        "fileName": f"{title}.csv",
    }


def _amount(shown: int, total: int, words: CardWords) -> str:
    if shown < total:
        return words.first_rows.format(shown=shown, total=total)
    return (words.row if shown == 1 else words.rows).format(total=shown)


def _cell(cell: str | int | float | bool | None) -> str | int | float | None:
    match cell:
        case bool():
            return str(cell).lower()
        case float() if not math.isfinite(cell):
            return str(cell)
        case int() if abs(cell) > _MAX_EXACT:
            return str(cell)
        case _:
            return cell


def _is_numeric(cells: Iterable[Any]) -> bool:
    held = [cell for cell in cells if cell is not None]
    return bool(held) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in held)


def file_props(card: FileCard, words: CardWords) -> Props:
    """What the file is, in a line, and its first lines."""
    facts = [_kind(card, words), _size(card.size_bytes)]
    if card.version > 1:
        facts.append(words.version.format(version=card.version))
    return {
        "name": card.name,
        "about": " · ".join(facts),
        "mediaType": card.media_type,
        "preview": card.preview,
        "words": {"download": words.download, "preview": words.preview},
    }


def _kind(card: FileCard, words: CardWords) -> str:
    if known := words.kinds.get(card.media_type):
        return known
    ending = PurePath(card.name).suffix.removeprefix(".").upper()
    return words.any_kind.format(ending=ending) if ending else words.no_kind


def _size(size: float) -> str:
    """As people read it: `812 B`, `4.2 kB`, `31 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.1f} {unit}" if size < 10 and unit != "B" else f"{size:.0f} {unit}"


def source_props(cards: Iterable[SourceCard], words: CardWords) -> Props:
    """The sources for a list of cards or of citations; `label` is what a source is called aloud."""
    return {
        "sources": [_source(card, words) for card in cards],
        "words": {"sources": words.sources, "open": words.open_page, "close": words.close},
    }


def _source(card: SourceCard, words: CardWords) -> Props:
    title = without_hidden(card.title)
    return {
        "number": card.number,
        "label": words.source.format(number=card.number, title=title),
        "title": title,
        "url": card.url,
        "href": address(card.url),
        "site": card.site,
        "text": card.text,
        "wasRead": card.was_read,
        "origin": words.page_read if card.was_read else words.search_hit,
    }


def address(url: str) -> str:
    """The address as the page writes it: in letters that neither Markdown nor a table of it takes for its own."""
    return quote(re.sub(r"%(?![0-9A-Za-z]{2})", "%25", url), safe="%/:?#@!$&*+,;=~'.-_")


def cards_from(props: Props) -> list[SourceCard]:
    """The sources that `source_props` made these of."""
    return [
        SourceCard(
            title=source["title"],
            url=source["url"],
            site=source["site"],
            text=source["text"],
            number=source["number"],
            was_read=source["wasRead"],
        )
        for source in props["sources"]
    ]
