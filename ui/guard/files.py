"""A folder of its own, inside the data folder, for the files of each server process.

Chainlit keeps them in the project folder and deletes that folder when any of the processes that share it ends.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def claim_files_folder(data_folder: Path) -> Path:
    """Create this process's folder below `data_folder`, after sweeping out those whose processes are gone."""
    parent = data_folder / "files"
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone_in(parent):
        for folder in parent.iterdir():
            _remove_if_abandoned(folder)
        mine = Path(tempfile.mkdtemp(dir=parent))
        handle = os.open(mine, os.O_RDONLY)  # stays open, and the lock with it, until the process ends
        fcntl.flock(handle, fcntl.LOCK_EX)
    return mine


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _remove_if_abandoned(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        return  # its process lives
    finally:
        os.close(handle)
