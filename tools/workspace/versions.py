"""Copies of files as they were when they were written or shown, in a folder that confined code has no way into.

A copy is never changed again, so that its path may be shown to people. Knows no names' rules and no quota.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.workspace.folder import copy, new_file, root_folder

_PIECE = 1024 * 1024

Fill = Callable[[int], int]
"""Writes a file's whole content to a descriptor; gives its length."""


@dataclass(frozen=True, slots=True)
class Version:
    """One copy. Versions count from 1."""

    number: int
    path: Path
    size: int


class Versions:
    """The copies of all files of one chat; at most `most` of each, of which the oldest go first."""

    def __init__(self, folder: Path, *, most: int) -> None:
        self._folder = folder
        self._most = most

    def latest(self, name: str) -> Version | None:
        """The last copy of a file, if there is one."""
        folder = self._folder_of(name)
        if not folder.is_dir() or not (numbers := _numbers_in(folder)):
            return None
        path = folder / str(numbers[-1])
        return Version(numbers[-1], path, path.stat().st_size)

    def add(self, name: str, fill: Fill) -> Version:
        """Keep one more copy, whose content `fill` writes."""
        latest = self.latest(name)
        number = latest.number + 1 if latest else 1
        folder = self._folder_of(name)
        folder.mkdir(mode=0o700, exist_ok=True)
        with root_folder(folder) as descriptor, new_file(descriptor, str(number)) as target:
            size = fill(target)
        for old in _numbers_in(folder)[: -self._most]:
            (folder / str(old)).unlink()
        return Version(number, folder / str(number), size)

    def keep(self, name: str, source: int, *, max_bytes: int) -> Version:
        """Keep a copy of an open file, unless it is the same as the last one."""
        latest = self.latest(name)
        if latest and _is_same(source, latest):
            return latest
        return self.add(name, lambda target: copy(source, target, max_bytes=max_bytes))

    def _folder_of(self, name: str) -> Path:
        return self._folder / hashlib.sha256(name.encode()).hexdigest()[:32]


def _numbers_in(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in folder.iterdir())


def _is_same(source: int, version: Version) -> bool:
    if os.fstat(source).st_size != version.size:
        return False
    with version.path.open("rb") as kept:
        offset = 0
        while piece := kept.read(_PIECE):
            if os.pread(source, len(piece), offset) != piece:
                return False
            offset += len(piece)
    return True
