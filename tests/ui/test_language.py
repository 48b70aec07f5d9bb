import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.language import nearest_translation, texts_language

ROOT = Path(__file__).parents[2]
TRANSLATIONS = ROOT / ".chainlit" / "translations"
CHAINLIT = find_spec("chainlit")
assert CHAINLIT
assert CHAINLIT.origin
SHIPPED = Path(CHAINLIT.origin).parent / "translations"  # found, not imported: importing writes into this folder
AVAILABLE = frozenset(path.stem for path in TRANSLATIONS.glob("*.json"))


@pytest.mark.parametrize(
    ("tag", "nearest"),
    [
        ("zh-CN", "zh-CN"),
        ("zh", "zh-CN"),
        ("zh-SG", "zh-CN"),
        ("zh-MY", "zh-CN"),
        ("zh-Hans", "zh-CN"),
        ("zh-Hans-CN", "zh-CN"),
        ("zh-Hans-HK", "zh-CN"),
        ("zh-TW", "zh-TW"),
        ("zh-HK", "zh-TW"),
        ("zh-MO", "zh-TW"),
        ("zh-Hant", "zh-TW"),
        ("zh-Hant-HK", "zh-TW"),
        ("yue-HK", "zh-TW"),
        ("ZH-hk", "zh-TW"),
        ("zh_TW", "zh-TW"),
        ("en", "en-US"),
        ("en-GB", "en-US"),
        ("fr", "fr-FR"),
        ("fr-CA", "fr-FR"),
        ("es-419", "es"),
        ("pt-BR", "pt-PT"),
        ("de-AT", "de-DE"),
        ("ja-JP", "ja"),
        ("iw", "he-IL"),
        ("sv-SE", "en-US"),
        ("tlh", "en-US"),
        ("", "en-US"),
        ("../../etc/passwd", "en-US"),
    ],
)
def test_the_nearest_translation(tag: str, nearest: str) -> None:
    assert nearest_translation(tag, AVAILABLE) == nearest


@given(st.text(max_size=40))
def test_any_tag_finds_one_that_exists(tag: str) -> None:
    assert nearest_translation(tag, AVAILABLE) in AVAILABLE
    assert texts_language(tag) in {"en", "zh"}


@pytest.mark.parametrize(
    ("tag", "language"), [("zh-HK", "zh"), ("yue", "zh"), ("zh_CN", "zh"), ("en-GB", "en"), ("de", "en"), (None, "en")]
)
def test_the_language_of_the_apps_own_words(tag: str | None, language: str) -> None:
    assert texts_language(tag) == language


def keys(tree: dict[str, object], prefix: str = "") -> set[str]:
    found = set()
    for name, value in tree.items():
        found |= keys(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name}
    return found


def test_all_of_chainlits_languages_are_here_so_that_it_writes_none() -> None:
    assert {path.stem for path in SHIPPED.glob("*.json")} <= AVAILABLE


@pytest.mark.parametrize("language", sorted(AVAILABLE))
def test_a_translation_has_every_word_and_lets_steps_name_themselves(language: str) -> None:
    shipped = json.loads((SHIPPED / "en-US.json").read_text(encoding="utf-8"))
    ours = json.loads((TRANSLATIONS / f"{language}.json").read_text(encoding="utf-8"))
    assert keys(shipped) <= keys(ours)
    assert ours["chat"]["messages"]["status"] == {"using": "", "used": ""}
