"""A turn as OpenTelemetry spans, by the names of the conventions for generative AI. Holds no word of any chat.

`invoke_agent` is the turn, `chat` each call of the model, `execute_tool` each tool:
https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from agents.events import RoundStarted, ToolFinished, ToolStarted, TurnEnded, TurnEvent, UsageReported


def provider_to(otlp_endpoint: str) -> TracerProvider:
    """Sends spans to an OTLP endpoint over HTTP, such as http://localhost:6006, in the background."""
    address = otlp_endpoint.rstrip("/")
    exporter = OTLPSpanExporter(endpoint=address if address.endswith("/v1/traces") else f"{address}/v1/traces")
    provider = TracerProvider(resource=Resource.create({"service.name": "thinkglass"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


class TurnTrace:
    """The spans of one turn. Feed it the turn's events, and call `end` in the end."""

    def __init__(self, tracer: Tracer, *, turn_id: str, thread_id: str) -> None:
        self._tracer = tracer
        self._turn = tracer.start_span(
            "invoke_agent thinkglass",
            kind=SpanKind.INTERNAL,
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "thinkglass",
                "gen_ai.conversation.id": thread_id,
                "thinkglass.turn.id": turn_id,
            },
        )
        self._inside = set_span_in_context(self._turn)
        self._model = ""
        self._chat: Span | None = None
        self._tools: dict[str, Span] = {}

    def answered_by(self, model: str) -> None:
        """The model that this turn asks."""
        self._model = model
        self._turn.set_attribute("gen_ai.request.model", model)

    def note(self, event: TurnEvent) -> None:
        """Begin and end spans as the event says."""
        match event:
            case RoundStarted():
                self._end_chat()
                self._chat = self._begin(f"chat {self._model}", "chat", SpanKind.CLIENT)
                self._chat.set_attribute("gen_ai.request.model", self._model)
            case UsageReported() if self._chat:
                self._note_usage(self._chat, event)
            case ToolStarted(call_id, name):
                self._end_chat()
                span = self._tools[call_id] = self._begin(f"execute_tool {name}", "execute_tool", SpanKind.INTERNAL)
                span.set_attributes({"gen_ai.tool.name": name, "gen_ai.tool.call.id": call_id})
            case ToolFinished(call_id, is_error=is_error, refusal=refusal):
                _finish(self._tools.pop(call_id), "tool_error" if is_error and not refusal else None)
            case TurnEnded(reason, error=error):
                self._turn.set_attribute("thinkglass.turn.end", reason)
                if error and reason == "failed":
                    self._fail(error)

    def end(self, error: Exception | None) -> None:
        """The turn is over; `error` is what ended it from outside, if anything."""
        self._end_chat()
        for span in self._tools.values():
            _finish(span, "stopped")
        if error:
            self._fail(error)
        self._turn.end()

    def _begin(self, name: str, operation: str, kind: SpanKind) -> Span:
        attributes = {"gen_ai.operation.name": operation}
        return self._tracer.start_span(name, context=self._inside, kind=kind, attributes=attributes)

    def _end_chat(self) -> None:
        if self._chat:
            self._chat.end()
            self._chat = None

    def _fail(self, error: Exception) -> None:
        self._turn.set_attribute("error.type", type(error).__name__)
        self._turn.set_status(Status(StatusCode.ERROR))

    @staticmethod
    def _note_usage(span: Span, usage: UsageReported) -> None:
        counted = {
            "gen_ai.usage.input_tokens": usage.prompt_tokens,
            "gen_ai.usage.output_tokens": usage.completion_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
            "thinkglass.usage.thinking_tokens": usage.thinking_tokens,
        }
        span.set_attributes({name: count for name, count in counted.items() if count is not None})


def _finish(span: Span, error_type: str | None) -> None:
    if error_type:
        span.set_attribute("error.type", error_type)
        span.set_status(Status(StatusCode.ERROR))
    span.end()
