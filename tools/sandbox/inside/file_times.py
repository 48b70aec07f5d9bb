"""Setting a file's times, which the filter answers as done: a file that isn't there is told as missing all the same."""

import os
from typing import Any


def prepare_utime() -> None:
    """Let `os.utime` say that there is no such file, as `Path.touch` relies on to make it."""
    set_times: Any = os.utime

    def utime(path: Any, *times: Any, **options: Any) -> None:
        os.stat(path, **{name: options[name] for name in ("dir_fd", "follow_symlinks") if name in options})  # noqa: PTH116
        set_times(path, *times, **options)

    os.utime = utime
