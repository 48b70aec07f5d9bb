"""What the tables of a chat's files are called in SQL: words that need no quotes, each only once. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePath

_NO_WORD = re.compile(r"\W+")
_MAX_CHARS = 60


def identifier(words: str) -> str:
    """The words as one name: `销售 2024` as `销售_2024`, `2024` as `t_2024`."""
    name = _NO_WORD.sub("_", unicodedata.normalize("NFC", words)).strip("_")[:_MAX_CHARS] or "table"
    return f"t_{name}" if name[0].isdigit() else name


def stem_of(path: str) -> str:
    """The name of a file without its folders and its ending."""
    return PurePath(path).stem


def first_free(candidates: Iterable[str], *, taken: Iterable[str]) -> str:
    """The first of the names that is not taken, else the last with a number. Case makes no difference, as in SQL."""
    used = {name.casefold() for name in taken}
    names = list(candidates)
    for name in names:
        if name.casefold() not in used:
            return name
    number = 2
    while f"{names[-1]}_{number}".casefold() in used:
        number += 1
    return f"{names[-1]}_{number}"
