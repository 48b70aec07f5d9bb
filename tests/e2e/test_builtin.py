"""The app on the real built-in engine, with the smallest real weights. What it says is not judged."""

import os
import select
import signal
from pathlib import Path

import pytest

from tests.e2e.chat_client import chatting
from tests.e2e.running_app import RunningApp, running_app

pytestmark = [pytest.mark.e2e, pytest.mark.builtin]

LIMIT_S = 90


def engine_of(app: RunningApp) -> int:
    """The process id of the app's engine."""
    children = Path(f"/proc/{app.process.pid}/task/{app.process.pid}/children").read_text("ascii").split()
    command = {int(child): Path(f"/proc/{child}/cmdline").read_text("utf-8") for child in children}
    return next(child for child, line in command.items() if "llm.local.child" in line)


async def test_a_question_is_thought_about_and_answered(tiny_model: Path, tmp_path: Path) -> None:
    places = {"LOCAL_MODEL": "auto", "LOCAL_MODEL_PATH": str(tiny_model), "THINKGLASS_CACHE": str(tmp_path / "cache")}
    with running_app(tmp_path, **places) as app:
        async with chatting(app.url) as chat:
            await chat.until(lambda page: "answers" in page.story[0][1], limit=LIMIT_S)
            assert await chat.ask("Hello!", limit=LIMIT_S)
            kinds = [kind for kind, _ in chat.page.story]
            assert "assistant_message" in kinds
            assert chat.page.of_type("llm")[0]["output"].startswith("The user ")
        engine = os.pidfd_open(engine_of(app))
        os.kill(app.process.pid, signal.SIGKILL)
        has_ended, _, _ = select.select([engine], [], [], 5)
        assert has_ended
