"""The filter, run on a small model of the kernel's BPF machine, for both processors."""

import errno
import struct

import pytest

from tools.sandbox.inside.seccomp import program
from tools.sandbox.inside.syscalls import (
    ALLOWED,
    ANSWERED_AS_DONE,
    BY_ARGUMENT,
    FORBIDDEN,
    MACHINES,
    UNSUPPORTED,
)

PID = 77
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL = "allow", "kill"


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str | int:
    """What the filter says to a call: allow, kill, or the errno that it answers with."""
    numbers = [*(argument & 0xFFFFFFFFFFFFFFFF for argument in arguments), *[0] * 6][:6]
    call = struct.pack("=iIQ6Q", number, architecture or ARCHITECTURE[machine], 0, *numbers)
    code = list(struct.iter_unpack("HBBI", program(machine, PID)))
    accumulator, at = 0, 0
    while True:
        operation, when_true, when_false, operand = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", call, operand)
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += when_true if accumulator == operand else when_false
            case 0x06:
                return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(operand, operand & 0xFFFF)


def number_of(name: str, machine: str) -> int:
    for calls in (ALLOWED, BY_ARGUMENT, ANSWERED_AS_DONE, UNSUPPORTED, FORBIDDEN):
        if name in calls:
            number = calls[name][MACHINES.index(machine)]
            assert number is not None
            return number
    raise AssertionError(name)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("calls", "answer"),
    [(ALLOWED, ALLOW), (ANSWERED_AS_DONE, 0), (UNSUPPORTED, errno.ENOTSUP), (FORBIDDEN, errno.EPERM)],
    ids=["allowed", "answered as done", "unsupported", "forbidden"],
)
def test_each_named_call_gets_its_answer(
    machine: str, calls: dict[str, tuple[int | None, int | None]], answer: str | int
) -> None:
    numbers = {name: numbers[MACHINES.index(machine)] for name, numbers in calls.items()}
    answers = {name: verdict(machine, number) for name, number in numbers.items() if number is not None}
    assert answers == dict.fromkeys(answers, answer)
    assert len(answers) > len(calls) // 2 - 1


@pytest.mark.parametrize("machine", MACHINES)
def test_all_other_numbers_are_answered_as_not_existing(machine: str) -> None:
    column = MACHINES.index(machine)
    named = {
        both[column]
        for calls in (ALLOWED, BY_ARGUMENT, ANSWERED_AS_DONE, UNSUPPORTED, FORBIDDEN)
        for both in calls.values()
    }
    others = [number for number in range(1000) if number not in named]
    assert {verdict(machine, number) for number in others} == {errno.ENOSYS}
    assert verdict(machine, 0x40000000 | number_of("read", machine)) == errno.ENOSYS  # the x32 ABI


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("foreign", [0x40000003, 0x40000028, 0xC000003E, 0xC00000B7, 0])
def test_a_call_of_another_machine_kills(machine: str, foreign: int) -> None:
    if foreign != ARCHITECTURE[machine]:
        assert verdict(machine, 0, architecture=foreign or 1) == KILL


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("clone", (0x3D0F00,), ALLOW),  # a thread, as glibc asks for it
        ("clone", (17,), errno.EPERM),
        ("clone", (0x7E020000 | 17,), errno.EPERM),
        ("kill", (PID, 9), ALLOW),
        ("kill", (0, 9), errno.EPERM),
        ("kill", (-1, 9), errno.EPERM),
        ("kill", (-PID, 9), errno.EPERM),
        ("kill", (PID + 1, 0), errno.EPERM),
        ("tgkill", (PID, 3, 9), ALLOW),
        ("tgkill", (1, PID, 9), errno.EPERM),
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (PID, 7), ALLOW),
        ("prlimit64", (1, 7), errno.EPERM),
        ("socketpair", (1, 1 | 0o2000000), ALLOW),
        ("socketpair", (1, 2), errno.EPERM),
        ("socketpair", (1, 5), errno.EPERM),
        ("fcntl", (3, 1030), ALLOW),
        ("fcntl", (3, 8), errno.EPERM),  # F_SETOWN
        ("fcntl", (3, 10), errno.EPERM),  # F_SETSIG
        ("fcntl", (3, 15), errno.EPERM),  # F_SETOWN_EX
        ("ioctl", (1, 0x5413), ALLOW),
        ("ioctl", (1, 0x5412), errno.ENOTTY),  # TIOCSTI
        ("ioctl", (1, 0x100005412), errno.ENOTTY),
        ("prctl", (15,), ALLOW),
        ("prctl", (1,), errno.EPERM),  # PR_SET_PDEATHSIG
        ("prctl", (4, 1), errno.EPERM),  # PR_SET_DUMPABLE
        ("renameat2", (0, 0, 0, 0, 1), ALLOW),
        ("renameat2", (0, 0, 0, 0, 4), errno.EPERM),  # RENAME_WHITEOUT makes a device
    ],
)
def test_a_call_is_judged_by_its_argument(
    machine: str, name: str, arguments: tuple[int, ...], answer: str | int
) -> None:
    assert verdict(machine, number_of(name, machine), *arguments) == answer
