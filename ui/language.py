"""Which of the translations at hand is nearest to a browser's language tag.

Pure: knows tags and lists of tags, not Chainlit and not the texts themselves.
"""

from collections.abc import Collection
from typing import Literal

_DEFAULT = "en-US"
_CHINESE = {"zh", "cmn", "yue", "wuu", "hak", "nan"}
_TRADITIONAL = {"hant", "tw", "hk", "mo"}
_RENAMED = {"iw": "he", "in": "id", "ji": "yi"}
"""Codes that old browsers and systems still send (RFC 5646, preferred values of deprecated languages)."""


def nearest_translation(tag: str, available: Collection[str]) -> str:
    """Return the tag out of `available` that a reader of `tag` can read best; en-US where there is none."""
    subtags = _subtags(tag)
    wanted = "-".join(subtags)
    by_name = {name.lower(): name for name in sorted(available)}
    if subtags[0] in _CHINESE:
        wanted = "zh-tw" if _is_traditional(subtags) else "zh-cn"
    if wanted in by_name:
        return by_name[wanted]
    same_language = (name for lower, name in by_name.items() if lower.split("-")[0] == subtags[0])
    return next(same_language, _DEFAULT)


def texts_language(tag: str | None) -> Literal["en", "zh"]:
    """Return the language of the app's own words for a browser's language tag: Chinese of any kind, or English."""
    return "zh" if tag and _subtags(tag)[0] in _CHINESE else "en"


def _subtags(tag: str) -> list[str]:
    first, *others = tag.strip().lower().replace("_", "-").split("-")
    return [_RENAMED.get(first, first), *others]


def _is_traditional(subtags: list[str]) -> bool:
    return "hans" not in subtags and (subtags[0] == "yue" or not _TRADITIONAL.isdisjoint(subtags))
