"""What operators count, as Prometheus reads it: turns, tokens, waiting times, errors. Holds no word of any chat."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from agents.events import AnswerDelta, ThinkingDelta, ToolFinished, ToolStarted, TurnEnded, TurnEvent, UsageReported

_SECONDS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 120, 300)


class Metrics:
    """The figures of this process. `watch` gives what one turn adds to them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.turns = self._counter("turns", "Turns that ended, by how.", "outcome")
        self.tokens = self._counter("tokens", "Tokens as the endpoints counted them.", "kind")
        self.errors = self._counter("errors", "Turns that failed or were cut short, by kind of error.", "kind")
        self.running = Gauge("thinkglass_running_turns", "Turns that run now.", registry=self.registry)
        self.first_token = self._histogram("first_token_seconds", "From the question to the first word of the model.")
        self.turn = self._histogram("turn_seconds", "From the question to the turn's end.")
        self.tool = self._histogram("tool_seconds", "How long tools took.", "tool", "outcome")

    def text(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, says: str, label: str) -> Counter:
        return Counter(f"thinkglass_{name}", says, [label], registry=self.registry)

    def _histogram(self, name: str, says: str, *labels: str) -> Histogram:
        return Histogram(f"thinkglass_{name}", says, labels, buckets=_SECONDS, registry=self.registry)


class TurnMetrics:
    """Counts one turn. Feed it the turn's events, and call `end` in the end."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._began = time.monotonic()
        self._has_word = False
        self._outcome: TurnEnded | None = None
        self._tools: dict[str, str] = {}
        metrics.running.inc()

    def note(self, event: TurnEvent) -> None:
        """Count what the event says."""
        match event:
            case ThinkingDelta() | AnswerDelta() if not self._has_word:
                self._has_word = True
                self._metrics.first_token.observe(time.monotonic() - self._began)
            case ToolStarted(call_id, name):
                self._tools[call_id] = name
            case ToolFinished(call_id, _, seconds, is_error, refusal=refusal):
                outcome = "refused" if refusal else "failed" if is_error else "done"
                self._metrics.tool.labels(self._tools.pop(call_id), outcome).observe(seconds)
            case UsageReported():
                self._count_tokens(event)
            case TurnEnded():
                self._outcome = event

    def end(self, error: Exception | None) -> None:
        """The turn is over; `error` is what ended it from outside, if anything. Without `TurnEnded` it was stopped."""
        reason = self._outcome.reason if self._outcome else "failed" if error else "stopped"
        error = error or (self._outcome.error if self._outcome else None)
        self._metrics.running.dec()
        self._metrics.turns.labels(reason).inc()
        self._metrics.turn.observe(time.monotonic() - self._began)
        if error:
            self._metrics.errors.labels(type(error).__name__).inc()

    def _count_tokens(self, usage: UsageReported) -> None:
        counted = {
            "prompt": usage.prompt_tokens,
            "cached": usage.cached_tokens,
            "thinking": usage.thinking_tokens,
            "completion": usage.completion_tokens,
        }
        for kind, count in counted.items():
            if count:
                self._metrics.tokens.labels(kind).inc(count)
