import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ui.auth.passwords import PeopleFile

ROOT = Path(__file__).parents[3]
GOOD = "correct horse 电池"


@pytest.fixture
def people(tmp_path: Path) -> PeopleFile:
    return PeopleFile(tmp_path / "data" / "people.txt")


def test_a_person_is_known_by_their_own_password_only(people: PeopleFile, tmp_path: Path) -> None:
    people.add("ada", GOOD)
    people.add("李雷", GOOD + "!")
    assert people.knows("ada", GOOD)
    assert people.knows("李雷", GOOD + "!")
    assert not people.knows("ada", GOOD + "!")
    assert not people.knows("Ada", GOOD)
    assert not people.knows("nobody", GOOD)
    assert not people.knows("", "")
    file = tmp_path / "data" / "people.txt"
    assert GOOD not in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_changes_count_at_once(people: PeopleFile) -> None:
    people.add("ada", GOOD)
    people.add("ada", "another password")
    assert not people.knows("ada", GOOD)
    people.remove("ada")
    assert not people.knows("ada", "another password")
    with pytest.raises(ValueError, match="nobody named ada"):
        people.remove("ada")


@pytest.mark.parametrize("name", ["", " ada", "a:b", "a\nb", "a\x00"])
def test_a_name_that_would_break_the_file_is_refused(people: PeopleFile, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        people.add(name, GOOD)


def test_a_short_password_is_refused(people: PeopleFile) -> None:
    with pytest.raises(ValueError, match="8 characters"):
        people.add("ada", "short")


def test_a_damaged_line_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "people.txt"
    path.write_text("# comment\nada:\nbob\neve:plain text\n", "utf-8")
    people = PeopleFile(path)
    assert not any(people.knows(name, word) for name in ("ada", "bob", "eve", "") for word in ("", "plain text", "bob"))


def command(tmp_path: Path, *arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "ui.auth", *arguments],
        cwd=ROOT, input=typed, capture_output=True, text=True, check=False,
        env={"THINKGLASS_DATA": str(tmp_path), "PATH": "/usr/bin:/bin", "CHAINLIT_APP_ROOT": str(tmp_path)},
    )  # fmt: skip


def test_the_command_adds_lists_and_removes(tmp_path: Path) -> None:
    assert command(tmp_path, "list").stdout == "Nobody yet.\n"
    assert command(tmp_path, "add", "ada", typed=f"{GOOD}\n").stdout == "ada\n"
    assert PeopleFile(tmp_path / "people.txt").knows("ada", GOOD)
    wrong = command(tmp_path, "remove", "eve")
    assert (wrong.returncode, wrong.stderr) == (1, "There is nobody named eve.\n")
    assert command(tmp_path, "remove", "ada").returncode == 0
