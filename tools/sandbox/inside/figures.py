"""matplotlib within the confinement: figures become pictures without a window, and Chinese is not boxes."""

import io
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

from tools.sandbox.inside.attempt import Attempt
from tools.sandbox.inside.gallery import Gallery

_MOST_PIXELS = 1_600
"""Of a picture's longer side, before its margins are fitted."""
_DPI = 144
_CHINESE_FONTS = (
    r"Noto Sans CJK SC|Noto Sans SC|Source Han Sans (SC|CN)|HarmonyOS Sans SC|Alibaba PuHuiTi",
    r"Noto Sans CJK|Source Han Sans|Noto Serif (CJK )?SC|Noto Serif CJK",
    r"WenQuanYi|PingFang|Microsoft YaHei|SimHei|SimSun|Heiti|LXGW|Sarasa|AR PL|Droid Sans Fallback|Unifont",
)
"""Names of fonts with Chinese characters, the best first; those of the second row have Japanese and Korean, too."""
_NO_FONT = (
    "Some characters were drawn as boxes, because this computer has no font for them. Say so, or use English labels."
)


def prepare_pyplot(pyplot: Any, gallery: Callable[[], Gallery]) -> None:
    """Make `show` and `Figure.show` take pictures, and keep every wish for a window harmless."""

    def show(*_arguments: object, **_options: object) -> None:
        take_figures(gallery())

    def show_one(figure: Any, *_arguments: object, **_options: object) -> None:
        _take(figure, gallery())
        pyplot.close(figure)

    def stay(*_arguments: object, **_options: object) -> None:
        """There is one backend, which draws without a window."""

    pyplot.switch_backend("agg")
    pyplot.show = show
    pyplot.switch_backend = pyplot.matplotlib.use = stay
    pyplot.Figure.show = show_one
    warnings.filterwarnings("ignore", message=r"Glyph .* missing from")


def prepare_fonts(font_manager: Any) -> None:
    """Let a font with Chinese characters stand in wherever the chosen one has no sign, whatever fonts the code sets.

    matplotlib asks `_find_fonts_by_props` for the list of fonts to go through (3.6 and newer); there is no public
    place for a last resort. Fonts that were wished for and are missing are not worth a warning for each label.
    """
    manager = font_manager.fontManager
    names = sorted({entry.name for entry in manager.ttflist})
    found = next((name for row in _CHINESE_FONTS for name in names if re.match(row, name)), None)
    font_manager._log.setLevel("ERROR")
    if found is None:
        return
    last_resort = manager.findfont(found)
    ask = manager._find_fonts_by_props

    def find_fonts(*arguments: Any, **options: Any) -> list[Any]:
        fonts: list[Any] = ask(*arguments, **options)
        return fonts if last_resort in fonts else [*fonts, last_resort]

    manager._find_fonts_by_props = find_fonts


def take_figures(gallery: Gallery) -> None:
    """Turn all figures that are open into pictures and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if figure.axes or figure.texts:
            _take(figure, gallery)
    pyplot.close("all")


def close_figures() -> None:
    """Close what a call that failed had open, so that it does not turn up in the next one."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


def _take(figure: Any, gallery: Gallery) -> None:
    dpi = min(_DPI, _MOST_PIXELS / max(*figure.get_size_inches(), 1))
    with Attempt() as attempt, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gallery.add_picture(_png(figure, dpi), _alt(figure))
    if attempt.error:
        gallery.note(f"A figure could not be drawn: {type(attempt.error).__name__}: {str(attempt.error)[:200]}")
    elif any("missing from" in str(warning.message) for warning in caught):
        gallery.note(_NO_FONT)


def _png(figure: Any, dpi: float) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=dpi, bbox_inches="tight")
    return picture.getvalue()


def _alt(figure: Any) -> str:
    heading = figure.get_suptitle() if hasattr(figure, "get_suptitle") else ""
    parts = [heading, *(_words_of(axes) for axes in figure.axes[:6])]
    return " · ".join(part for part in parts if part)[:500] or "Figure without a title"


def _words_of(axes: Any) -> str:
    title, x, y = axes.get_title(), axes.get_xlabel(), axes.get_ylabel()
    legend = axes.get_legend()
    entries = ", ".join(text.get_text() for text in legend.get_texts()) if legend else ""
    words = [title, f"x: {x}" if x else "", f"y: {y}" if y else "", entries]
    return "; ".join(word for word in words if word)
