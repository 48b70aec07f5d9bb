"""The chat's files against names, links, pipes and races of somebody who writes into the folder at the same time."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.base import ToolError
from tools.workspace import KeptFile, Workspace, WorkspaceLimits
from tools.workspace.folder import NoRoom, NotPlain, NotThere, OtherSpelling
from tools.workspace.names import BadName, cleaned, is_usable, parts_from

SECRET = b"the secret outside"
GOOD_NAMES = [
    "data.csv",
    "a b.txt",
    "销售/2024 年.csv",
    "./a.txt",
    "a//b.txt",
    "%2e%2e%2fsecret",
    "a..b",
    "x/y/z/1.md",
    "😀.md",
]
BAD_NAMES = [
    *("", " ", ".", "..", "/", "//", "a/", "../secret", "sub/../../secret", "a/../b", "/etc/passwd", "~/x", "~root/x"),
    *("C:\\Windows\\win.ini", "..\\secret", "sub\\..\\..\\secret", "C:x", "file:///etc/passwd", "a.txt:stream"),
    *("a\0.txt", "a\nb", "a\rb", "a\tb", "a\x1b[31m", "a\x7f", "\u202egnp.exe", "a\u200b.txt", "a\u2028b", "\ud800"),
    *("CON", "nul.txt", "Com1.csv", "lpt9", "COM¹.txt", "aux.tar.gz", "sub/PRN.txt", "CONIN$"),
    *(
        ".env",
        ".ssh/id_rsa",
        "sub/.hidden",
        "trailing.",
        "trailing. ",
        " leading",
        "a/b ",
        "what?.md",
        "a|b",
        'a"b',
        "a*",
    ),
    *("x" * 300, "字" * 90, "a/" * 40 + "x", "a/./../x"),
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_bytes(SECRET)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "chat")


def content_of(workspace: Workspace, name: str) -> bytes:
    with workspace.open(name) as file:
        return file.read(1_000_000)


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_what_is_written_is_read_again(workspace: Workspace, name: str) -> None:
    kept = workspace.write(name, b"hello")
    assert (kept.size, kept.version, kept.path.read_bytes()) == (5, 1, b"hello")
    assert content_of(workspace, name) == b"hello"
    assert [file.name for file in workspace.list()] == [kept.name]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_refused_and_leaves_nothing(workspace: Workspace, tmp_path: Path, name: str) -> None:
    for attempt in (
        lambda: workspace.write(name, b"x"),
        lambda: content_of(workspace, name),
        lambda: workspace.keep(name),
    ):
        with pytest.raises(BadName) as refusal:
            attempt()
        assert str(refusal.value).isprintable()
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=300))
def test_every_name_is_refused_or_stays_inside(name: str) -> None:
    try:
        parts = parts_from(name)
    except BadName:
        return
    assert 1 <= len(parts) <= 8
    assert all(part not in {"", ".", ".."} and not set(part) & set("/\\\0:") for part in parts)
    assert not Path(*parts).is_absolute()


@given(st.text(max_size=300))
def test_every_name_of_a_browser_can_be_cleaned(name: str) -> None:
    clean = cleaned(name)
    assert is_usable(clean)
    assert parts_from(clean) == (clean,)
    assert cleaned(clean) == clean


@pytest.mark.parametrize(
    ("given_name", "clean"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\fakepath\\销售.csv", "销售.csv"),
        ("CON.txt", "_CON.txt"),
        (".env", "env"),
        ("\u202egpj.md", "gpj.md"),
        ("", "file"),
        ("...", "file"),
        ("x" * 400 + ".csv", "x" * 196 + ".csv"),
    ],
)
def test_a_cleaned_name_stays_near_to_the_given_one(given_name: str, clean: str) -> None:
    assert cleaned(given_name) == clean


def link(folder: Path, outside: Path) -> None:
    (folder / "trap").symlink_to(outside / "secret")


def link_to_folder(folder: Path, outside: Path) -> None:
    (folder / "sub").symlink_to(outside)


def hard_link(folder: Path, outside: Path) -> None:
    (folder / "trap").hardlink_to(outside / "secret")


def dangling_link(folder: Path, outside: Path) -> None:
    (folder / "trap").symlink_to(outside / "new")


def pipe(folder: Path, outside: Path) -> None:
    os.mkfifo(folder / "trap")


def folder_in_its_place(folder: Path, outside: Path) -> None:
    (folder / "trap").mkdir()


def link_to_a_device(folder: Path, outside: Path) -> None:
    (folder / "trap").symlink_to("/dev/zero")


Plant = Callable[[Path, Path], None]
TRAPS: list[tuple[Plant, str]] = [
    (link, "trap"),
    (link_to_folder, "sub/secret"),
    (link_to_folder, "sub/new"),
    (hard_link, "trap"),
    (dangling_link, "trap"),
    (pipe, "trap"),
    (folder_in_its_place, "trap"),
    (link_to_a_device, "trap"),
    (link, "trap/inner"),
]


@pytest.mark.parametrize(("plant", "name"), TRAPS)
@pytest.mark.timeout(10)
def test_what_is_no_plain_file_is_neither_read_nor_written(
    workspace: Workspace, outside: Path, plant: Plant, name: str
) -> None:
    plant(workspace.prepare(), outside)
    for attempt in (
        lambda: workspace.write(name, b"x"),
        lambda: content_of(workspace, name),
        lambda: workspace.keep(name),
    ):
        with pytest.raises((NotPlain, NotThere)):
            attempt()
    assert workspace.list() == []
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"secret": SECRET}


SWAP_FOLDERS = """
import os, shutil, sys
files, outside = sys.argv[1:]
os.chdir(files)
while True:
    try:
        os.symlink(outside, "sub")
        os.unlink("sub")
        os.rename("real", "sub")
        os.rename("sub", "real")
    except OSError:  # the workspace has made a folder of that name
        shutil.rmtree("sub", ignore_errors=True)
"""
SWAP_FILES = """
import os, sys
files, outside = sys.argv[1:]
os.chdir(files)
while True:
    open("plain", "wb").write(b"inside")
    os.replace("plain", "a")
    os.symlink(outside + "/secret", "link")
    os.replace("link", "a")
    os.mkfifo("pipe")
    os.replace("pipe", "a")
"""


@contextmanager
def swapping(code: str, files: Path, outside: Path) -> Iterator[None]:
    """A process of its own, so that it does not wait for this one."""
    with subprocess.Popen([sys.executable, "-I", "-c", code, str(files), str(outside)]) as process:
        try:
            yield
        finally:
            process.kill()


def seen_within(seconds: float, look: Callable[[], bytes]) -> set[bytes | None]:
    seen = set[bytes | None]()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            seen.add(look())
        except ToolError:
            seen.add(None)
    return seen


@pytest.mark.timeout(30)
def test_a_folder_that_is_swapped_for_a_link_all_the_time_leads_nowhere(workspace: Workspace, outside: Path) -> None:
    files = workspace.prepare()
    (files / "real").mkdir()
    (files / "real" / "secret").write_bytes(b"inside")

    def look() -> bytes:
        workspace.write("sub/new", b"written")
        return content_of(workspace, "sub/secret")

    with swapping(SWAP_FOLDERS, files, outside):
        seen = seen_within(2, look)
    assert seen <= {b"inside", None}
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"secret": SECRET}


@pytest.mark.timeout(30)
def test_a_file_that_is_swapped_for_a_link_or_a_pipe_is_never_followed(workspace: Workspace, outside: Path) -> None:
    with swapping(SWAP_FILES, workspace.prepare(), outside):
        seen = seen_within(2, lambda: content_of(workspace, "a"))
    assert b"inside" in seen
    assert seen <= {b"inside", b"", None}


def test_every_version_is_kept_where_code_has_no_way_to(workspace: Workspace) -> None:
    kept = [workspace.write("report.md", f"version {number}".encode()) for number in (1, 2, 3)]
    files = workspace.prepare()
    for path in files.iterdir():
        path.unlink()
    assert [file.version for file in kept] == [1, 2, 3]
    assert [file.path.read_bytes() for file in kept] == [b"version 1", b"version 2", b"version 3"]
    assert all(files not in file.path.parents for file in kept)
    assert workspace.write("report.md", b"again").version == 4


def test_what_code_changed_is_kept_too_before_it_is_written_over(workspace: Workspace) -> None:
    first = workspace.write("a.txt", b"mine")
    (workspace.prepare() / "a.txt").write_bytes(b"changed by code")
    third = workspace.write("a.txt", b"mine again")
    assert third.version == 3
    assert (third.path.parent / "2").read_bytes() == b"changed by code"
    assert first.path.read_bytes() == b"mine"


def test_a_kept_copy_does_not_change_with_the_file(workspace: Workspace) -> None:
    (workspace.prepare() / "plot.csv").write_bytes(b"one")
    first = workspace.keep("plot.csv")
    assert workspace.keep("plot.csv") == first
    (workspace.prepare() / "plot.csv").write_bytes(b"two")
    second = workspace.keep("plot.csv")
    assert (first.version, first.path.read_bytes()) == (1, b"one")
    assert (second.version, second.path.read_bytes()) == (2, b"two")


def test_the_oldest_versions_go_first(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "chat", WorkspaceLimits(versions=3))
    kept = [workspace.write("a", str(number).encode()) for number in range(6)]
    assert [file.path.exists() for file in kept] == [False, False, False, True, True, True]
    assert kept[-1].version == 6


def test_names_that_differ_in_case_alone_are_told_of(workspace: Workspace) -> None:
    workspace.write("Data/Sales.csv", b"x")
    for name in ("Data/sales.csv", "data/Sales.csv"):
        with pytest.raises(OtherSpelling):
            workspace.write(name, b"y")
    assert content_of(workspace, "Data/Sales.csv") == b"x"


def test_a_decomposed_name_is_the_same_file(workspace: Workspace) -> None:
    (workspace.prepare() / "cafe\u0301.txt").write_bytes(b"by code")
    assert content_of(workspace, "café.txt") == b"by code"
    workspace.write("cafe\u0301.txt", b"new")
    assert len(workspace.list()) == 1


@pytest.mark.parametrize(
    ("limits", "before"),
    [
        (WorkspaceLimits(file_bytes=10), []),
        (WorkspaceLimits(total_bytes=30), []),
        (WorkspaceLimits(total_bytes=50), ["a"]),
        (WorkspaceLimits(files=2), ["a", "b"]),
    ],
)
def test_what_exceeds_a_quota_is_not_written(tmp_path: Path, limits: WorkspaceLimits, before: list[str]) -> None:
    workspace = Workspace(tmp_path / "chat", limits)
    for name in before:
        workspace.write(name, b"0123456789")
    with pytest.raises(NoRoom):
        workspace.write("new", b"x" * 20)
    assert [file.name for file in workspace.list()] == before


def test_versions_count_towards_the_quota(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "chat", WorkspaceLimits(total_bytes=1_000))
    numbers = iter(range(1_000))
    with pytest.raises(NoRoom):
        list(iter(lambda: workspace.write("a", str(next(numbers)).encode() * 50), None))
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 1_000


def test_a_huge_sparse_file_costs_nothing(workspace: Workspace) -> None:
    with (workspace.prepare() / "huge").open("wb") as file:
        file.truncate(1 << 40)
    began = time.monotonic()
    for attempt in (
        lambda: content_of(workspace, "huge"),
        lambda: workspace.keep("huge"),
        lambda: workspace.write("a", b""),
    ):
        with pytest.raises(NoRoom):
            attempt()
    assert time.monotonic() - began < 5


def test_a_deep_and_wide_tree_is_not_walked_to_its_end(workspace: Workspace) -> None:
    deep = workspace.prepare()
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    (deep / "x").write_bytes(b"x")
    for number in range(700):
        (workspace.prepare() / f"{number}.txt").write_bytes(b"")
    assert len(workspace.list()) == workspace.limits.files


def test_names_that_cannot_be_given_are_not_listed(workspace: Workspace) -> None:
    files = workspace.prepare()
    for name in (b"a\nb", b"\xff\xfe", b".hidden", "\u202ex".encode(), b"ok.txt"):
        (files / os.fsdecode(name)).write_bytes(b"x")
    assert [file.name for file in workspace.list()] == ["ok.txt"]


def test_an_added_file_gets_a_free_name(workspace: Workspace, outside: Path) -> None:
    with (outside / "secret").open("rb") as file:
        names = [workspace.add(file.fileno(), name).name for name in ("a.csv", "A.csv", "../a.csv", "noend", "noend")]
    assert names == ["a.csv", "A (2).csv", "a (3).csv", "noend", "noend (2)"]
    assert content_of(workspace, "a (3).csv") == SECRET


def test_writers_at_the_same_time_leave_whole_files_and_distinct_versions(workspace: Workspace) -> None:
    kept = list[KeptFile]()

    def write(letter: bytes) -> None:
        kept.extend(workspace.write("a.txt", letter * 100_000) for _ in range(3))

    writers = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(file.version for file in kept) == list(range(1, 10))
    assert len(set(content_of(workspace, "a.txt"))) == 1


def test_a_missing_file_is_answered_with_those_that_there_are(workspace: Workspace) -> None:
    workspace.write("sales.csv", b"x")
    with pytest.raises(NotThere, match=r"sales\.csv"):
        workspace.open("sale.csv").__enter__()


def test_looking_makes_no_folder(workspace: Workspace, tmp_path: Path) -> None:
    assert workspace.list() == []
    with pytest.raises(NotThere):
        workspace.keep("a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_files_belong_to_whoever_runs_the_code_and_versions_do_not(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "chat", owner_uid=61_200)
    kept = workspace.write("sub/a.txt", b"x")
    files = workspace.prepare()
    assert {path.stat().st_uid for path in (files, files / "sub", files / "sub" / "a.txt")} == {61_200}
    assert {kept.path.stat().st_uid, kept.path.parent.stat().st_uid} == {0}
    assert kept.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("plant", "name"), TRAPS)
def test_whatever_is_refused_leaves_nothing_open(workspace: Workspace, outside: Path, plant: Plant, name: str) -> None:
    workspace.write("a.txt", b"x")
    plant(workspace.prepare(), outside)
    before = open_descriptors()
    small = Workspace(workspace.prepare().parent, WorkspaceLimits(file_bytes=0))
    for attempt in (
        lambda: workspace.write(name, b"x"),
        lambda: content_of(workspace, name),
        lambda: small.write("a.txt", b"y"),
        lambda: content_of(small, "a.txt"),
        lambda: small.keep("a.txt"),
    ):
        with pytest.raises(ToolError):
            attempt()
    workspace.list()
    assert open_descriptors() == before


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
