"""What a turn took, counted from its events at given times, and told in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from ui.texts import CHINESE, ENGLISH
from ui.turn.summary import summary_line, summary_table, took
from ui.turn.tally import Prices, TurnFacts, TurnTally

PRICES = Prices(input=2.0, cached=0.5, output=10.0)
USAGE = UsageReported(1_000_000, 400_000, 30, 100_000)


def facts_of(
    told: list[tuple[float, TurnEvent]], seconds: float, prices: Prices | None = None, *, asked: float = 0.0
) -> TurnFacts:
    tally = TurnTally(0.0, prices)
    for at, event in told:
        tally.note(event, at)
    return tally.facts(seconds, seconds, asked=asked)


TURN: list[tuple[float, TurnEvent]] = [
    (0, RoundStarted(1)),
    (2, ThinkingDelta("Hm.")),
    (5, ThinkingEnded(3)),
    (5, ThoughtDelta("I look.")),
    (6, ToolStarted("a", "calculate", {})),
    (6.5, ToolStarted("b", "calculate", {})),
    (7, ToolFinished("a", "1", 1)),
    (9, ToolFinished("b", "1", 2.5)),
    (9, UsageReported(100, 50, 20, 30)),
    (9, RoundStarted(2)),
    (10, AnswerDelta("A")),
    (14, AnswerDelta("B")),
    (14, UsageReported(200, 0, 0, 10)),
]


def test_each_second_belongs_to_what_ran() -> None:
    facts = facts_of(TURN, 14)
    assert (facts.rounds, facts.tools) == (2, 2)
    assert (facts.thinking_seconds, facts.tool_seconds) == (3, 3)
    assert (facts.writing_seconds, facts.waiting_seconds) == (5, 3)
    assert (facts.prompt_tokens, facts.cached_tokens, facts.thinking_tokens, facts.answer_tokens) == (300, 50, 20, 20)


def test_the_time_of_a_question_is_not_the_tools() -> None:
    facts = facts_of(TURN, 14, asked=2.5)
    assert (facts.tool_seconds, facts.asked_seconds, facts.waiting_seconds) == (0.5, 2.5, 3)
    assert "| Tools | 0.5 s |  |\n| Waiting for you | 2.5 s |  |\n| Waiting | 3.0 s |" in summary_table(ENGLISH, facts)
    assert "| 等你回答 | 2.5 秒 |" in summary_table(CHINESE, facts)
    assert "Waiting for you" not in summary_table(ENGLISH, facts_of(TURN, 14))


def test_a_tool_that_was_cut_ran_until_the_end() -> None:
    assert facts_of(TURN[:6], 10).tool_seconds == 4


def test_a_silence_within_the_answer_is_waiting() -> None:
    facts = facts_of([(0, RoundStarted(1)), (1, AnswerDelta("A")), (21, Stalled(20)), (31, AnswerDelta("B"))], 31)
    assert facts.writing_seconds == 0
    assert facts.waiting_seconds == 31


@pytest.mark.parametrize(
    "usages",
    [[], [UsageReported(100, 0, 5, 9)], [UsageReported(100, 0, 5, 9), UsageReported(None, None, None, 9)]],
    ids=["none", "of one round", "without the prompt"],
)
def test_tokens_that_not_every_round_has_told_are_unknown(usages: list[UsageReported]) -> None:
    told: list[tuple[float, TurnEvent]] = [(0, RoundStarted(1)), (1, RoundStarted(2)), *((2.0, u) for u in usages)]
    facts = facts_of(told, 2, PRICES)
    assert facts.prompt_tokens is None
    assert facts.cost is None
    assert facts.answer_tokens is None
    assert "—" in summary_table(ENGLISH, facts)


def test_more_thinking_than_tokens_in_all_is_counted_apart() -> None:
    assert facts_of([(0, RoundStarted(1)), (1, UsageReported(1, 0, 50, 7))], 1).answer_tokens == 7


def test_the_cost_takes_the_cache_into_account_and_is_none_without_prices() -> None:
    told: list[tuple[float, TurnEvent]] = [(0, RoundStarted(1)), (1, USAGE)]
    assert facts_of(told, 1, PRICES).cost == pytest.approx(1.2 + 0.2 + 1.0)
    assert facts_of(told, 1).cost is None
    assert "Cost" not in summary_table(ENGLISH, facts_of(told, 1))


@given(st.lists(st.sampled_from([event for _, event in TURN]), max_size=20), st.floats(0.001, 5), st.floats(0, 50))
def test_no_time_is_counted_twice(events: list[TurnEvent], step: float, asked: float) -> None:
    told = [(number * step, event) for number, event in enumerate(events) if not isinstance(event, ThinkingEnded)]
    seconds = len(events) * step
    facts = facts_of(told, seconds, asked=asked)
    parts = (facts.thinking_seconds, facts.tool_seconds, facts.asked_seconds, facts.writing_seconds,
             facts.waiting_seconds)  # fmt: skip
    assert sum(parts) == pytest.approx(seconds)
    assert min(parts) >= 0


def test_the_line_and_the_table_in_both_languages() -> None:
    facts = facts_of(TURN, 14, PRICES)
    assert summary_line(ENGLISH, facts) == "2 rounds · 2 tools · 14 s"
    assert summary_line(CHINESE, facts) == "2 轮 · 2 次工具调用 · 14 秒"
    assert summary_line(ENGLISH, facts_of(TURN[:2], 80)) == "1 round · 1 min 20 s"
    assert "| Thinking | 3.0 s | 20 |" in summary_table(ENGLISH, facts)
    assert "| Read |  | 300 |\n| From the cache |  | 50 |" in summary_table(ENGLISH, facts)
    assert "| 思考 | 3.0 秒 | 20 |" in summary_table(CHINESE, facts)


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.04, "0.0 s"), (1.24, "1.2 s"), (9.94, "9.9 s"), (9.96, "10 s"), (80, "1 min 20 s")]
)
def test_a_time_is_told_as_finely_as_it_matters(seconds: float, told: str) -> None:
    assert took(ENGLISH, seconds) == told


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("", None),
        ("0.28, 0.028, 0.42", Prices(input=0.28, cached=0.028, output=0.42)),
        ("¥2,0.2,3", Prices(input=2, cached=0.2, output=3, currency="¥")),
    ],
)
def test_prices_are_read_as_people_write_them(text: str, prices: Prices | None) -> None:
    assert Prices.from_text(text) == prices


@pytest.mark.parametrize("text", ["1, 2", "1, 2, 3, 4", "a, b, c", "-1, 2, 3", "1e3, 2, 3"])
def test_other_prices_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="LLM_PRICES wants three prices"):
        Prices.from_text(text)
