"""What the server sees of a chat's folder, and how it clears it, whatever stands there."""

import os
from pathlib import Path

import pytest

from tools.sandbox.disk import MOST_ENTRIES, clear_away, listing, remove_folder


def test_made_and_changed_files_are_told_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("kept.txt", "sub/changed.csv", "grown.txt"):
        (tmp_path / name).write_text("1", "utf-8")
    before = listing(tmp_path)
    (tmp_path / "sub" / "changed.csv").write_text("2", "utf-8")
    (tmp_path / "grown.txt").write_text("1" * 99, "utf-8")
    (tmp_path / "sub" / "made.png").write_bytes(b"x")
    assert listing(tmp_path).changed_since(before) == ("grown.txt", "sub/changed.csv", "sub/made.png")


def test_what_is_no_plain_file_is_neither_followed_nor_told(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    folder = tmp_path / "chat"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.txt").write_bytes(b"x" * 10_000)
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "folder").symlink_to(outside)
    (folder / "hard.txt").hardlink_to(outside / "secret.txt")
    os.mkfifo(folder / "pipe")
    found = listing(folder)
    assert found.files == {}
    assert found.folders == frozenset()


def test_clearing_leaves_what_was_there_and_takes_the_rest(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "kept.txt").write_text("1", "utf-8")
    before = listing(tmp_path)
    (tmp_path / "old" / "new.bin").write_bytes(b"x" * 999)
    (tmp_path / "new" / "inner").mkdir(parents=True)
    (tmp_path / "new" / "inner" / "file").write_text("x", "utf-8")
    os.mkfifo(tmp_path / "pipe")
    clear_away(tmp_path, before)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")) == ["old", "old/kept.txt"]


def test_clearing_takes_more_files_than_are_ever_looked_at(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("1", "utf-8")
    before = listing(tmp_path)
    for number in range(30_000):
        (tmp_path / f"small{number}").touch()
    clear_away(tmp_path, before)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_of_an_overgrown_folder_no_more_is_taken_than_was_looked_at(tmp_path: Path) -> None:
    for number in range(MOST_ENTRIES + 500):
        (tmp_path / f"old{number}").touch()
    clear_away(tmp_path, listing(tmp_path))
    assert len(list(tmp_path.iterdir())) == MOST_ENTRIES + 500


def test_links_are_removed_and_not_what_they_point_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    folder = tmp_path / "chat"
    outside.mkdir()
    (folder / "inner").mkdir(parents=True)
    (outside / "secret.txt").write_text("x", "utf-8")
    (folder / "inner" / "link").symlink_to(outside)
    (folder / "top").symlink_to(outside)
    remove_folder(folder)
    assert not folder.exists()
    assert (outside / "secret.txt").read_text("utf-8") == "x"


def test_folders_deeper_than_a_path_can_be_long_are_removed(empty_folder: Path) -> None:
    folder = empty_folder / "chat"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("deep", dir_fd=here)
        inner = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert listing(folder).is_overgrown
    remove_folder(folder)
    assert not folder.exists()


def test_more_files_than_may_be_are_noticed_and_removed(empty_folder: Path) -> None:
    before = listing(empty_folder)
    for number in range(MOST_ENTRIES + 200):
        (empty_folder / f"{number}").touch()
    assert listing(empty_folder).is_overgrown
    clear_away(empty_folder, before)
    clear_away(empty_folder, before)
    assert list(empty_folder.iterdir()) == []


@pytest.mark.skipif(os.getuid() != 0, reason="GIVING AWAY IS NOT TESTED: only root can")
def test_all_plain_files_and_folders_are_given_to_the_owner(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.touch()
    folder = tmp_path / "chat"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").touch()
    (folder / "link").symlink_to(outside)
    (folder / "hard").hardlink_to(outside)
    listing(folder, owner=64_000)
    owners = {name: (folder / name).lstat().st_uid for name in (".", "sub", "sub/a.txt")}
    assert owners == dict.fromkeys(owners, 64_000)
    assert outside.stat().st_uid == 0
