"""Text in which nothing is hidden, for the lines that people read and decide by. Pure."""

import re
import unicodedata

MAX_SUBJECT_CHARS = 80

_HIDDEN_KINDS = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_SEEN = frozenset("\n\t \u3000")
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters and marks that draw nothing, though Unicode does not count them among the invisible."""
_JOINERS = "\u200c\u200d"
_JOINER = re.compile(rf"((?<=[^\x00-\x7f])[{_JOINERS}](?=[^\x00-\x7f]))")
"""Between letters of other scripts, and in emoji, these two are part of the spelling."""
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_PILE = re.compile(rf"([{_MARKS}]{{3}})[{_MARKS}]+")
"""More marks on one letter than any script has: they would run over the lines above."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")


def revealed(text: str) -> str:
    """The text with each character that nobody sees, or that turns others round, written out as ‹U+202E›."""
    return "".join(f"‹U+{ord(one):04X}›" if _is_hidden(one) else one for one in text)


def subject_line(text: str) -> str:
    """What a title says of something from outside: one line of at most `MAX_SUBJECT_CHARS`, nothing hidden in it.

    Text that runs from right to left is isolated, so that it takes nothing along of what stands beside it.
    """
    parts = _JOINER.split(_PILE.sub(r"\1", " ".join(text.split())))
    line = "".join(part if number % 2 else revealed(part) for number, part in enumerate(parts))
    line = line if len(line) <= MAX_SUBJECT_CHARS else line[: MAX_SUBJECT_CHARS - 1] + "…"
    return f"\u2068{line}\u2069" if _RIGHT_TO_LEFT.search(line) else line


def without_hidden(text: str) -> str:
    """Prose, piece by piece as it comes: what is hidden is dropped, blanks and joiners stay."""
    if text.isprintable():
        return text
    kept = (one for one in text if one in _JOINERS or one.isspace() or not _is_hidden(one))
    return "".join(one if one in _JOINERS or not _is_hidden(one) else " " for one in kept)


def _is_hidden(one: str) -> bool:
    if one in _SEEN:
        return False
    is_selector = "\ufe00" <= one <= "\ufe0d" or "\U000e0100" <= one <= "\U000e01ef"  # not those of emoji
    return is_selector or one in _BLANK_LETTERS or unicodedata.category(one) in _HIDDEN_KINDS
