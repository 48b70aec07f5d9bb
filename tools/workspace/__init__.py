"""The files of one chat: a folder of its own, quotas, and earlier versions where no code of a model can reach them.

The folder `files` inside it is the only place that confined code may write to, and that code is taken to be hostile.
Knows neither the tools nor what the files hold. All of it blocks: call it from a thread.
"""

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from tools.workspace.folder import (
    NoRoom,
    NotThere,
    copy,
    new_file,
    open_plain,
    root_folder,
    spelling,
    subfolder,
    translated,
    twin_of,
    walk,
    write_all,
)
from tools.workspace.names import cleaned, is_usable, numbered, parts_from
from tools.workspace.versions import Fill, Version, Versions

_MIB = 1024 * 1024
_FILES, _VERSIONS, _NEW = "files", "versions", "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLimits:
    """What a chat may keep. `total_bytes` counts the kept versions, too; `versions` is how many of each file."""

    file_bytes: int = 64 * _MIB
    total_bytes: int = 512 * _MIB
    files: int = 500
    versions: int = 20


_STANDARD = WorkspaceLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file as it is now. `path` is a copy that nobody changes any more: the only path to show or to serve."""

    name: str
    path: Path
    size: int
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file that is there: its name as a path below the workspace, its size in bytes, when it was changed."""

    name: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile:
    """A file opened for reading. Whatever its name points to from now on, this stays the file that was checked."""

    name: str
    size: int
    descriptor: int

    def read(self, max_bytes: int, *, offset: int = 0) -> bytes:
        """At most `max_bytes` of it."""
        pieces = []
        while max_bytes > 0 and (piece := os.pread(self.descriptor, min(max_bytes, _MIB), offset)):
            pieces.append(piece)
            offset += len(piece)
            max_bytes -= len(piece)
        return b"".join(pieces)


class Workspace:
    """One chat's files. The folder is made when it is needed; `owner_uid` is who runs confined code, if another.

    All names come from strangers. What fails is a `ToolError` whose words are advice.
    """

    def __init__(self, folder: Path, limits: WorkspaceLimits = _STANDARD, *, owner_uid: int | None = None) -> None:
        self.limits = limits
        self._folder = folder.absolute()
        self._owner = owner_uid
        self._versions = Versions(self._folder / _VERSIONS, most=limits.versions)
        self._writing = threading.Lock()

    @property
    def files_folder(self) -> Path:
        """The folder that confined code may write to; `prepare` makes it."""
        return self._folder / _FILES

    def prepare(self) -> Path:
        """Make the folders where they are missing; gives the one that confined code may write to, and it alone."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (_FILES, _VERSIONS, _NEW):
            (self._folder / name).mkdir(mode=0o700, exist_ok=True)
        if self._owner is not None:
            self._folder.chmod(0o711)
            os.chown(self._folder / _FILES, self._owner, -1)
        return self.files_folder

    def write(self, name: str, content: bytes) -> KeptFile:
        """Write a whole file, at once or not at all; what was there before is kept as its earlier version."""
        parts = parts_from(name)
        with translated("/".join(parts)), self._alone() as root:
            self._make_way(root, parts, len(content))
            return self._store(root, parts, lambda target: write_all(target, content))

    def add(self, source: int, name: str) -> KeptFile:
        """Take over a copy of an open file under a cleaned name that is still free."""
        size = os.fstat(source).st_size
        with translated(name), self._alone() as root:
            self._demand_room(size, is_new=True)
            free = _free_name(root, cleaned(name))
            return self._store(root, (free,), lambda target: copy(source, target, max_bytes=size))

    def keep(self, name: str) -> KeptFile:
        """A copy of the file as it is now, such as confined code has left it, to show to people."""
        with self.open(name) as file, self._alone():
            self._demand_room(file.size, is_new=False)
            version = self._versions.keep(file.name, file.descriptor, max_bytes=self.limits.file_bytes)
        return _kept(file.name, version)

    @contextmanager
    def open(self, name: str) -> Iterator[OpenFile]:
        """Open a plain file for reading. Raises `NotThere` with the names there are, `NoRoom` if it is too large."""
        parts = parts_from(name)
        shown = "/".join(parts)
        with translated(shown):
            descriptor = self._found(parts)
        if descriptor is None:
            raise NotThere(f"There is no file {shown!r}. {self._what_there_is()}")
        try:
            size = os.fstat(descriptor).st_size
            if size > self.limits.file_bytes:
                raise NoRoom(f"{shown!r} is larger than {self.limits.file_bytes:,} bytes and is not opened.")
            yield OpenFile(name=shown, size=size, descriptor=descriptor)
        finally:
            os.close(descriptor)

    def list(self) -> list[ListedFile]:
        """All plain files whose names can be given, sorted by name; no more than the quota allows."""
        if not (self._folder / _FILES).is_dir():
            return []
        with root_folder(self._folder / _FILES) as root:
            usable = (found for found in walk(root) if found.links == 1 and all(map(is_usable, found.parts)))
            found = sorted(islice(usable, self.limits.files), key=lambda file: file.parts)
        return [ListedFile(name="/".join(file.parts), size=file.size, modified=file.modified) for file in found]

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """One writer at a time; the descriptor of the files' folder."""
        with self._writing, root_folder(self.prepare()) as root:
            yield root

    def _found(self, parts: tuple[str, ...]) -> int | None:
        if not (self._folder / _FILES).is_dir():
            return None
        with root_folder(self._folder / _FILES) as root:
            return self._standing(root, parts)

    def _standing(self, root: int, parts: tuple[str, ...]) -> int | None:
        """The file that stands there, opened, or None. Raises where something else does."""
        try:
            with subfolder(root, parts[:-1]) as folder:
                return open_plain(folder, parts[-1])
        except FileNotFoundError:
            return None

    def _make_way(self, root: int, parts: tuple[str, ...], size: int) -> None:
        """See that there is room, and keep what stands there: confined code may have changed it since it was kept."""
        before = self._standing(root, parts)
        try:
            self._demand_room(size, is_new=before is None)
            if before is not None:
                self._versions.keep("/".join(parts), before, max_bytes=self.limits.file_bytes)
        finally:
            if before is not None:
                os.close(before)

    def _store(self, root: int, parts: tuple[str, ...], fill: Fill) -> KeptFile:
        """Keep a copy first, then put another into its place, made where confined code cannot meddle with it."""
        temporary = secrets.token_hex(16)
        with (
            root_folder(self._folder / _NEW) as new,
            subfolder(root, parts[:-1], make=True, owner=self._owner) as folder,
            new_file(new, temporary, owner=self._owner) as target,
        ):
            version = self._versions.add("/".join(parts), fill)
            with version.path.open("rb") as kept:
                copy(kept.fileno(), target, max_bytes=version.size)
            os.rename(temporary, spelling(folder, parts[-1]), src_dir_fd=new, dst_dir_fd=folder)
        return _kept("/".join(parts), version)

    def _demand_room(self, size: int, *, is_new: bool) -> None:
        limits = self.limits
        if size > limits.file_bytes:
            raise NoRoom(f"{size:,} bytes are too many for one file: {limits.file_bytes:,} are the most.")
        count_now, used = self._used()
        if is_new and count_now >= limits.files:
            raise NoRoom(f"There are {count_now:,} files already, and {limits.files:,} are the most. Use one of them.")
        if used + 2 * size > limits.total_bytes:
            raise NoRoom(
                f"The chat's folder is full: with all versions {used:,} of {limits.total_bytes:,} bytes are used. "
                "Nothing was written. Tell the user so."
            )

    def _used(self) -> tuple[int, int]:
        """How many files there are, and the bytes of them and of all their versions."""
        with root_folder(self._folder / _FILES) as files, root_folder(self._folder / _VERSIONS) as versions:
            sizes = [found.size for found in walk(files)]
            return len(sizes), sum(sizes) + sum(found.size for found in walk(versions))

    def _what_there_is(self) -> str:
        names = [file.name for file in self.list()]
        more = f" and {len(names) - 20} more" if len(names) > 20 else ""
        return f"There are: {', '.join(map(repr, names[:20]))}{more}." if names else "The chat has no files yet."


def _free_name(root: int, name: str) -> str:
    names = (name if number == 1 else numbered(name, number) for number in count(1))
    return next(candidate for candidate in names if twin_of(root, candidate) is None)


def _kept(name: str, version: Version) -> KeptFile:
    return KeptFile(name=name, path=version.path, size=version.size, version=version.number)
