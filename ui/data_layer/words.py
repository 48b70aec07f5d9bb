"""How text is cut into words for the search, the same for every database. Pure.

Scripts written without blanks (Chinese, Japanese, Thai and others) count each character as a word, so that any part of
a sentence is found as a run of words; other scripts are found by the beginnings of words. Case and accents do not
matter.
"""

import re
import unicodedata

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_LONGEST = 40
_WORD = re.compile(rf"(?=\w)[{_UNSPACED}]|[^\W_{_UNSPACED}]{{1,{_LONGEST}}}")
_ACCENTS = re.compile("[\u0300-\u036f]")
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")


def words_of(text: str) -> list[str]:
    """The words of a text in order, folded; without punctuation."""
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
    return _WORD.findall(text)


def phrases_of(query: str) -> list[list[str]]:
    """What must occur together for a query to match: a run of words for each part between blanks."""
    return [words for part in query.split() if (words := words_of(part))]


def is_whole(word: str) -> bool:
    """Whether a word is a character that stands for itself; others may be the beginning of a longer word."""
    return bool(_UNSPACED_CHARACTER.fullmatch(word))
