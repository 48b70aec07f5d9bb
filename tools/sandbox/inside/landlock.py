"""Landlock: the kernel's own fence around files, for a process that fences itself in. Linux 5.13 and newer.

Versions and bits are those of linux/landlock.h. It holds for the calling thread and for threads it starts later.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_READ = _READ_FILE | _READ_DIR
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
"""Devices, sockets, pipes and links can be made nowhere."""
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
"""What may be granted on a file; the rest is about folders."""

_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_ALL_TCP, _ABSTRACT_SOCKETS_AND_SIGNALS = 0b11, 0b11


def version() -> int:
    """The version of the kernel's Landlock; 0 where it has none or it is switched off."""
    found = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _GET_VERSION)
    return max(int(found), 0)


def restrict(readable: Iterable[int], writable: Iterable[int], *, abi: int) -> None:
    """Leave this thread only the files and folders behind these descriptors. Raises OSError."""
    handled = _FILE_RIGHTS[min(abi, 5)]
    attributes = struct.pack("QQQ", handled, _ALL_TCP, _ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = attributes[: 8 if abi < 4 else 16 if abi < 6 else 24]
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    for folder in readable:
        _allow(ruleset, folder, _READ & handled)
    for folder in writable:
        _allow(ruleset, folder, _WRITE & handled)
    if ctypes.CDLL(None).prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError("the kernel did not promise to give no new privileges")
    _call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, descriptor: int, rights: int) -> None:
    granted = rights if stat.S_ISDIR(os.fstat(descriptor).st_mode) else rights & _ON_FILES
    rule = struct.pack("=Qi", granted, descriptor)
    _call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "the kernel did not take the Landlock rules")
    return int(result)
