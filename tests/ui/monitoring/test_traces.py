from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from agents.events import RoundStarted, ThinkingDelta, ToolFinished, ToolStarted, TurnEnded, TurnEvent, UsageReported
from llm.errors import RateLimited
from ui.monitoring.traces import TurnTrace


def spans_of(*events: TurnEvent, error: Exception | None = None) -> dict[str, ReadableSpan]:
    """The spans by name, of a turn that ended with `error` from outside."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    turn = TurnTrace(provider.get_tracer("test"), turn_id="t1", thread_id="c1")
    turn.answered_by("deepseek-flash")
    for event in events:
        turn.note(event)
    turn.end(error)
    return {span.name: span for span in kept.get_finished_spans()}


def test_a_turn_holds_its_model_calls_and_tools_with_the_names_of_the_conventions() -> None:
    spans = spans_of(
        RoundStarted(1), ThinkingDelta("secret"), UsageReported(100, 80, 7, 20),
        ToolStarted("a", "search_web", {"query": "secret"}), ToolFinished("a", "secret", 1.0, is_error=True),
        RoundStarted(2), TurnEnded("answered", 3.0),
    )  # fmt: skip
    assert list(spans) == ["chat deepseek-flash", "execute_tool search_web", "invoke_agent thinkglass"]
    turn, tool = spans["invoke_agent thinkglass"], spans["execute_tool search_web"]
    assert turn.attributes
    assert tool.attributes
    assert turn.context
    assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert turn.attributes["gen_ai.conversation.id"] == "c1"
    assert tool.attributes["gen_ai.tool.call.id"] == "a"
    assert tool.status.status_code is StatusCode.ERROR
    assert tool.parent
    assert tool.parent.span_id == turn.context.span_id
    assert "secret" not in "".join(span.to_json() for span in spans.values())


def test_usage_stands_at_the_call_of_the_model() -> None:
    span = spans_of(RoundStarted(1), UsageReported(100, 80, 7, 20), TurnEnded("answered", 3.0))["chat deepseek-flash"]
    assert span.attributes
    assert span.attributes["gen_ai.usage.input_tokens"] == 100
    assert span.attributes["gen_ai.usage.output_tokens"] == 20


def test_a_failed_turn_names_the_kind_of_error_only() -> None:
    failure = RateLimited(host="secret.example", seconds=3)
    for turn in (spans_of(TurnEnded("failed", 1.0, failure)), spans_of(error=failure)):
        span = turn["invoke_agent thinkglass"]
        assert span.attributes
        assert span.attributes["error.type"] == "RateLimited"
        assert span.status.status_code is StatusCode.ERROR
        assert "secret" not in span.to_json()


def test_a_turn_stopped_in_the_midst_leaves_no_span_open() -> None:
    spans = spans_of(RoundStarted(1), ToolStarted("a", "calculate", {}))
    assert all(span.end_time for span in spans.values())
    assert len(spans) == 3
