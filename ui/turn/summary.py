"""A finished turn in one line, and the table behind it, in words. Pure."""

from ui.texts import Texts, duration
from ui.turn.tally import TurnFacts

LONGEST_WITH_TENTHS_S = 10
SHORTEST_ASKED_TOLD_S = 0.05


def took(texts: Texts, seconds: float) -> str:
    """A measured time: `1.2 s` below ten seconds, then `12 s`, then `1 min 20 s`."""
    if seconds < LONGEST_WITH_TENTHS_S - 0.05:
        return texts.turn.seconds.format(seconds=f"{seconds:.1f}")
    return duration(texts, seconds)


def counted(words: tuple[str, str], count: int) -> str:
    """The word for one or for many, with the number."""
    one, many = words
    return (one if count == 1 else many).format(count=count)


def summary_line(texts: Texts, facts: TurnFacts) -> str:
    """Such as `3 rounds · 2 tools · 21 s`."""
    words = texts.turn.summary
    parts = [counted(words.rounds, max(1, facts.rounds))]
    if facts.tools:
        parts.append(counted(words.tools, facts.tools))
    return " · ".join([*parts, duration(texts, facts.seconds)])


def summary_table(texts: Texts, facts: TurnFacts) -> str:
    """Where the time and the tokens went, as a Markdown table."""
    words = texts.turn.summary
    rows = [
        ("", words.time, words.tokens),
        ("---", "---:", "---:"),
        (words.thinking, took(texts, facts.thinking_seconds), _tokens(texts, facts.thinking_tokens)),
        (words.writing, took(texts, facts.writing_seconds), _tokens(texts, facts.answer_tokens)),
    ]
    if facts.tools:
        rows.append((words.tools_row, took(texts, facts.tool_seconds), ""))
    if facts.asked_seconds >= SHORTEST_ASKED_TOLD_S:
        rows.append((words.asked, took(texts, facts.asked_seconds), ""))
    rows.append((words.waiting, took(texts, facts.waiting_seconds), ""))
    rows.append((words.reading, "", _tokens(texts, facts.prompt_tokens)))
    rows.append((words.cached, "", _tokens(texts, facts.cached_tokens)))
    if facts.cost is not None:
        rows.append((words.cost, "", f"{facts.currency}{facts.cost:.4f}"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _tokens(texts: Texts, count: int | None) -> str:
    return texts.turn.summary.unknown if count is None else f"{count:,}"
