"""Attacks on the confinement from within: each one must fail. Runs at the server's start, before any foreign code."""

import ctypes
import errno
import os
import platform
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path

_KEYCTL = {"x86_64": 250, "aarch64": 219}
_IO_URING_SETUP = 425
_NEW_USER_NAMESPACE = 0x10000000


def attack(*, secret: str, outside: str, port: int, server: int) -> dict[str, bool]:
    """Try each attack; True where it was held off. `secret` is a file that another may read, `server` a process."""
    attacks: dict[str, Callable[[], object]] = {
        "read a file outside": lambda: Path(secret).read_bytes(),
        "list a folder outside": lambda: os.scandir(outside),
        "write outside": lambda: Path(outside, "written").write_text("x"),
        "read the server's environment": lambda: Path(f"/proc/{server}/environ").read_bytes(),
        "signal the server": lambda: os.kill(server, signal.SIGCONT),
        "reach the network": lambda: socket.create_connection(("127.0.0.1", port), timeout=2),
        "send to a socket by name": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
        "fork": _fork,
        "start a program": lambda: os.execv("/bin/sh", ["sh", "-c", "exit"]),  # noqa: S606
        "plant a link": lambda: Path("link").symlink_to(secret),
        "plant a pipe": lambda: os.mkfifo("pipe"),
        "raise a limit": lambda: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2),
        "use the keyring": lambda: _call(_KEYCTL[platform.machine()], 0, -3),
        "use io_uring": lambda: _call(_IO_URING_SETUP, 1, 0),
        "make a namespace": lambda: _library_call("unshare", _NEW_USER_NAMESPACE),
        "store memory in a nameless file": lambda: os.memfd_create("x"),
        "be root": lambda: os.setuid(0),
    }
    return {name: _fails(attempt) for name, attempt in attacks.items()}


def _fails(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, ValueError):
        return True
    return False


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _call(number: int, *arguments: int) -> None:
    _library_call("syscall", number, *arguments)


def _library_call(name: str, *arguments: int) -> None:
    """An answer that is neither "not permitted" nor "there is no such call" comes from the code behind the call."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0 and ctypes.get_errno() in {errno.EPERM, errno.ENOSYS}:
        raise OSError(ctypes.get_errno(), "refused")
