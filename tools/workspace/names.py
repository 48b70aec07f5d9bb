"""Which names a file of a workspace may have: such as every system can keep and no person can misread. Pure."""

import re
import unicodedata

from tools.base import ToolError

MAX_DEPTH = 8
_MAX_PART_BYTES = 200
"""Linux takes 255."""

_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
"""Windows keeps these for devices, whatever the ending."""

_NOT_IN_NAMES = re.compile(r'[<>:"|?*\\]')
"""Windows has no file with these; with a colon or a backslash a name can also be a path there."""

_AT_THE_ENDS = re.compile(r"^[\s.~]+|[\s.]+$")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_HOW = "Give a plain name such as 'report.md' or 'plots/sales.csv'."


class BadName(ToolError):
    """The name cannot be used; says why."""


def parts_from(path: str) -> tuple[str, ...]:
    """The folders and the name that a path relative to the workspace consists of, in composed form (NFC).

    Raises `BadName` for whatever is absolute, leads upwards, is hidden, reserved, too long, too deep or unreadable.
    """
    composed = unicodedata.normalize("NFC", path)
    if composed.startswith(("/", "~")):
        raise BadName(f"{_shown(path)} is an absolute path. Paths begin in the chat's own folder. {_HOW}")
    parts = tuple(part for part in composed.split("/") if part not in {"", "."})
    if not parts or composed.endswith("/"):
        raise BadName(f"{_shown(path)} names no file. {_HOW}")
    if len(parts) > MAX_DEPTH:
        raise BadName(f"{_shown(path)} lies too deep: at most {MAX_DEPTH - 1} folders. {_HOW}")
    for part in parts:
        if fault := _fault_of(part):
            raise BadName(f"{_shown(path)} can't be used as a name: {fault}. {_HOW}")
    return parts


def is_usable(part: str) -> bool:
    """Whether a name that stands in a folder already is one that may be given."""
    return _fault_of(unicodedata.normalize("NFC", part)) is None


def cleaned(name: str) -> str:
    """A usable name that is as near as can be to the one that a browser gave; its ending stays."""
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    seen = "".join(character for character in base if unicodedata.category(character) not in _UNSEEN_CATEGORIES)
    plain = _AT_THE_ENDS.sub("", _NOT_IN_NAMES.sub("_", seen)) or "file"
    stem, dot, ending = plain.rpartition(".")
    if not dot or len(ending.encode()) > 16:
        stem, dot, ending = plain, "", ""
    room = _MAX_PART_BYTES - len(f"{dot}{ending}".encode())
    short = f"{_shortened(stem, room)}{dot}{ending}"
    return f"_{short}" if _RESERVED.fullmatch(short) else short


def numbered(name: str, number: int) -> str:
    """`sales.csv` as `sales (2).csv`; a long name is cut, so that it is still one that may be given."""
    stem, dot, ending = name.rpartition(".")
    end = f" ({number}){dot}{ending}" if stem else f" ({number})"
    return _shortened(stem or name, _MAX_PART_BYTES - len(end.encode())) + end


def looks_like(name: str, other: str) -> bool:
    """Whether two names differ in nothing but case or composition, which many systems take for the same."""
    return _folded(name) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _fault_of(part: str) -> str | None:
    if part == "..":
        return "it leads out of the chat's own folder"
    if part.startswith((".", "~")):
        return "hidden files are not used here"
    if any(unicodedata.category(character) in _UNSEEN_CATEGORIES for character in part):
        return "it holds characters that nobody sees"
    if found := _NOT_IN_NAMES.search(part):
        return f"it holds {found[0]!r}"
    if part != part.strip() or part.endswith("."):
        return "it begins or ends with a blank or ends with a dot"
    if _RESERVED.fullmatch(part):
        return "Windows keeps this name for itself"
    if len(part.encode()) > _MAX_PART_BYTES:
        return "it is too long"
    return None


def _shown(path: str) -> str:
    return ascii(path[:60]) if not path[:60].isprintable() else repr(path[:60])


def _shortened(stem: str, max_bytes: int) -> str:
    return stem.encode()[:max_bytes].decode(errors="ignore").rstrip()
