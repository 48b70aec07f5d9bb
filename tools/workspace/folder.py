"""Files below a folder that somebody hostile writes into at the same time: no link is followed, nothing is waited for.

Every step is taken from the descriptor of the folder before (openat), so that nothing that is swapped on the way
leads elsewhere. Knows no limits and no versions.
"""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tools.base import ToolError
from tools.workspace.names import MAX_DEPTH, looks_like

MAX_ENTRIES = 20_000
"""More than this many entries of one folder are not looked at."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class NotThere(ToolError):
    """No file of that name."""


class NotPlain(ToolError):
    """Something of that name that is no plain file of this folder: a link, a pipe, a device, a folder."""


class OtherSpelling(ToolError):
    """A file whose name differs only in case, which other systems take for the same."""


class NoRoom(ToolError):
    """A quota, or the disk, is full."""


@dataclass(frozen=True, slots=True)
class Found:
    """A plain file: its path below the folder, its size in bytes, when it was changed, and how many names it has."""

    parts: tuple[str, ...]
    size: int
    modified: float
    links: int


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Give what the system says about a file as advice."""
    try:
        yield
    except FileNotFoundError:
        raise NotThere(f"There is no file {name!r}.") from None
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise NoRoom("The disk is full, so nothing was written. Tell the user so.") from None
        raise NotPlain(f"{name!r} can't be used: it is not a plain file of this chat.") from None


@contextmanager
def root_folder(path: Path) -> Iterator[int]:
    """The descriptor of a folder whose own path nobody hostile can change."""
    descriptor = os.open(path, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def subfolder(root: int, parts: Sequence[str], *, make: bool = False, owner: int | None = None) -> Iterator[int]:
    """The descriptor of a folder below `root`; with `make`, folders that are missing are made, for the `owner`."""
    descriptor = os.dup(root)
    try:
        for part in parts:
            inner = _step(descriptor, part, make=make, owner=owner)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def open_plain(folder: int, name: str) -> int:
    """Open a plain file that has no second name elsewhere. Raises OSError, and `NotPlain` for anything else."""
    spelled = spelling(folder, name)
    _demand_plain(os.stat(spelled, dir_fd=folder, follow_symlinks=False), name)  # opening a device could do something
    descriptor = os.open(spelled, _FILE, dir_fd=folder)
    try:
        _demand_plain(os.fstat(descriptor), name)
    except ToolError:
        os.close(descriptor)
        raise
    return descriptor


def spelling(folder: int, name: str) -> str:
    """The name as the folder has it, which may be decomposed; the name itself where there is none.

    Raises `OtherSpelling` where there is one that differs in case.
    """
    if _status(folder, name):
        return name
    twin = twin_of(folder, name)
    if twin is None or unicodedata.normalize("NFC", twin) == name:
        return twin or name
    raise OtherSpelling(f"There is {twin!r}, which differs from {name!r} only in upper and lower case. Use that name.")


def twin_of(folder: int, name: str) -> str | None:
    """An entry that looks like the name, if there is one."""
    return next((other for other in _names_in(folder, MAX_ENTRIES) if looks_like(other, name)), None)


@contextmanager
def new_file(folder: int, name: str, *, owner: int | None = None) -> Iterator[int]:
    """The descriptor of a new file that only its owner may read; it is taken away again where writing it fails."""
    descriptor = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
    is_whole = False
    try:
        if owner is not None:
            os.fchown(descriptor, owner, -1)
        yield descriptor
        is_whole = True
    finally:
        os.close(descriptor)
        if not is_whole:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


def copy(source: int, target: int, *, max_bytes: int) -> int:
    """Copy a whole file, read from its beginning; its length. Raises `NoRoom` where it is longer than `max_bytes`."""
    offset = 0
    while piece := os.pread(source, 1 << 20, offset):
        offset += len(piece)
        if offset > max_bytes:
            raise NoRoom(f"The file is larger than {max_bytes:,} bytes, the most that a file may have.")
        write_all(target, piece)
    return offset


def write_all(target: int, content: bytes) -> int:
    """Write all of it, as the system may take less at once; its length."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(target, rest) :]
    return len(content)


def walk(root: int, *, max_entries: int = MAX_ENTRIES) -> Iterator[Found]:
    """The plain files below a folder; no link is followed, and no more than `max_entries` entries are looked at."""
    pending: list[tuple[str, ...]] = [()]
    while pending and max_entries > 0:
        above = pending.pop()
        entries = _entries_in(root, above, max_entries)
        max_entries -= len(entries)
        for name, status in entries:
            if stat.S_ISREG(status.st_mode):
                yield Found((*above, name), status.st_size, status.st_mtime, status.st_nlink)
            elif stat.S_ISDIR(status.st_mode) and len(above) < MAX_DEPTH - 1:
                pending.append((*above, name))


def _entries_in(root: int, above: tuple[str, ...], max_entries: int) -> list[tuple[str, os.stat_result]]:
    with suppress(OSError, ToolError), subfolder(root, above) as folder:
        found = [(name, _status(folder, name)) for name in _names_in(folder, max_entries)]
        return [(name, status) for name, status in found if status]
    return []


def _names_in(folder: int, max_entries: int) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, max_entries))


def _status(folder: int, name: str) -> os.stat_result | None:
    """What stands under the name, or None where it went away in between."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None


def _step(folder: int, part: str, *, make: bool, owner: int | None) -> int:
    spelled = spelling(folder, part)
    try:
        return os.open(spelled, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(spelled, 0o700, dir_fd=folder)
    descriptor = os.open(spelled, _FOLDER, dir_fd=folder)
    if owner is not None:
        os.fchown(descriptor, owner, -1)
    return descriptor


def _demand_plain(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise NotPlain(f"{name!r} can't be used: it is not a plain file of this chat.")
