"""What a turn took: rounds, tools, time by what it went into, tokens, and money where prices are known. Pure."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from agents.events import (
    AnswerDelta,
    RoundStarted,
    Stalled,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    UsageReported,
)

_PRICES = re.compile(r"([$€£¥₹]?) ?" + r", ?".join([r"(\d+(?:\.\d+)?)"] * 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost. `currency` stands before the amount, as `$`."""

    input: float
    cached: float
    output: float
    currency: str = "$"

    @classmethod
    def from_text(cls, text: str) -> "Prices | None":
        """From `0.28, 0.028, 0.42`, maybe with a currency before it; None from an empty text. Raises ValueError."""
        if not text.strip():
            return None
        found = _PRICES.fullmatch(text.strip())
        if not found:
            raise ValueError("LLM_PRICES wants three prices per million tokens, such as 0.28, 0.028, 0.42.")
        currency, *numbers = found.groups()
        return cls(
            **dict(zip(("input", "cached", "output"), map(float, numbers), strict=True)), currency=currency or "$"
        )

    def cost(self, usage: UsageReported) -> float | None:
        """The price of these tokens, or None where the endpoint did not count them."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
        fresh = usage.prompt_tokens - cached
        return (fresh * self.input + cached * self.cached + usage.completion_tokens * self.output) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """A whole turn in numbers. Seconds, which add up to `seconds`; tokens and cost None where unknown.

    `asked_seconds` are those in which a person was asked whether a tool may run.
    """

    seconds: float
    rounds: int
    tools: int
    thinking_seconds: float
    tool_seconds: float
    asked_seconds: float
    writing_seconds: float
    waiting_seconds: float
    prompt_tokens: int | None
    cached_tokens: int | None
    thinking_tokens: int | None
    answer_tokens: int | None
    cost: float | None
    currency: str

    def as_dict(self) -> dict[str, Any]:
        """The same for the chat's storage, times to a hundredth."""
        return {key: round(value, 2) if key.endswith("seconds") else value for key, value in asdict(self).items()}


@dataclass(slots=True)
class TurnTally:
    """Counts along. `began` and the times given to `note` and `facts` are of one clock, in seconds."""

    began: float
    prices: Prices | None = None
    rounds: int = 0
    tools: int = 0
    _thinking: float = 0.0
    _tools_time: float = 0.0
    _writing: float = 0.0
    _running: set[str] = field(default_factory=set)
    _usages: list[UsageReported] = field(default_factory=list)
    _last: TurnEvent | None = None
    _last_at: float = 0.0

    def note(self, event: TurnEvent, at: float) -> None:
        """Take one event of the turn into account, in order."""
        self._attribute(event, at - self._last_at)
        self._last, self._last_at = event, at
        match event:
            case RoundStarted():
                self.rounds += 1
            case ThinkingEnded(seconds):
                self._thinking += seconds
            case ToolStarted(call_id):
                self.tools += 1
                self._running.add(call_id)
            case ToolFinished(call_id):
                self._running.discard(call_id)
            case UsageReported():
                self._usages.append(event)

    def facts(self, seconds: float, at: float, *, asked: float = 0.0) -> TurnFacts:
        """The turn so far, which took `seconds` in all and is over at `at`; for `asked` of them a person was asked.

        A person is only asked about a tool that has been started: that time is not the tool's.
        """
        if self._running:
            self._tools_time += at - self._last_at
        asked = min(asked, self._tools_time)
        known = self._thinking + self._tools_time + self._writing
        return TurnFacts(
            seconds=seconds,
            rounds=self.rounds,
            tools=self.tools,
            thinking_seconds=self._thinking,
            tool_seconds=self._tools_time - asked,
            asked_seconds=asked,
            writing_seconds=self._writing,
            waiting_seconds=max(0.0, seconds - known),
            prompt_tokens=self._sum("prompt_tokens"),
            cached_tokens=self._sum("cached_tokens"),
            thinking_tokens=self._sum("thinking_tokens"),
            answer_tokens=self._answer_tokens(),
            cost=self._cost(),
            currency=self.prices.currency if self.prices else "",
        )

    def _attribute(self, event: TurnEvent, passed: float) -> None:
        """The time between two events belongs to what ran meanwhile; between deltas, to the writing."""
        if self._running:
            self._tools_time += passed
        elif isinstance(self._last, ThoughtDelta | AnswerDelta) and not isinstance(event, Stalled | ThinkingDelta):
            self._writing += passed

    def _sum(self, name: str) -> int | None:
        """The sum over the rounds; a round that did not say, as one that was cut, makes it unknown."""
        values = [getattr(usage, name) for usage in self._usages]
        return None if None in values or not self._all_reported() else sum(values)

    def _all_reported(self) -> bool:
        return 0 < self.rounds == len(self._usages)

    def _answer_tokens(self) -> int | None:
        """Some hosts count thinking apart and may report more of it than of the whole; then the whole is the answer."""
        thinking, completion = self._sum("thinking_tokens"), self._sum("completion_tokens")
        if thinking is None or completion is None:
            return None
        return completion - thinking if completion >= thinking else completion

    def _cost(self) -> float | None:
        if not self.prices or not self._all_reported():
            return None
        costs = [self.prices.cost(usage) for usage in self._usages]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None
