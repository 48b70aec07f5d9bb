"""A turn on the page: turns `TurnEvent`s into Chainlit steps and messages. Knows no agent, no model and no history."""

import time
from typing import Any, assert_never

import chainlit as cl
from chainlit.utils import utc_now

from agents.events import (
    AnswerDelta,
    EndReason,
    Retrying,
    RoundStarted,
    Stalled,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnEvent,
    UsageReported,
)
from ui.live_text import LiveText
from ui.markdown import escape_markdown
from ui.pacing import PacedText
from ui.texts import Texts, duration, sentence_of

MAX_SUBJECT_CHARS = 80
SHORTEST_SECONDS_TOLD = 0.1


class TurnView:
    """Shows one turn. Feed it the turn's events in order; if the turn is cut from outside, call `end`."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._began = time.monotonic()
        self._thinking: _Stream | None = None
        self._thought: _ThoughtLine | None = None
        self._answer: _Stream | None = None
        self._tools: dict[str, tuple[cl.Step, ToolStarted]] = {}

    async def show(self, event: TurnEvent) -> None:
        """Bring the page up to date with one event."""
        match event:
            case ThinkingDelta(text):
                self._thinking = self._thinking or _Stream(self._open_thinking())
                await self._thinking.text.add(text)
            case ThinkingEnded(seconds):
                await self._end_thinking(seconds)
            case ThoughtDelta(text):
                self._thought = self._thought or _ThoughtLine()
                await self._thought.text.add(text)
            case ToolStarted():
                await self._end_thought()
                await self._start_tool(event)
            case ToolFinished():
                await self._finish_tool(event)
            case AnswerDelta(text):
                await self._end_thought()
                self._answer = self._answer or _Stream(cl.Message(content=""))
                await self._answer.text.add(text)
            case Stalled():
                pass
            case Retrying(reason):
                await self._line(self._texts.turn.retrying[reason], icon="rotate-ccw")
            case TurnEnded(reason, seconds, error):
                await self.end(reason, seconds, error=error)
            case RoundStarted():
                await self._end_thought()
            case UsageReported():
                pass
            case _:
                assert_never(event)

    async def end(self, reason: EndReason, seconds: float | None = None, *, error: Exception | None = None) -> None:
        """Close whatever is open, with its text kept, and say how the turn ended."""
        seconds = time.monotonic() - self._began if seconds is None else seconds
        await self._end_thinking(None)
        await self._end_thought()
        for call_id in list(self._tools):
            await self._finish_tool(ToolFinished(call_id, "", seconds, is_error=True))
        if self._answer:
            await self._answer.finish()
        await self._say_how_it_ended(reason, seconds, error)

    async def _say_how_it_ended(self, reason: EndReason, seconds: float, error: Exception | None) -> None:
        has_answer = self._answer is not None
        match reason:
            case "stopped":
                await self._line(
                    self._texts.turn.stopped.format(duration=duration(self._texts, seconds)), icon="square"
                )
            case "failed":
                sentence = self._texts.turn.failed.format(sentence=sentence_of(self._texts, error))
                await cl.ErrorMessage(content=escape_markdown(sentence)).send()
            case _ if not has_answer:
                await cl.ErrorMessage(content=self._texts.turn.empty).send()
            case "gave_up":
                await self._line(self._texts.turn.gave_up, icon="flag")
            case "answered" if error:
                await self._line(sentence_of(self._texts, error), icon="scissors")

    def _open_thinking(self) -> cl.Step:
        step = _new_step(self._texts.turn.thinking, "llm", icon="brain")
        step.default_open = step.auto_collapse = True
        return step

    async def _end_thinking(self, seconds: float | None) -> None:
        if not self._thinking:
            return
        thinking, self._thinking = self._thinking, None
        seconds = thinking.seconds if seconds is None else seconds
        template = self._texts.turn.thought_for if seconds >= 1 else self._texts.turn.thought_moment
        await thinking.finish(template.format(duration=duration(self._texts, seconds)))

    async def _end_thought(self) -> None:
        if self._thought:
            thought, self._thought = self._thought, None
            await thought.text.flush()

    async def _start_tool(self, event: ToolStarted) -> None:
        words = self._texts.tools.titles.get(event.name, self._texts.tools.any_tool)
        step = _new_step(self._tool_title(event, running=True), "tool", icon=words.icon)
        step.input = event.arguments
        self._tools[event.call_id] = (step, event)
        await step.send()

    async def _finish_tool(self, event: ToolFinished) -> None:
        step, started = self._tools.pop(event.call_id)
        title = self._tool_title(started, running=False)
        step.name = self._texts.tools.failed.format(title=title) if event.is_error else title + self._took(event)
        step.output = escape_markdown(event.text)
        step.is_error = event.is_error
        step.end = utc_now()
        await step.update()

    def _took(self, event: ToolFinished) -> str:
        if event.seconds < SHORTEST_SECONDS_TOLD:
            return ""
        return " · " + self._texts.turn.seconds.format(seconds=f"{event.seconds:.1f}")

    def _tool_title(self, event: ToolStarted, *, running: bool) -> str:
        words = self._texts.tools.titles.get(event.name, self._texts.tools.any_tool)
        subject = _clipped(str(event.arguments.get(words.subject) or ", ".join(map(str, event.arguments.values()))))
        return (words.running if running else words.ran).format(subject=subject, name=event.name)

    async def _line(self, text: str, *, icon: str) -> None:
        """A quiet line of its own; it cannot be opened."""
        step = _new_step(text, "undefined", icon=icon)
        step.end = step.start
        await step.send()


class _Stream:
    """A step or message that is being written."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self._began = time.monotonic()
        self.text = LiveText(target)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    async def finish(self, name: str | None = None) -> None:
        """End the text; a step also gets its lasting name."""
        whole = await self.text.finish()
        if isinstance(self._target, cl.Message):
            self._target.content = whole
            await self._target.send()
            return
        self._target.output = whole
        self._target.name = name
        self._target.end = utc_now()
        await self._target.update()


class _ThoughtLine:
    """A thought as a line of its own: the step's name is the text, so there is nothing to open."""

    def __init__(self) -> None:
        self._step = _new_step("", "undefined", icon="message-circle-dashed")
        self._step.end = self._step.start
        self.text = PacedText(self._write)

    async def _write(self, text: str) -> None:
        is_new = not self._step.name
        self._step.name += text
        await (self._step.send() if is_new else self._step.update())


def _new_step(name: str, kind: Any, *, icon: str) -> cl.Step:
    step = cl.Step(name=name, type=kind, icon=icon, parent_id=_parent_id())
    step.start = utc_now()
    return step


def _parent_id() -> str | None:
    current = cl.context.current_step
    return current.id if current else None


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_SUBJECT_CHARS else text[: MAX_SUBJECT_CHARS - 1] + "…"
