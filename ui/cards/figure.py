"""A Plotly figure that looks at home on a light page and on a dark one. Knows Plotly's JSON and not its library."""

import json
from typing import Any, ClassVar

from chainlit.element import Element, ElementType
from pydantic.dataclasses import dataclass

_CLEAR = "rgba(0,0,0,0)"
_TEXT = "#7b868c"
_LINE = "rgba(123,134,140,0.28)"
_SCENE_LINE = "#9aa3a8"
"""In three dimensions lines are drawn without transparency."""
_COLORS = ["#2f8a9c", "#cf7f34", "#8a6fc0", "#5a9a63", "#c45b78", "#6a86c8", "#a08a3c", "#8f8f8f"]
_LINE_KINDS = ("gridcolor", "zerolinecolor", "linecolor", "tickcolor")
_AXIS = {**dict.fromkeys(_LINE_KINDS, _LINE), "automargin": True}
_SCENE_AXIS = {**dict.fromkeys(_LINE_KINDS, _SCENE_LINE), "showbackground": False}


@dataclass
class Figure(Element):  # type: ignore[misc]  # Chainlit's types are not read
    """Chainlit's own Plotly element wants the Python library and its figure; the page needs neither."""

    type: ClassVar[ElementType] = "plotly"


def on_any_page(figure_json: str) -> str:
    """The figure without a ground of its own, in middle tones that both pages bear, and as wide as there is room.

    What is told of the text and the lines by the stylesheet goes by the page's own colours; see `cards.css`.
    """
    figure: dict[str, Any] = json.loads(figure_json)
    layout = figure.get("layout") or {}
    layout |= {
        "template": {"layout": _neutral_look()},
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "autosize": True,
        "images": [image for image in layout.get("images") or [] if str(image.get("source")).startswith("data:")],
    }
    layout.pop("width", None)
    look = {"displaylogo": False, "responsive": True}
    return json.dumps(figure | {"layout": layout, "config": look})


def _neutral_look() -> dict[str, Any]:
    lines = {"gridcolor": _LINE, "linecolor": _LINE}
    return {
        "font": {"color": _TEXT, "size": 13},
        "colorway": _COLORS,
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "polar": {"bgcolor": _CLEAR, "angularaxis": lines, "radialaxis": lines},
        "scene": {"xaxis": _SCENE_AXIS, "yaxis": _SCENE_AXIS, "zaxis": _SCENE_AXIS},
        "geo": {"bgcolor": _CLEAR, "landcolor": _LINE, "lakecolor": _CLEAR},
        "legend": {"bgcolor": _CLEAR},
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "margin": {"l": 16, "r": 16, "t": 48, "b": 24},
    }
