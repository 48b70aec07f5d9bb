"""How the sandbox decides whether and how code is confined here, and what it says if not."""

from pathlib import Path

import pytest

from tools.sandbox import Sandbox, user_for
from tools.sandbox.command import exposed, libraries, readable
from tools.sandbox.confinement import REASONS


async def test_no_mode_means_no_session_and_one_plain_line(tmp_path: Path) -> None:
    box = Sandbox(modes=())
    confinement = await box.probe()
    assert confinement.mode is None
    assert confinement.cause == "switched_off"
    assert confinement.reason == REASONS["switched_off"]
    with pytest.raises(ValueError, match="can't be confined"):
        box.session(tmp_path)
    await box.close()


async def test_a_server_among_the_libraries_runs_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(libraries()[0])
    box = Sandbox()
    assert (await box.probe()).cause == "exposed"
    await box.close()


async def test_each_reason_is_one_line_with_a_way_out() -> None:
    for reason in REASONS.values():
        assert reason.startswith("Python is off: ")
        assert "\n" not in reason
        assert reason.endswith(".")


async def test_a_probe_is_made_once() -> None:
    box = Sandbox()
    assert await box.probe() is await box.probe()
    await box.close()


def test_what_code_may_read_is_libraries_and_not_the_server() -> None:
    assert not exposed(Path(__file__).parents[3])
    assert not any(Path("/home").is_relative_to(path) or Path("/etc").is_relative_to(path) for path in readable())
    assert exposed(Path(libraries()[0]) / "numpy")


def test_a_chat_s_user_is_always_the_same_and_nobody_s_account(tmp_path: Path) -> None:
    user = user_for(tmp_path)
    assert user == user_for(tmp_path)
    assert user is None or 61_184 <= user < 65_520
