import re
from collections.abc import Sequence

import pytest

from agents.events import AnswerDelta, ThinkingDelta, ToolFinished, ToolStarted, TurnEnded, TurnEvent, UsageReported
from llm.errors import RateLimited
from ui.monitoring.metrics import Metrics, TurnMetrics


def counted(metrics: Metrics, name: str) -> float:
    """One sample of the text that Prometheus would read."""
    (value,) = re.findall(rf"^{re.escape(name)} (\S+)$", metrics.text().decode(), re.MULTILINE) or ["nan"]
    return float(value)


def after(*events: TurnEvent, error: Exception | None = None) -> Metrics:
    metrics = Metrics()
    turn = TurnMetrics(metrics)
    assert counted(metrics, "thinkglass_running_turns") == 1
    for event in events:
        turn.note(event)
    turn.end(error)
    assert counted(metrics, "thinkglass_running_turns") == 0
    return metrics


def test_an_answered_turn_with_a_tool() -> None:
    metrics = after(
        ThinkingDelta("a secret thought"), ThinkingDelta("b"),
        ToolStarted("1", "calculate", {"expression": "secret"}), ToolFinished("1", "secret", 0.3),
        ToolStarted("2", "calculate", {}), ToolFinished("2", "secret", 7, is_error=True),
        ToolStarted("3", "read_page", {}), ToolFinished("3", "secret", 0, is_error=True, refusal="deny"),
        UsageReported(100, 80, 7, 20), UsageReported(None, None, None, 5),
        AnswerDelta("secret"), TurnEnded("answered", 3.0),
    )  # fmt: skip
    assert counted(metrics, 'thinkglass_turns_total{outcome="answered"}') == 1
    assert counted(metrics, 'thinkglass_tokens_total{kind="completion"}') == 25
    assert counted(metrics, 'thinkglass_tokens_total{kind="cached"}') == 80
    assert counted(metrics, "thinkglass_first_token_seconds_count") == 1
    assert counted(metrics, 'thinkglass_tool_seconds_bucket{le="0.5",outcome="done",tool="calculate"}') == 1
    assert counted(metrics, 'thinkglass_tool_seconds_bucket{le="5.0",outcome="failed",tool="calculate"}') == 0
    assert counted(metrics, 'thinkglass_tool_seconds_count{outcome="refused",tool="read_page"}') == 1
    assert b"secret" not in metrics.text()


@pytest.mark.parametrize(
    ("events", "error", "outcome", "kind"),
    [
        ([TurnEnded("failed", 1.0, RateLimited(host="x", seconds=1))], None, "failed", "RateLimited"),
        ([AnswerDelta("a")], None, "stopped", None),
        ([], KeyError("our own fault"), "failed", "KeyError"),
        ([TurnEnded("gave_up", 1.0)], None, "gave_up", None),
    ],
)
def test_other_ends(events: Sequence[TurnEvent], error: Exception | None, outcome: str, kind: str | None) -> None:
    metrics = after(*events, error=error)
    assert counted(metrics, f'thinkglass_turns_total{{outcome="{outcome}"}}') == 1
    assert ("thinkglass_errors_total{" in metrics.text().decode()) == (kind is not None)
    if kind:
        assert counted(metrics, f'thinkglass_errors_total{{kind="{kind}"}}') == 1
