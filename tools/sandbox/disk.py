"""The chat's folder, seen from outside while hostile code may change it: no link is followed, no file is opened.

All of it blocks: call it from a thread.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

MOST_ENTRIES = 2_000
_CLEARED_AT_ONCE = 20_000
"""Far more than were there before, so that a folder of any size is cleared in passes that each get somewhere."""
_MOST_DEPTH = 16
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Stamp: TypeAlias = tuple[int, int, int]
"""Inode, size and time of the last change: another one, another content."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The plain files and folders by their path, what all takes, and whether there is too much to look at."""

    files: dict[str, Stamp]
    folders: frozenset[str]
    size_bytes: int
    is_overgrown: bool

    def changed_since(self, before: "Listing") -> tuple[str, ...]:
        """The files that were made or changed, in the order of their names."""
        return tuple(sorted(name for name, stamp in self.files.items() if before.files.get(name) != stamp))


def listing(folder: Path, *, owner: int | None = None) -> Listing:
    """What is in the folder now. With `owner`, all of it is given to that user, as the server may have written it."""
    files: dict[str, Stamp] = {}
    folders = set[str]()
    size, entries, depth = 0, 0, 0
    for name, status in _walk(folder, owner):
        entries, depth = entries + 1, max(depth, name.count("/"))
        size += max(status.st_size, status.st_blocks * 512)
        if _is_plain(status):
            files[name] = (status.st_ino, status.st_size, status.st_ctime_ns)
        elif stat.S_ISDIR(status.st_mode):
            folders.add(name)
        if entries > MOST_ENTRIES:
            break
    return Listing(files, frozenset(folders), size, is_overgrown=entries > MOST_ENTRIES or depth > _MOST_DEPTH)


def clear_away(folder: Path, before: Listing) -> None:
    """Remove what has been made since, and what has grown: the folder then takes no more than before."""
    most = MOST_ENTRIES if before.is_overgrown else _CLEARED_AT_ONCE  # of the rest it is not known what is new
    is_clear = False
    while not is_clear:
        removed = [_is_cleared(folder, *found, before) for found in _walk(folder, None, most=most)]
        is_clear = not any(removed)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it."""
    with suppress(OSError):
        clear_away(folder, Listing({}, frozenset(), 0, is_overgrown=False))
        folder.rmdir()


def _is_cleared(folder: Path, name: str, status: os.stat_result, before: Listing) -> bool:
    """Remove it, unless it was there before."""
    is_folder = stat.S_ISDIR(status.st_mode)
    if name in before.folders if is_folder else name in before.files and status.st_size <= before.files[name][1]:
        return False
    *above, last = name.split("/")
    with suppress(OSError), _opened(folder, tuple(above)) as parent:
        if is_folder:
            _demolish(folder, parent, last)
        else:
            os.unlink(last, dir_fd=parent)
        return True
    return False


def _demolish(folder: Path, parent: int, name: str) -> None:
    """Remove a folder however deep it is, by moving the folders in it to the top one by one."""
    with _opened(folder, ()) as top:
        pending = [_moved_to_top(parent, name, top)]
        while pending:
            current = pending.pop()
            with _opened(folder, (current,)) as here:
                pending += _emptied(here, top)
            os.rmdir(current, dir_fd=top)


def _emptied(folder: int, top: int) -> list[str]:
    """Take all out of a folder; the new names of the folders that were in it."""
    moved = []
    while found := _entries(folder):
        for name, status in found:
            if stat.S_ISDIR(status.st_mode):
                moved.append(_moved_to_top(folder, name, top))
            else:
                os.unlink(name, dir_fd=folder)
    return moved


def _moved_to_top(parent: int, name: str, top: int) -> str:
    new = secrets.token_hex(16)
    os.rename(name, new, src_dir_fd=parent, dst_dir_fd=top)
    return new


def _walk(folder: Path, owner: int | None, *, most: int = MOST_ENTRIES) -> Iterator[tuple[str, os.stat_result]]:
    """What is below the folder, by path. Only so deep that one more level than may be is seen."""
    pending: list[tuple[str, ...]] = [()]
    while pending:
        above = pending.pop()
        found: list[tuple[str, os.stat_result]] = []
        with suppress(OSError), _opened(folder, above) as here:
            if owner is not None:
                _give(here, owner)
            found = _entries(here, most)
        yield from (("/".join([*above, name]), status) for name, status in found)
        if len(above) <= _MOST_DEPTH:
            pending += [(*above, name) for name, status in found if stat.S_ISDIR(status.st_mode)]


def _entries(folder: int, most: int = MOST_ENTRIES) -> list[tuple[str, os.stat_result]]:
    """At most so many, and one more."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, most + 1)]
    found = []
    for name in names:
        with suppress(OSError):  # it has gone meanwhile
            found.append((name, os.stat(name, dir_fd=folder, follow_symlinks=False)))
    return found


def _give(folder: int, owner: int) -> None:
    os.fchown(folder, owner, owner)
    for name, status in _entries(folder):
        if status.st_uid != owner and _is_plain(status):
            os.chown(name, owner, owner, dir_fd=folder, follow_symlinks=False)


def _is_plain(status: os.stat_result) -> bool:
    """A file with no second name: such a name could stand elsewhere."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


@contextmanager
def _opened(folder: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """The descriptor of a folder below, reached step by step from the descriptor of the one above."""
    descriptor = os.open(folder, _FOLDER)
    try:
        for part in parts:
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)
