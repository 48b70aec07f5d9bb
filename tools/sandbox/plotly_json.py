"""A Plotly figure by strangers made plain: its data and layout stay, what points to other hosts goes. Pure."""

import json
import re
from typing import Any

_LINK = re.compile(r"</?a\b[^>]*>?", re.IGNORECASE)
"""Plotly's texts may hold links."""
_OPENING = re.compile(r"<(?=/?a\b)", re.IGNORECASE)
"""What is a link only since the one within it is gone; written out, it stays text."""
_ADDRESS = re.compile(
    r"\s*(?:(?:[a-z][a-z0-9+.-]*:)?//|(?:javascript|blob|file|vbscript|data(?!:image/(?:png|jpeg|gif|webp)[;,])):)",
    re.IGNORECASE,
)
_POINTING = frozenset({"source", "src", "url", "href", "topojsonurl", "plotlyserverurl", "geojson", "style", "uid"})
"""Keys whose text would be fetched. Map styles and outlines are names, or addresses if they look like one."""
_PARTS = ("data", "layout", "frames")
_MOST_DEPTH = 40


def plain_figure(figure_json: str) -> str | None:
    """The figure with its data, layout and frames only, as JSON; None where it is no figure."""
    try:
        figure = json.loads(figure_json)
    except (ValueError, RecursionError):
        return None
    if not isinstance(figure, dict) or not isinstance(figure.get("data"), list):
        return None
    if not isinstance(figure.get("layout") or {}, dict):
        return None
    return json.dumps({part: _plain(figure[part], _MOST_DEPTH) for part in _PARTS if part in figure}, allow_nan=False)


def _plain(value: Any, depth: int) -> Any:
    if depth == 0:
        return None
    match value:
        case dict():
            return {key: _plain(inner, depth - 1) for key, inner in value.items() if not _points_out(key, inner)}
        case list():
            return [_plain(inner, depth - 1) for inner in value]
        case str():
            return _OPENING.sub("&lt;", _LINK.sub("", value))
        case float() if value != value or value in {float("inf"), float("-inf")}:  # NaN is not JSON
            return None
    return value


def _points_out(key: str, value: object) -> bool:
    """Also where the key is a path, as buttons set it: `images[0].source`."""
    parts = re.split(r"[.\[\]]+", key.lower())
    if "images" in parts:
        return True
    return not _POINTING.isdisjoint(parts) and isinstance(value, str) and bool(_ADDRESS.match(value))
