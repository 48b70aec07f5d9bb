"""How the process shuts itself in before it runs a line of foreign code: limits, Landlock, its user, system calls.

What it is told is a `Plan`; it knows nothing of the server. Any step that fails ends the process.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.inside import landlock, seccomp

_MIB = 1 << 20
_PR_SET_PDEATHSIG = 1
OPEN_FILES = 64
LARGEST_FILE = 64 * _MIB
"""Bytes: how far one file can grow before the host looks at the workspace's size again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to shut in. Paths are as this process sees them; those of `readable` that do not exist are left out.

    `user`: the id to become where the server is root, else None. `landlock`: its version to use, 0 for none.
    `processes` counts all threads of the user, unless the user id is this process's own.
    """

    workspace: str
    scratch: str
    readable: list[str]
    libraries: list[str]
    user: int | None
    landlock: int
    memory_mb: int
    processes: int


def confine(plan: Plan) -> None:
    """Shut this process in, for good. Raises OSError where the kernel does not play along."""
    _set_limits(plan)
    readable = dict(_opened(plan.readable))
    writable = dict(_opened([plan.workspace, plan.scratch]))
    if plan.landlock:
        landlock.restrict(readable.values(), writable.values(), abi=plan.landlock)
    if plan.user is not None:
        _become(plan.user)
    os.chdir(writable[plan.workspace])
    _end_with_the_server()
    _find_modules(plan, readable | writable)
    seccomp.install(os.getpid())


def _set_limits(plan: Plan) -> None:
    for kind, most in (
        (resource.RLIMIT_AS, plan.memory_mb * _MIB),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_NPROC, plan.processes),
        (resource.RLIMIT_CORE, 1),  # at 0, a program that collects crashes would still be handed this one
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _opened(paths: Iterable[str]) -> Iterable[tuple[str, int]]:
    for path in paths:
        if Path(path).exists():
            yield path, os.open(path, os.O_PATH | os.O_CLOEXEC)


def _become(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _end_with_the_server() -> None:
    """Have the kernel end this process with its parent: a change of user undoes that."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _find_modules(plan: Plan, descriptors: dict[str, int]) -> None:
    """Set where modules are looked for: the standard library, the libraries, and last the workspace.

    A new user may not pass through the folders above the libraries: root's home, say. What was opened before stays
    open, so such a folder is named by its descriptor.
    """
    standard = [path for path in sys.path if Path(path).name not in {"site-packages", "dist-packages"}]
    names = {path: _passable(path, descriptor) for path, descriptor in descriptors.items()}
    sys.path[:] = [_renamed(path, names) for path in [*standard, *plan.libraries, plan.workspace]]
    for module in list(sys.modules.values()):
        if isinstance(getattr(module, "__path__", None), list):
            module.__path__ = [_renamed(path, names) for path in module.__path__]
    sys.path_importer_cache.clear()


def _passable(path: str, descriptor: int) -> str:
    return path if os.access(path, os.R_OK) else f"/proc/self/fd/{descriptor}"


def _renamed(path: str, names: dict[str, str]) -> str:
    for old, new in names.items():
        if path == old or path.startswith(f"{old}/"):
            return new + path[len(old) :]
    return path
