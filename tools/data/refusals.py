"""Why a file is not read, as advice to a model."""

from tools.data.unreadable import Reason, Unreadable

_WORDS: dict[Reason, str] = {
    "empty": "it is empty",
    "too_large": "it is too large",
    "unknown_kind": "it is {found}, which can't be read",
    "mismatch": "it is not what its name says",
    "damaged": "it is damaged, or not what its name says",
    "protected": "it is protected by a password, or in Excel's old format",
    "active": "it holds macros or scripts",
    "bomb": "it unpacks to far more than can be read",
    "too_slow": "reading it takes too long",
    "no_room": "there is no room for it",
}


def words_for(reason: Reason, **facts: object) -> str:
    """The reason as half a sentence."""
    return _WORDS[reason].format_map({"found": "a file of another kind", **facts})


def advice_for(name: str, fault: Unreadable) -> str:
    """What to tell a model that wanted to read the file."""
    why = words_for(fault.reason, **fault.facts)
    return f"{name!r} could not be read: {why}. Tell the user so; do not make up what it says."
