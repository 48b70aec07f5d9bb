"""A transcript as Markdown. Pure."""

import re
from collections.abc import Iterator

from ui.export.transcript import ExportedStep, ExportedTurn, Transcript, copyable
from ui.markdown import escape_markdown
from ui.texts.export import ExportWords


def as_markdown(transcript: Transcript, words: ExportWords) -> str:
    """The transcript as one Markdown text. Answers stand as the model wrote them, their sources below as links."""
    parts = [part for turn in transcript.turns for part in _turn(turn, words)]
    return "\n\n".join([f"# {words.title}", *parts, f"*{words.saved_by}*"]) + "\n"


def _turn(turn: ExportedTurn, words: ExportWords) -> Iterator[str]:
    when = f" · {turn.when.replace('T', ' ')}" if turn.when else ""
    yield f"## {words.question}{when}"
    yield _quoted(_readable(escape_markdown(turn.question)))
    for step in turn.steps:
        yield _step(step)
    if turn.answer:
        yield f"## {words.answer}"
        yield _readable(turn.answer)
    if turn.sources:
        yield f"**{words.sources}**"
        yield "\n".join(f"- \\[{s.number}\\] [{plain(s.title)}](<{s.url}>)" for s in turn.sources)


def _step(step: ExportedStep) -> str:
    title = plain(step.title) if step.kind == "thought" else f"**{plain(step.title)}**"
    return f"{title}\n\n{_quoted(_readable(step.text))}" if step.text.strip() else title


def _readable(text: str) -> str:
    """As it was written, but for what some readers of Markdown would let in: HTML, pictures, links to scripts."""
    return copyable(text, keep="<!]")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def plain(text: str) -> str:
    """The text so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", " ".join(text.split()))
