"""The labels of a ReAct reply, in the languages and spellings that models use. No state."""

import re
from enum import StrEnum
from unicodedata import combining, normalize

from agents import label_words


class Label(StrEnum):
    """What a labelled line of a reply holds."""

    THOUGHT = "thought"
    ACTION = "action"
    INPUT = "input"
    ANSWER = "answer"
    OBSERVATION = "observation"
    QUESTION = "question"
    """The model invents the next question, or it is a line of a quiz."""
    ROLE = "role"
    """`User:` and the like: the model has begun to write the other side of the conversation."""


_SQUEEZED = str.maketrans("", "", " _-'’")


def key_of(word: str) -> str:
    """A word as labels are compared: without case, accents, blanks, hyphens, underscores and apostrophes."""
    word = word.translate(_SQUEEZED)
    if not word.isascii():
        word = "".join(letter for letter in normalize("NFKD", word) if not combining(letter))
    return word.casefold()


def _keys_of(words: str) -> frozenset[str]:
    return frozenset(map(key_of, label_words.spelt_out(words)))


LABELS = {key: label for label in Label for key in _keys_of(getattr(label_words, label.name))}
WEAK_LABELS = dict.fromkeys(_keys_of(label_words.WEAK_ACTION), Label.ACTION)
"""Everyday words that announce an action only if the name of a tool follows."""
WEAK_ANSWERS = _keys_of(label_words.WEAK_ANSWER)
"""Everyday words that announce the answer only if no other label comes after."""

_PREFIXES = {word[:size] for word in {*LABELS, *WEAK_LABELS, *WEAK_ANSWERS} for size in range(len(word) + 1)}
_INLINE_PREFIXES = {
    word[:size]
    for word, label in LABELS.items()
    if label in {Label.ACTION, Label.ANSWER}
    for size in range(len(word) + 1)
}
_INLINE_INITIALS = {"", "*", " "} | {
    word[:1] for words in (label_words.ACTION, label_words.ANSWER) for word in label_words.spelt_out(words)
}

_BLANK = r"[ \t\u00a0\u2000-\u200f\u202f\u2060\u3000\ufeff]"
_MARK = r"\-–—+*•·●○◦▪■◆▶►→\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
_INDENT = (
    rf"{_BLANK}{{0,16}}+(?:>{{1,3}}+[ \t]{{0,3}}+)?+"
    rf"(?:(?:[{_MARK}\#]{{1,6}}+|\(?\d{{1,2}}+[.)、])[ \t]{{1,3}}+)?+"
)
_OPEN = r"[*_`\"'\[【「(]{0,4}+"
_CLOSE = r"[*_`\"'\]】」)]{0,4}+"
_WORD = r"[^\W\d_](?:[^\W\d_]|[ _'’\-](?=[^\W\d_])){0,28}+"
_NUMBER = r"(?:[ \t]?(?:\#?\d{1,2}+|\[\d{1,2}\]|\((?:\d{1,2}|json)\)))?"
_COLON = "[:：﹕∶]"

LABEL_LINE = (
    rf"(?P<indent>{_INDENT})(?P<before>{_OPEN})(?P<word>{_WORD}){_NUMBER}(?P<after>{_CLOSE})"
    rf"(?:{_BLANK}?(?P<colon>{_COLON})(?P<tail>[*_`]{{1,3}}+)?|(?<=[\]】])(?=[ \t]{{0,3}}[^ \t:：])|[ \t]{{0,3}}(?=\n))"
)
"""What follows a line break where a label may stand: `Action:`, `- **Action 1**：`, `【行动】`, `### Action`."""

INLINE_LABEL = r"\*{0,2}(?P<inline>(?:final[ _]?)?[^\W\d_]{2,12}+)\*{0,2}[ ]?[:：]\*{0,2}"
"""What may be a label in the middle of a line, for models that write all on one."""

_UNDECIDED_LINE = re.compile(
    rf"\n(?:{_BLANK}{{0,16}}+(?:>{{1,3}}+[ \t]{{0,3}}+)?+(?:[>{_MARK}\#]{{1,6}}+|\(?\d{{0,2}}+[.)、]?)?+|{_INDENT})"
    rf"{_OPEN}(?P<word>[^\W\d_][^\W\d]{{0,15}}(?:[ _'’\-][^\W\d_]{{0,15}}){{0,3}})?"
    rf"(?:[ \t]?(?:[\[(#]?\d{{0,2}}|\([jJ]\w{{0,3}}))?{_CLOSE}{_BLANK}{{0,3}}{_COLON}?[*_`]{{0,3}}"
)
_MAX_LABEL_LINE = 64
MAX_INLINE_LABEL = 24
"""The longest label with its marks that counts in the middle of a line."""


def may_become_label(line: str) -> bool:
    """Whether more text could turn `line` (a line break and what follows it so far) into a labelled line."""
    if len(line) > _MAX_LABEL_LINE:
        return False
    found = _UNDECIDED_LINE.fullmatch(line)
    return found is not None and key_of(found["word"] or "") in _PREFIXES


def may_become_inline_label(text: str) -> bool:
    """The same for `text` in the middle of a line."""
    if text[:1].lower() not in _INLINE_INITIALS or len(text) > MAX_INLINE_LABEL:
        return False
    return key_of(text.strip("* ")) in _INLINE_PREFIXES


def emphasis_left_open(before: str, after: str) -> str:
    """The mark that opens before a label's word and is still open at its colon, as in `**Answer:** yes`; else ""."""
    return next((mark for mark in "*_`" if mark in before and mark not in after), "")
