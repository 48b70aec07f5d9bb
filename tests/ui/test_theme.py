"""Every text of both themes is legible: WCAG 2.2 AA, 4.5 to 1 for text and 3 to 1 for what only marks a place."""

import colorsys
import json
import re
from pathlib import Path

import pytest

PUBLIC = Path(__file__).parents[2] / "public"
THEME = json.loads((PUBLIC / "theme.json").read_text(encoding="utf-8"))
TEXT_ON_GROUND = [
    *(
        (text, ground)
        for text in ("foreground", "muted-foreground")
        for ground in ("background", "card", "accent", "muted")
    ),
    *((text, ground) for text in ("primary", "destructive") for ground in ("background", "card")),
    ("popover-foreground", "popover"),
    ("primary-foreground", "primary"),
    ("destructive-foreground", "destructive"),
    ("secondary-foreground", "secondary"),
    ("sidebar-foreground", "sidebar-background"),
    ("sidebar-accent-foreground", "sidebar-accent"),
]


def luminance(hsl: str) -> float:
    hue, saturation, lightness = (float(part.rstrip("%")) for part in hsl.split())
    channels = colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON_GROUND)
def test_text_is_legible(theme: str, text: str, ground: str) -> None:
    colours = THEME["variables"][theme]
    assert contrast(colours[f"--{text}"], colours[f"--{ground}"]) >= 4.5


@pytest.mark.parametrize(("theme", "selector"), [("light", ":root"), ("dark", ".dark")])
def test_code_is_legible(theme: str, selector: str) -> None:
    style = (PUBLIC / "thinkglass.css").read_text(encoding="utf-8")
    block = re.search(rf"^{selector} {{\n  --code-quiet.*?}}", style, re.DOTALL | re.MULTILINE)
    assert block
    colours = re.findall(r"--code-\w+: ([^;]+);", block[0])
    assert len(colours) == 5
    assert min(contrast(colour, THEME["variables"][theme]["--card"]) for colour in colours) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_focus_ring_can_be_seen(theme: str) -> None:
    colours = THEME["variables"][theme]
    assert contrast(colours["--ring"], colours["--background"]) >= 3


def test_both_themes_say_the_same_things() -> None:
    assert THEME["variables"]["light"].keys() == THEME["variables"]["dark"].keys()
    assert THEME["custom_fonts"] == []


@pytest.mark.parametrize("path", sorted(path for path in PUBLIC.rglob("*") if path.suffix in {".css", ".js", ".svg"}))
def test_nothing_that_is_served_names_another_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "://" not in text
    assert set(re.findall(r"url\((.{6})", text)) <= {"fonts/"}
