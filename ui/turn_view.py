"""A turn on the page: turns `TurnEvent`s into Chainlit steps and messages. Knows no agent, no model and no history."""

import time
from collections.abc import Callable
from typing import Literal, TypeAlias, assert_never

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
from ui.citations import Citations
from ui.markdown import escape_markdown
from ui.revealed import without_hidden
from ui.stored_turns import ENDED
from ui.texts import Texts, duration, sentence_of
from ui.to_its_end import to_its_end
from ui.turn.steps import GrowingAnswer, GrowingStep, ThoughtLine, new_step, send_line, send_sentence
from ui.turn.summary import summary_line, summary_table
from ui.turn.tally import Prices, TurnTally
from ui.turn.tool_steps import ToolSteps
from ui.turn.waiting import WaitingLine

ThinkingWish: TypeAlias = Literal["open", "fold", "hide"]
"""What becomes of thinking: it stays open, it folds when it has ended, or its text is never sent to the page."""

_THINKING_ICONS: dict[ThinkingWish, str] = {"open": "brain-circuit", "fold": "brain", "hide": "brain"}
"""The page's script folds a step with a `brain` when it ends, unless the reader has opened or closed it."""


class TurnView:
    """Shows one turn. Feed it the turn's events in order; if the turn is cut from outside, call `end`."""

    def __init__(
        self,
        texts: Texts,
        *,
        thinking: ThinkingWish = "fold",
        citations: Citations | None = None,
        asked_seconds: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """`citations` are the chat's; without them marks like `[1]` stay as they are.

        `asked_seconds` says for how long the chat's person has been asked whether tools may run.
        """
        self._texts = texts
        self._wish = thinking
        self._citations = citations
        self._tally = TurnTally(time.monotonic())
        self._asked_seconds = asked_seconds
        self._asked_before = asked_seconds()
        self._waiting = WaitingLine(texts)
        self._thinking: GrowingStep | None = None
        self._thought: ThoughtLine | None = None
        self._answer: GrowingAnswer | None = None
        self._tools = ToolSteps(texts)
        self._is_over = False

    def charge(self, prices: Prices | None) -> None:
        """What the tokens of this turn cost, if that is known."""
        self._tally.prices = prices

    async def show(self, event: TurnEvent) -> None:
        """Bring the page up to date with one event. What begins or ends a step is never left half done by a Stop."""
        if isinstance(event, ThinkingDelta | ThoughtDelta | AnswerDelta):
            await self._show(event)
        else:
            await to_its_end(self._show(event))

    async def _show(self, event: TurnEvent) -> None:
        self._tally.note(event, time.monotonic())
        await self._end_waiting(event)
        match event:
            case RoundStarted():
                await self._end_thought()
                self._waiting.begin()
            case ThinkingDelta(text):
                await self._add_thinking(text)
            case ThinkingEnded(seconds):
                await self._end_thinking(seconds)
            case ThoughtDelta(text):
                self._thought = self._thought or ThoughtLine()
                await self._thought.add(without_hidden(text))
            case ToolStarted():
                await self._end_thought()
                await self._tools.start(event)
            case ToolFinished():
                await self._finish_tool(event)
            case AnswerDelta(text):
                self._answer = self._answer or GrowingAnswer()
                await self._answer.add(text)  # before the page draws the thought's end: it is waited for
                await self._end_thought()
            case Stalled(seconds):
                await self._waiting.stall(seconds)
            case Retrying(reason):
                await send_line(self._texts.turn.retrying[reason], icon="rotate-ccw")
            case TurnEnded(reason, seconds, error):
                await self.end(reason, seconds, error=error)
            case UsageReported():
                pass  # the tally has it
            case _:
                assert_never(event)

    async def end(self, reason: EndReason, seconds: float | None = None, *, error: Exception | None = None) -> None:
        """Close whatever is open, with its text kept, and say how the turn ended; a second call does nothing."""
        if self._is_over:
            return
        self._is_over = True
        seconds = time.monotonic() - self._tally.began if seconds is None else seconds
        await self._waiting.end()
        await self._end_thinking(None)
        await self._end_thought()
        await self._tools.cut()
        if self._answer:
            await self._answer.finish(self._citations)
        await self._say_how_it_ended(reason, error)
        await self._sum_up(reason, seconds)

    async def _end_waiting(self, event: TurnEvent) -> None:
        """Whatever comes ends the wait; thinking takes the place of its line, and a silence is told of there."""
        if not isinstance(event, ThinkingDelta | Stalled):
            await self._waiting.end()

    async def _say_how_it_ended(self, reason: EndReason, error: Exception | None) -> None:
        match reason:
            case "stopped" | "interrupted":
                if self._answer is None:  # else the turn's last line says all there is to say
                    await send_sentence(self._texts.turn.unanswered[reason], reason, is_error=False)
            case "failed":
                sentence = self._texts.turn.failed.format(sentence=sentence_of(self._texts, error))
                await send_sentence(escape_markdown(sentence), reason)
            case _ if self._answer is None:
                await send_sentence(self._texts.turn.empty, reason)
            case "gave_up":
                await send_line(self._texts.turn.gave_up, icon="flag")
            case "answered" if error:
                await send_line(sentence_of(self._texts, error), icon="scissors")

    async def _sum_up(self, reason: EndReason, seconds: float) -> None:
        """The turn's last line, with its numbers behind it and in its data; none where nothing had come."""
        asked = self._asked_seconds() - self._asked_before
        facts = self._tally.facts(seconds, time.monotonic(), asked=asked)
        is_cut = reason in ("stopped", "interrupted")
        if is_cut:
            template = self._texts.turn.stopped if reason == "stopped" else self._texts.turn.interrupted
            line = template.format(duration=duration(self._texts, seconds))
        elif self._answer or facts.tools or facts.thinking_seconds:
            line = summary_line(self._texts, facts)
        else:
            return
        step = new_step(line, "undefined", icon="square" if is_cut else "timer")
        step.end = step.start
        step.output = summary_table(self._texts, facts)
        step.metadata[ENDED] = {"ended": reason, **facts.as_dict()}
        await step.send()

    async def _finish_tool(self, event: ToolFinished) -> None:
        if self._citations:
            self._citations.note(event.display)
        await self._tools.finish(event)

    async def _add_thinking(self, text: str) -> None:
        self._thinking = self._thinking or self._open_thinking()
        await self._waiting.end()
        await self._thinking.add(text)

    def _open_thinking(self) -> GrowingStep:
        """The step takes the place of the line that said that it was waited for."""
        step = new_step(self._texts.turn.thinking, "llm", icon=_THINKING_ICONS[self._wish])
        step.default_open = True
        if line := self._waiting.hand_over():
            step.id = line.id
        return GrowingStep(step, shows_text=self._wish != "hide")

    async def _end_thinking(self, seconds: float | None) -> None:
        if not self._thinking:
            return
        thinking, self._thinking = self._thinking, None
        seconds = thinking.seconds if seconds is None else seconds
        template = self._texts.turn.thought_for if seconds >= 1 else self._texts.turn.thought_moment
        thinking.step.metadata["seconds"] = round(seconds, 2)
        thinking.step.default_open = self._wish == "open"
        await thinking.finish(template.format(duration=duration(self._texts, seconds)))

    async def _end_thought(self) -> None:
        if self._thought:
            thought, self._thought = self._thought, None
            await thought.finish()
