"""The tools of a turn on the page: verb and subject while one runs and after, what it was given and what it gave."""

from collections.abc import Mapping
from typing import Any

import chainlit as cl
from chainlit.utils import utc_now

from agents.events import ToolFinished, ToolStarted
from tools.cards import SourceCard, TableCard
from ui.cards import send_cards
from ui.consent import deed
from ui.revealed import MAX_SUBJECT_CHARS, subject_line
from ui.texts import Texts
from ui.texts.tools import ToolTitle
from ui.turn.readable import holds_code, readable_input, readable_output
from ui.turn.steps import new_step
from ui.turn.summary import counted, took

SHORTEST_SECONDS_TOLD = 0.1
REFUSED_ICON = "shield-x"
_SUBJECT_NAMES = ("name", "path", "file", "filename", "url", "query")


class ToolSteps:
    """The steps of the tools that run."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._running: dict[str, tuple[cl.Step, ToolStarted]] = {}

    async def start(self, event: ToolStarted) -> None:
        step = new_step(self._title(event, running=True), "tool", icon=self._words(event.name).icon)
        step.metadata["tool"] = event.name
        step.input = event.arguments
        step.output = self._given(event)
        self._running[event.call_id] = (step, event)
        await step.send()

    async def finish(self, event: ToolFinished) -> None:
        """Show what came of it, unless that tool has been cut before."""
        if event.call_id not in self._running:
            return
        step, started = self._running.pop(event.call_id)
        step.name = self._told(event, started)
        step.is_error = event.is_error and not event.refusal
        if event.refusal:
            step.icon = REFUSED_ICON
        parts = (self._given(started), self._got(event, started))
        await self._end(step, "\n\n".join(part for part in parts if part))
        await send_cards(event.display, step, self._texts)

    async def cut(self) -> None:
        """The turn is over: what still ran was stopped, which is nobody's fault."""
        for step, started in self._running.values():
            step.name = stopped_title(self._texts, started.name, started.arguments)
            await self._end(step, self._given(started))
        self._running.clear()

    async def _end(self, step: cl.Step, output: str) -> None:
        step.output = output
        step.language = None
        step.end = utc_now()
        await step.update()

    def _words(self, name: str) -> ToolTitle:
        return _words(self._texts, name)

    def _title(self, event: ToolStarted, *, running: bool) -> str:
        return _title(self._texts, event.name, event.arguments, running=running)

    def _told(self, event: ToolFinished, started: ToolStarted) -> str:
        words = self._texts.tools
        if event.refusal:
            wish = deed(self._texts, started.name, _subject(self._texts, started.name, started.arguments))
            return words.refused[event.refusal].format(deed=wish)
        title = self._title(started, running=False)
        if event.is_error:
            return words.failed.format(title=title)
        parts = [title, self._found(event.display, finds=self._words(started.name).finds)]
        if event.seconds >= SHORTEST_SECONDS_TOLD:
            parts.append(took(self._texts, event.seconds))
        return " · ".join(part for part in parts if part)

    def _found(self, display: tuple[Any, ...], *, finds: bool) -> str:
        words = self._texts.tools
        tables = [card for card in display if isinstance(card, TableCard)]
        if tables:
            return counted(words.rows, sum(table.total_rows for table in tables))
        if not finds:
            return ""
        count = sum(isinstance(card, SourceCard) for card in display)
        return counted(words.results, count) if count else words.nothing_found

    def _got(self, event: ToolFinished, started: ToolStarted) -> str:
        """The result for people. Sources have cards of their own in the step; a refusal's words are for the model."""
        if event.refusal or any(isinstance(card, SourceCard) for card in event.display):
            return ""
        of_code = holds_code(started.arguments) and not event.is_error
        return readable_output(event.text, of_code=of_code, cut=self._texts.tools.cut)

    def _given(self, event: ToolStarted) -> str:
        words = self._words(event.name)
        subject = subject_of(event.arguments, words.subject) if words.subject else ""
        told = subject if len(subject) <= MAX_SUBJECT_CHARS else ""
        return readable_input(event.arguments, told=told, cut=self._texts.tools.cut)


def stopped_title(texts: Texts, name: str, arguments: Mapping[str, Any]) -> str:
    """The line of a call that did not come to its end."""
    return texts.tools.stopped.format(title=_title(texts, name, arguments, running=False))


def _title(texts: Texts, name: str, arguments: Mapping[str, Any], *, running: bool) -> str:
    words = _words(texts, name)
    template = words.running if running else words.ran
    return template.format(subject=_subject(texts, name, arguments), name=subject_line(name)).rstrip(" :：")


def _subject(texts: Texts, name: str, arguments: Mapping[str, Any]) -> str:
    return subject_line(subject_of(arguments, _words(texts, name).subject))


def _words(texts: Texts, name: str) -> ToolTitle:
    return texts.tools.titles.get(name, texts.tools.any_tool)


def subject_of(arguments: Mapping[str, Any], name: str) -> str:
    """What a call is about, in one line: the argument `name`, or whatever stands in its place."""
    if not name:
        return ""
    for key in (name, *_SUBJECT_NAMES):
        if value := arguments.get(key):
            return _one_line(value)
    return _one_line(next(iter(arguments.values()), ""))


def _one_line(value: Any) -> str:
    return " ".join(str(value).split())
