"""Plotly within the confinement: a figure that is shown, or is the value of a call, leaves as its JSON."""

import sys
from collections.abc import Callable
from typing import Any

from tools.sandbox.inside.gallery import Gallery


def prepare_plotly(basedatatypes: Any, gallery: Callable[[], Gallery]) -> None:
    """Make `Figure.show` hand over the figure instead of opening a browser."""

    def show(figure: Any, *_arguments: object, **_options: object) -> None:
        take_plot(figure, gallery())

    basedatatypes.BaseFigure.show = show


def is_plot(value: object) -> bool:
    """Whether this is a Plotly figure."""
    plotly = sys.modules.get("plotly.basedatatypes")
    return plotly is not None and isinstance(value, plotly.BaseFigure)


def take_plot(figure: Any, gallery: Gallery) -> None:
    """Hand over the figure."""
    title = figure.layout.title.text or "Interactive figure"
    axes = [f"{name}: {axis.title.text}" for name, axis in _axes(figure) if axis.title.text]
    gallery.add_plot(figure.to_json(), "; ".join([str(title), *axes])[:500])


def _axes(figure: Any) -> list[tuple[str, Any]]:
    return [("x", figure.layout.xaxis), ("y", figure.layout.yaxis)]
