"""A folder of files named by ids, for those who need no Chainlit. No name that a stranger chose becomes a path."""

import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def object_key(user_id: str | None, thread_id: str, element_id: str) -> str:
    """The key of an element's file: whose it is, in which thread."""
    return "/".join(plain_name(part) for part in (user_id or "nobody", thread_id, element_id))


class FileFolder:
    """Files by key, such as `<user>/<thread>/<element>`, below one private folder. See `FileStore`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Where the file of a key is, or would be: always below the folder."""
        return self.folder.joinpath(*(plain_name(part) for part in key.split("/")))

    def has(self, key: str) -> bool:
        return self.path(key).is_file()

    def open(self, key: str) -> BinaryIO:
        return self.path(key).open("rb")

    def copy_in(self, key: str, source: BinaryIO) -> None:
        """Create or replace a file by a copy, of which not all is in memory; a reader sees the old or the new one."""
        path = self.path(key)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                shutil.copyfileobj(source, file)
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)

    def delete(self, key: str) -> None:
        """Delete a file and the folders that are empty without it."""
        path = self.path(key)
        path.unlink(missing_ok=True)
        self._prune(path.parent)

    def delete_all_of(self, user_id: str) -> None:
        """Delete all that is kept for somebody, also what no element knows any more."""
        shutil.rmtree(self.folder / plain_name(user_id), ignore_errors=True)

    def _prune(self, folder: Path) -> None:
        while folder != self.folder and self.folder in folder.parents and folder.is_dir():
            try:
                folder.rmdir()
            except OSError:
                return  # other files are still in it
            folder = folder.parent


def plain_name(part: str) -> str:
    """A part of a key as a file name: itself if it is as plain as an id, else its fingerprint."""
    if _PLAIN.fullmatch(part):
        return part
    return "_" + hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()
