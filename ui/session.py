"""One browser session's chat: one turn at a time, and a Stop that stops it. Knows no model and no wiring."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal, cast
from weakref import WeakSet

import chainlit as cl

from agents.assistant import Assistant
from agents.chat_profiles import ChatAgent
from agents.events import EndReason, ToolFinished, ToolStarted, TurnEvent
from llm.effort import ThinkingChoice
from llm.errors import LLMError
from ui.answer_actions import LastAnswer
from ui.answer_export import TurnSteps, begin_noting
from ui.chat_settings import ChatSettings
from ui.chat_title import ChatTitle, TitleSource
from ui.citations import Citations
from ui.consent import ConsentCard
from ui.cut_turns import writing_in
from ui.monitoring import Monitoring, TurnWatch
from ui.past_chat import MODES, PastChat
from ui.pickers import Picked, picked_from
from ui.question import ToolUse, question_of
from ui.quotas import QuotaReached, Quotas, TurnQuota
from ui.shown_turns import ShownAnswer, ShownTurns, Superseded
from ui.texts import Texts
from ui.to_its_end import to_its_end
from ui.turn.refusal import refusal_sentence
from ui.turn.steps import send_sentence
from ui.turn.tally import Prices
from ui.turn_view import TurnView

logger = logging.getLogger(__name__)

MAX_QUESTION_CHARS = 200_000
_UNWINDING_S = 5.0


@dataclass(frozen=True, slots=True)
class Respondent:
    """The agent that answers a turn, how else its model could be told to think, what its tokens cost, and how it would
    name the chat, if it may.
    """

    agent: ChatAgent
    other_efforts: tuple[ThinkingChoice, ...] = ()
    prices: Prices | None = None
    title: TitleSource | None = None


RespondentSource = Callable[[Picked, ChatSettings], Awaitable[Respondent]]
"""Gives whoever answers a turn; waits until there is a model, or raises an `LLMError`."""


_SESSIONS: WeakSet["ChatSession"] = WeakSet()
"""Those of this process."""


async def end_all_turns(*, patience_s: float) -> None:
    """The server ends. Turns that run may come to their end for a while; the others are saved as interrupted."""
    for session in _SESSIONS:
        session.ask_no_more()
    tasks = {task for session in _SESSIONS for task in session.unfinished}
    if tasks:
        await asyncio.wait(tasks, timeout=patience_s)
    for session in _SESSIONS:
        session.stop("interrupted")
    if running := {task for task in tasks if not task.done()}:
        await asyncio.wait(running, timeout=_UNWINDING_S)


class ChatSession:
    """Answers the messages of one session in the order in which they came."""

    def __init__(
        self,
        respondent_source: RespondentSource,
        texts: Texts,
        *,
        settings: ChatSettings,
        tools: ToolUse,
        consent: ConsentCard,
        monitoring: Monitoring,
        quotas: Quotas,
        past: PastChat,
    ) -> None:
        self.texts = texts
        self.settings = settings
        self.picked = past.picked
        self.last_turn: TurnSteps | None = None
        self._tools = tools
        self._consent = consent
        self._running: dict[str, str] = {}
        self._monitoring = monitoring
        self._quotas = quotas
        self._citations = Citations(texts.cards, past.sources)
        self._respondent_source = respondent_source
        self._assistant = Assistant(past.turns)
        self._shown = ShownTurns(dict(past.runs))
        self._last_answer = LastAnswer(texts)
        self.unfinished: set[asyncio.Task[None]] = set()
        self.open_questions: set[str] = set()
        self._title = ChatTitle(self.unfinished, is_new=not past.turns)
        self._cut: Literal["stopped", "interrupted"] = "stopped"
        _SESSIONS.add(self)
        self._stoppable: set[asyncio.Task[None]] = set()

    async def answer(self, message: cl.Message, *, effort: ThinkingChoice | None = None) -> None:
        """Answer a message; waits until the turns before it are over. `effort` holds for this answer alone.

        A message that was answered before is answered anew: it stops whatever runs, and all that came after it is
        forgotten, on the page, in memory and in the store.
        """
        self._title.give_way(message.content)
        superseded = self._shown.take_from(message)
        if superseded:
            self.stop()
        earlier, task = set(self.unfinished), cast("asyncio.Task[None]", asyncio.current_task())
        self._shown.note(message)
        self._hold(task)
        self.open_questions.add(message.id)
        has_begun = False
        try:
            if earlier:
                await asyncio.wait(earlier)
            turn = self._quotas.turn(_person(), message.content)
            async with writing_in(cl.context.session.thread_id), turn as quota:
                if superseded:
                    await superseded.vanish(keep=self._shown.newer_than(message))
                    self._assistant.forget(superseded.run_ids)
                    superseded = None
                await self._last_answer.lose_actions()
                await cl.context.emitter.task_start()
                has_begun = True
                await self._take_turn(message, effort, quota)
        except QuotaReached as refusal:
            await self._refuse(message, refusal, superseded)
        except asyncio.CancelledError:
            if not has_begun:
                await to_its_end(self._end_unbegun(message, superseded, earlier))
            raise
        finally:
            self._stoppable.discard(task)
            self.open_questions.discard(message.id)

    def ask_no_more(self) -> None:
        """Whatever waits for the person's answer, now or later, is interrupted: it will not come."""
        self._consent.end_instead(lambda: self.stop("interrupted"))

    def stop(self, why: Literal["stopped", "interrupted"] = "stopped") -> None:
        """Stop the turn that runs and forget those that wait. A second call changes nothing."""
        self._cut = why
        for task in self._stoppable:
            if not task.cancelling():
                task.cancel()

    async def show_actions_again(self, answer: ShownAnswer, *, other_efforts: Sequence[ThinkingChoice]) -> None:
        """Put the buttons under the last answer of a stored chat, unless a new turn has begun."""
        if self.last_turn is None:
            self._last_answer.begin(answer.turn_id)
            self._last_answer.other_efforts = other_efforts
            await self._last_answer.show_under(answer.message_id, has_answer=answer.has_answer, is_cut=answer.is_cut)

    def answer_to(self, turn_id: str) -> str | None:
        """See `Assistant.answer_to`."""
        return self._assistant.answer_to(turn_id)

    def _hold(self, task: asyncio.Task[None]) -> None:
        """Until the task is over, and with it what Chainlit does after a turn, no later turn begins."""
        self._stoppable.add(task)
        self.unfinished.add(task)
        task.add_done_callback(self.unfinished.discard)

    async def _refuse(self, message: cl.Message, refusal: QuotaReached, superseded: Superseded | None) -> None:
        """Say why a message is not answered now. What it would have taken the place of stays."""
        self._monitoring.metrics.errors.labels(type(refusal).__name__).inc()
        sentence = refusal_sentence(self.texts, refusal)
        if superseded:
            await self._put_back(superseded)
            await cl.context.emitter.send_toast(sentence, "warning")
            return
        await self._say_instead(message, sentence, "failed")

    async def _end_unbegun(
        self, message: cl.Message, superseded: Superseded | None, earlier: set[asyncio.Task[None]]
    ) -> None:
        """Say that a message that waited for its turn was stopped, after those before it, which were stopped too."""
        if superseded:
            await self._put_back(superseded)
            return
        if earlier:
            await asyncio.wait(earlier)
        await self._say_instead(message, self.texts.turn.unanswered[self._cut], self._cut, is_error=False)

    async def _say_instead(
        self, message: cl.Message, sentence: str, ended: EndReason, *, is_error: bool = True
    ) -> None:
        """A sentence, with the buttons, in the place of the answer to a message whose turn did not begin."""
        await self._last_answer.lose_actions()
        self._last_answer.begin(message.id)
        await send_sentence(sentence, ended, is_error=is_error)
        await self._last_answer.show_actions()

    async def _put_back(self, superseded: Superseded) -> None:
        """What was to be answered anew is not: the answer that is there stays."""
        self._shown.put_back(superseded)
        if run := cl.context.current_run:
            await run.remove()

    async def _take_turn(self, message: cl.Message, effort: ThinkingChoice | None, quota: TurnQuota) -> None:
        if len(message.content) > MAX_QUESTION_CHARS:
            refusal = self.texts.turn.too_long.format(length=len(message.content), limit=MAX_QUESTION_CHARS)
            await send_sentence(refusal, "failed")
            return
        asked = self._consent.asked_seconds
        wish = self.settings.thinking_shown
        view = TurnView(self.texts, thinking=wish, citations=self._citations, asked_seconds=asked)
        self._last_answer.begin(message.id)
        self.last_turn = begin_noting(message)
        try:
            with self._monitoring.turn(message.id, cl.context.session.thread_id) as watch:
                picked = self._picked_for(message, effort)
                await self._show_reply(message, view, picked=picked, watch=watch, quota=quota)
        except asyncio.CancelledError:
            await view.end(self._cut)
            await self._last_answer.show_actions()
            raise
        except LLMError as error:
            await view.end("failed", error=error)
        except Exception as error:
            logger.exception("a turn failed unexpectedly")
            await view.end("failed", error=error)
        await self._last_answer.show_actions()

    def _picked_for(self, message: cl.Message, effort: ThinkingChoice | None) -> Picked:
        if message.modes:
            self.picked = picked_from(message.modes)
            cl.user_session.set(MODES, self.picked.as_modes())
        return replace(self.picked, effort=effort) if effort else self.picked

    async def _show_reply(
        self, message: cl.Message, view: TurnView, *, picked: Picked, watch: TurnWatch, quota: TurnQuota
    ) -> None:
        question = await question_of(message, self._tools, self.texts)
        respondent = await self._respondent_source(picked, self.settings)
        self._last_answer.other_efforts = respondent.other_efforts
        view.charge(respondent.prices)
        watch.answered_by(respondent.agent.llm.metadata.model_name)
        reply = self._assistant.reply(question, agent=respondent.agent, turn_id=message.id)
        async with aclosing(reply) as events:
            async for event in events:
                watch.note(event)
                await quota.note(event)
                await view.show(event)
                self._note_tool(event)
        said = self.answer_to(message.id) or ""
        self._title.begin(respondent.title, event, turn_id=message.id, question=message.content, answer=said)

    def _note_tool(self, event: TurnEvent) -> None:
        match event:
            case ToolStarted(call_id, name):
                self._running[call_id] = name
                self._consent.note_step(name, is_running=True)
            case ToolFinished(call_id):
                self._consent.note_step(self._running.pop(call_id), is_running=False)


def _person() -> str:
    session = cl.context.session
    return str(session.user.identifier if session.user else session.id)
