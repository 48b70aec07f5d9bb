import os
from pathlib import Path

from llm.local.machine import free_memory, physical_cores


def test_cores_are_at_least_one_and_at_most_those_we_may_use() -> None:
    assert 1 <= physical_cores() <= len(os.sched_getaffinity(0))


def test_free_memory_is_no_more_than_the_machine_has() -> None:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    free = free_memory()
    assert free is not None
    assert 0 < free <= total


def test_free_memory_is_not_more_than_the_system_says() -> None:
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text("utf-8").splitlines())
    said = int(lines["MemAvailable"].split()[0]) * 1024
    free = free_memory()
    assert free is not None
    assert free < said * 1.1
