"""What operators see from outside: figures, traces and log lines of turns, without a word of what was said."""

from types import TracebackType
from typing import Literal, Self

from opentelemetry.sdk.trace import TracerProvider

from agents.events import TurnEvent
from ui.monitoring.logs import TURN_ID, log_as_json, quiet_libraries
from ui.monitoring.metrics import Metrics, TurnMetrics
from ui.monitoring.traces import TurnTrace, provider_to


class Monitoring:
    """One for the app. `otlp_endpoint` is where traces go; None sends none."""

    def __init__(self, *, otlp_endpoint: str | None = None, log_format: Literal["text", "json"] = "text") -> None:
        self.metrics = Metrics()
        quiet_libraries()
        if log_format == "json":
            log_as_json()
        self._provider: TracerProvider | None = provider_to(otlp_endpoint) if otlp_endpoint else None

    def turn(self, turn_id: str, thread_id: str) -> "TurnWatch":
        """Watches one turn, as a context around it."""
        tracer = self._provider.get_tracer("thinkglass") if self._provider else None
        trace = TurnTrace(tracer, turn_id=turn_id, thread_id=thread_id) if tracer else None
        return TurnWatch(turn_id, TurnMetrics(self.metrics), trace)

    def close(self) -> None:
        """Send what is left."""
        if self._provider:
            self._provider.shutdown()


class TurnWatch:
    """Takes in a turn's events; leaving the context ends the turn, by the exception that leaves with it."""

    def __init__(self, turn_id: str, metrics: TurnMetrics, trace: TurnTrace | None) -> None:
        self._turn_id = turn_id
        self._metrics = metrics
        self._trace = trace

    def answered_by(self, model: str) -> None:
        """The model that is asked."""
        if self._trace:
            self._trace.answered_by(model)

    def note(self, event: TurnEvent) -> None:
        """One event of the turn."""
        self._metrics.note(event)
        if self._trace:
            self._trace.note(event)

    def __enter__(self) -> Self:
        self._token = TURN_ID.set(self._turn_id)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        TURN_ID.reset(self._token)
        failure = error if isinstance(error, Exception) else None  # being cancelled is no failure
        self._metrics.end(failure)
        if self._trace:
            self._trace.end(failure)
