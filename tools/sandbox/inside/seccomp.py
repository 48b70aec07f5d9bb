"""The filter of system calls, as a BPF program: what a computing Python needs is let through, all else is refused.

It knows nothing of the runner. Whoever puts it on can't take it off again; it holds for every thread.
"""

import ctypes
import errno
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tools.sandbox.inside.syscalls import (
    ALLOWED,
    ANSWERED_AS_DONE,
    BY_ARGUMENT,
    FORBIDDEN,
    MACHINES,
    UNSUPPORTED,
    Calls,
)

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SECCOMP = {"x86_64": 317, "aarch64": 277}

_LOAD, _AND, _IF_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
"""Offsets in `struct seccomp_data`."""

_SET_MODE_FILTER, _FLAG_TSYNC = 1, 1
_CLONE_THREAD = 0x10000
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 1, 0xF


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentRule:
    """A call that is allowed where one of its arguments, masked, has one of some values; else it fails with `error`.

    Only the lower 32 bits are looked at: each argument named below is an int, or flags of 32 bits.
    """

    name: str
    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    error: int = errno.EPERM


def rules_for(pid: int) -> tuple[ArgumentRule, ...]:
    """The calls that depend on an argument, for the process with this id.

    fcntl leaves out F_SETOWN and F_SETSIG, which send signals to others; ioctl leaves out TIOCSTI; prctl leaves out
    PR_SET_PDEATHSIG, by which the process ends with the server; a datagram socket could send to
    sockets by name; renameat2 can make a device.
    """
    return (
        ArgumentRule(name="clone", argument=0, values=(_CLONE_THREAD,), mask=_CLONE_THREAD),
        ArgumentRule(name="kill", argument=0, values=(pid,)),
        ArgumentRule(name="tgkill", argument=0, values=(pid,)),
        ArgumentRule(name="prlimit64", argument=0, values=(0, pid)),
        ArgumentRule(name="socketpair", argument=1, values=(_SOCK_STREAM,), mask=_SOCK_TYPE_MASK),
        ArgumentRule(name="fcntl", argument=1, values=(0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)),
        ArgumentRule(
            name="ioctl", argument=1, values=(0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451), error=errno.ENOTTY
        ),
        ArgumentRule(name="prctl", argument=0, values=(3, 15, 16, 21, 39, 0x53564D41)),
        ArgumentRule(name="renameat2", argument=4, values=(0, 1)),
    )


def program(machine: str, pid: int) -> bytes:
    """The filter for this machine as BPF instructions; `machine` is one of `MACHINES`."""
    parts = [_for_architecture(_AUDIT_ARCH[machine])]
    parts += [_constant(number, _ALLOW) for number in _numbers(ALLOWED, machine)]
    parts += [_constant(number, _ERRNO) for number in _numbers(ANSWERED_AS_DONE, machine)]
    parts += [_constant(number, _ERRNO | errno.ENOTSUP) for number in _numbers(UNSUPPORTED, machine)]
    parts += [_constant(number, _ERRNO | errno.EPERM) for number in _numbers(FORBIDDEN, machine)]
    numbers = _numbers({rule.name: BY_ARGUMENT[rule.name] for rule in rules_for(pid)}, machine)
    parts += [_by_argument(rule, number) for rule, number in zip(rules_for(pid), numbers, strict=True)]
    return b"".join([*parts, _instruction(_RETURN, _ERRNO | errno.ENOSYS)])


def install(pid: int) -> None:
    """Put the filter on all threads of this process, which can gain no privileges any more. Raises OSError."""
    machine = platform.machine()
    code = program(machine, pid)
    instructions = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(instructions)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.syscall(_SECCOMP[machine], _SET_MODE_FILTER, _FLAG_TSYNC, header):
        raise OSError(ctypes.get_errno(), "the kernel did not take the system call filter")


def _numbers(calls: Calls, machine: str) -> Iterator[int]:
    column = MACHINES.index(machine)
    for both in calls.values():
        number = both[column]
        if number is not None:
            yield number


def _instruction(code: int, operand: int, *, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, when_true, when_false, operand)


def _for_architecture(arch: int) -> bytes:
    return (
        _instruction(_LOAD, _ARCH_AT)
        + _instruction(_IF_EQUAL, arch, when_true=1)
        + _instruction(_RETURN, _KILL_PROCESS)
        + _instruction(_LOAD, _NUMBER_AT)
    )


def _constant(number: int, verdict: int) -> bytes:
    return _instruction(_IF_EQUAL, number, when_false=1) + _instruction(_RETURN, verdict)


def _by_argument(rule: ArgumentRule, number: int) -> bytes:
    body = _instruction(_LOAD, _ARGUMENTS_AT + 8 * rule.argument) + _instruction(_AND, rule.mask)
    for value in rule.values:
        body += _constant(value, _ALLOW)
    body += _instruction(_RETURN, _ERRNO | rule.error)
    return _instruction(_IF_EQUAL, number, when_false=len(body) // 8) + body
