"""Which user runs confined code. A server that is root never runs it as root; any other server runs it as itself."""

import os
import zlib
from pathlib import Path

_FIRST, _COUNT = 61_184, 4_336
"""systemd keeps these ids for users that exist only while a program runs: no account has one."""


def user_for(folder: Path) -> int | None:
    """The user for a chat's folder where the server is root, always the same and most likely its own; else None."""
    if os.getuid() != 0:
        return None
    return _FIRST + zlib.crc32(os.fsencode(folder.absolute())) % _COUNT


def user_of(folder: Path) -> int | None:
    """The user whom the folder has been given to, or else `user_for` it."""
    owner = folder.stat().st_uid
    return owner if os.getuid() == 0 and owner in range(_FIRST, _FIRST + _COUNT) else user_for(folder)


def threads_of(user: int) -> int:
    """How many threads a user has on this machine: the kernel counts them all against the limit of processes."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found += len(list((process / "task").iterdir())) if process.stat().st_uid == user else 0
        except OSError:  # it has ended meanwhile
            continue
    return found
