"""The command lines that start a confined Python, with bubblewrap around it or with Landlock within it.

The process is shown the interpreter, its libraries and fonts, read-only, and the chat's folder. The rest it does
itself: see `inside.confine`.
"""

import os
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.confinement import Mode

_INSIDE = Path(__file__).parent / "inside"
_RUNNER = Path("/opt/python-tool")
_WORKSPACE = Path("/workspace")
_SCRATCH_BYTES = 64 << 20
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_SYSTEM = (
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/lib64",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
)
_BOOTSTRAP = """
import sys
from types import ModuleType
for name, path in (("tools", []), ("tools.sandbox", [sys.argv.pop(1)])):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = path
from tools.sandbox.inside.runner import main
main()
"""
"""Makes the modules of `inside` importable under their names without the packages above, which know the server."""

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JOBLIB_MULTIPROCESSING": "0",
    "MALLOC_ARENA_MAX": "2",
}
"""All that the process finds in its environment, besides the two of `_places`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a process works: the chat's folder, a folder for what is temporary, and a list of fonts or None."""

    workspace: Path
    scratch: Path
    fonts: Path | None


@dataclass(frozen=True, slots=True)
class Command:
    """What to start, with which environment, and how the process sees its folders."""

    arguments: list[str]
    environment: dict[str, str]
    seen: Spot


def bubblewrap() -> str | None:
    """The path of bwrap, if it is installed."""
    return shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")


def libraries() -> list[str]:
    """The folders that packages are installed in, for the server's own interpreter."""
    return [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"} and Path(path).is_dir()]


def readable() -> list[str]:
    """What code may read besides its own folders: interpreter, libraries, fonts, time zones."""
    prefix = Path(sys.base_prefix)
    own = [str(_interpreter()), str(prefix / "lib"), str(prefix / "lib64"), sysconfig.get_path("stdlib")]
    return [path for path in dict.fromkeys([*_SYSTEM, *own, *libraries()]) if Path(path).exists()]


def exposed(folder: Path) -> bool:
    """Whether code could read a folder of the server's, because it lies among the libraries."""
    return any(folder.resolve().is_relative_to(Path(path).resolve()) for path in readable())


def command_for(mode: Mode, spot: Spot, *, info: int) -> Command:
    """The command for one process; bubblewrap writes the id of the confined one to the descriptor `info`."""
    if mode == "landlock":
        python = _python(_INSIDE.parent)
        return Command(python, _places(spot), spot)
    seen = Spot(workspace=_WORKSPACE, scratch=Path("/tmp"), fonts=Path("/opt/fonts") if spot.fonts else None)  # noqa: S108
    arguments = [str(bubblewrap()), *_namespaces(), *_system_folders(), *_own_folders(spot, seen)]
    return Command([*arguments, "--info-fd", str(info), "--", *_python(_RUNNER)], _places(seen), seen)


def _python(modules: Path) -> list[str]:
    return [str(_interpreter()), "-I", "-B", "-X", "utf8", "-c", _BOOTSTRAP, str(modules)]


def _interpreter() -> Path:
    """The interpreter itself and not a virtual environment's link to it: the environment's folder stays unseen."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def _places(seen: Spot) -> dict[str, str]:
    return ENVIRONMENT | {
        "HOME": str(seen.scratch),
        "TMPDIR": str(seen.scratch),
        "MPLCONFIGDIR": str(seen.scratch / "matplotlib"),
    }


def _namespaces() -> list[str]:
    """Root needs no user namespace to make the others, and keeps for a moment what it takes to become somebody else."""
    if os.getuid() == 0:
        own = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        own = ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    others = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    return [*others, "--cap-drop", "ALL", *own, "--die-with-parent", "--new-session", "--as-pid-1"]


def _system_folders() -> list[str]:
    arguments = ["--perms", "1777", "--size", str(_SCRATCH_BYTES), "--tmpfs", "/tmp"]  # noqa: S108
    for path in map(Path, readable()):
        if path.is_symlink() and not path.is_relative_to("/etc"):
            arguments += ["--symlink", str(path.readlink()), str(path)]
        else:
            arguments += [*_folders_above(path), "--ro-bind", str(path), str(path)]
    for device in _DEVICES:
        arguments += ["--dev-bind", device, device]
    return arguments


def _own_folders(spot: Spot, seen: Spot) -> list[str]:
    """The chat's own folder comes last but for one thing: without it, the root folder is memory without a limit."""
    fonts = ["--ro-bind", str(spot.fonts), str(seen.fonts)] if spot.fonts else []
    return [
        *("--dir", "/opt", "--dir", str(_RUNNER), "--ro-bind", str(_INSIDE), str(_RUNNER / "inside"), *fonts),
        *("--bind", str(spot.workspace), str(seen.workspace), "--remount-ro", "/"),
    ]


def _folders_above(path: Path) -> list[str]:
    """Made beforehand: those that bubblewrap makes by itself are its user's alone."""
    above = [str(folder) for folder in reversed(path.parents) if folder != Path("/")]
    return [argument for folder in above for argument in ("--dir", folder)]
