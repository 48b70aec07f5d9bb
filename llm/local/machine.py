"""What this machine can carry: cores and free memory. Knows nothing of models."""

import os
import re
from pathlib import Path

_CORE = re.compile(r"^physical id\s*:\s*(\d+)$.*?^core id\s*:\s*(\d+)$", re.MULTILINE | re.DOTALL)
_CGROUP = Path("/sys/fs/cgroup")


def physical_cores() -> int:
    """Cores that this process may use, hyper-threads counted once where the system tells them apart."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = set(_CORE.findall(_text(Path("/proc/cpuinfo"))))
    return min(usable, len(cores) or usable)


def free_memory() -> int | None:
    """Bytes that a new process can take without pushing others out, within a container's limit; None if unknown."""
    available = _number(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo"))
    if available is not None:
        return min([available * 1024, *_left_in_container()])
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return None


def _left_in_container() -> list[int]:
    """The rest of a cgroup's memory limit; the page cache is charged to it but gives way. Empty without a limit."""
    limit = _number(r"^(\d+)$", _CGROUP / "memory.max")
    used = _number(r"^(\d+)$", _CGROUP / "memory.current")
    cached = _number(r"^file (\d+)$", _CGROUP / "memory.stat")
    return [] if limit is None else [limit - (used or 0) + (cached or 0)]


def _number(pattern: str, path: Path) -> int | None:
    found = re.search(pattern, _text(path), re.MULTILINE)
    return int(found[1]) if found else None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
