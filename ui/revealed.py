"""Text in which nothing is hidden: for places where people decide by what they read. Pure."""

import unicodedata

_HIDDEN_KINDS = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_SEEN = frozenset("\n\t \u3000")
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters and marks that draw nothing, though Unicode does not count them among the invisible."""


def revealed(text: str) -> str:
    """The text with each character that nobody sees, or that turns others round, written out as ‹U+202E›."""
    return "".join(f"‹U+{ord(one):04X}›" if _is_hidden(one) else one for one in text)


def _is_hidden(one: str) -> bool:
    if one in _SEEN:
        return False
    is_selector = "\ufe00" <= one <= "\ufe0d" or "\U000e0100" <= one <= "\U000e01ef"  # not those of emoji
    return is_selector or one in _BLANK_LETTERS or unicodedata.category(one) in _HIDDEN_KINDS
