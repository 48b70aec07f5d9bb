import io
from pathlib import Path

import pytest

from llm.endpoint import Endpoint
from llm.local.connection import Asking, ConnectionState, Fetching, Looking, Ready, Starting, Unavailable
from llm.local.errors import NoModel
from llm.local.progress_line import ProgressLine

ENDPOINT = Endpoint("http://127.0.0.1:1/v1", "very-secret", "qwen", source="builtin", server="built-in")
STORY: list[ConnectionState] = [
    Looking(),
    Fetching(0, 1_100_000_000, "Qwen2.5-Coder 1.5B"),
    Fetching(550_000_000, 1_100_000_000, "Qwen2.5-Coder 1.5B"),
    Fetching(1_100_000_000, 1_100_000_000, "Qwen2.5-Coder 1.5B"),
    Starting("Qwen2.5-Coder 1.5B"),
    Ready(ENDPOINT),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(stream: io.StringIO, *states: ConnectionState) -> str:
    line = ProgressLine(stream)
    for state in states:
        line.show(state)
    return stream.getvalue()


def test_a_log_holds_the_size_before_and_the_outcome_only() -> None:
    assert told(io.StringIO(), *STORY).splitlines() == [
        "Fetching the built-in model Qwen2.5-Coder 1.5B (1.1 GB). This happens once; LOCAL_MODEL=off does without it.",
        "Model: qwen (built-in)",
    ]


def test_a_terminal_sees_one_line_that_is_rewritten() -> None:
    text = told(Terminal(), *STORY)
    assert text.count("\n") == 2
    assert "\r\x1b[K550 MB of 1.1 GB (50 %)" in text
    assert text.index("Fetching") < text.index("550 MB") < text.index("Checking") < text.index("Starting")


def test_a_failure_is_told_with_its_remedy() -> None:
    error = NoModel()
    assert told(io.StringIO(), Looking(), Unavailable(error)) == f"No model: {error.user_message}\n"


def test_the_size_is_told_again_when_the_download_begins_again() -> None:
    fetching = STORY[1]
    assert told(io.StringIO(), fetching, Unavailable(NoModel()), fetching).count("1.1 GB") == 2


@pytest.mark.parametrize(
    ("source", "server", "line"),
    [
        ("configured", "example.org", "Model: qwen (example.org)\n"),
        ("detected", "Ollama", "Model: qwen (Ollama, found running on this machine)\n"),
    ],
)
async def test_it_follows_a_connection_to_its_end(source: str, server: str, line: str, tmp_path: Path) -> None:
    endpoint = Endpoint("http://127.0.0.1:1/v1", "very-secret", "qwen", source=source, server=server)  # type: ignore[arg-type]
    stream = io.StringIO()
    told(stream, Ready(endpoint))
    assert stream.getvalue() == line
    assert "very-secret" not in stream.getvalue()


def test_a_terminal_says_whom_it_asks_for_a_model() -> None:
    assert "Asking example.org which model it has" in told(Terminal(), Asking("example.org"))
    assert told(io.StringIO(), Asking("example.org")) == ""
