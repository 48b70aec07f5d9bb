"""The card that asks a person before a tool runs. Knows no tool and no policy: it shows one request and waits.

Chainlit's own Ask messages are not used: while they wait the page is shown as idle, so that nothing can be stopped.
"""

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import chainlit as cl
from chainlit.utils import utc_now
from pydantic import BaseModel, ValidationError

from tools.consent_request import Answer, ConsentRequest
from ui.revealed import revealed, subject_line
from ui.texts import Texts

ANSWER_CONSENT = "answer_consent"
"""The action that the card's buttons call."""

ANSWER_LIMIT_S = 300
STEP_LIMIT_S = 1.0

_LINE_ICONS = {"allow": "shield-check", "always": "shield-check", "deny": "shield-x", "unanswered": "shield-x"}


class ConsentCard:
    """Asks the person of one session, who answers by the action `ANSWER_CONSENT`."""

    def __init__(self, texts: Texts, *, answer_limit_s: float = ANSWER_LIMIT_S) -> None:
        self._texts = texts
        self._answer_limit_s = answer_limit_s
        self._open: dict[str, asyncio.Future[Answer]] = {}
        self._shown: dict[str, asyncio.Event] = {}
        self._asked_s = 0.0
        self._asking_since: float | None = None
        self._ended: Callable[[], None] | None = None

    def asked_seconds(self) -> float:
        """For how long the person has been asked in this chat so far; questions come one after another."""
        return self._asked_s + (time.monotonic() - self._asking_since if self._asking_since is not None else 0.0)

    def end_instead(self, end: Callable[[], None]) -> None:
        """From now on nobody can answer: call `end` instead of waiting, also for a question that is open."""
        self._ended = end
        if self._open:
            end()

    def note_step(self, tool: str, *, is_running: bool) -> None:
        """The step of a call of this tool stands on the page now, or its call is over."""
        event = self._shown.setdefault(tool, asyncio.Event())
        event.set() if is_running else event.clear()

    async def ask(self, request: ConsentRequest) -> Answer:
        """Show the card until it is answered, too old, or cancelled. An answered one leaves a quiet line behind.

        The card itself is never stored: in a chat that is opened again, nobody would wait for its answer.
        """
        await self._step_first(request.tool)
        request_id, answered = uuid.uuid4().hex, asyncio.get_running_loop().create_future()
        self._open[request_id] = answered
        element = cl.CustomElement(name="Consent", props=self._props(request, request_id), display="inline")
        card = cl.Message("", type="system_message", metadata={"icon": "shield-question"}, created_at=utc_now())
        page = cl.context.emitter
        self._asking_since = time.monotonic()
        try:
            if self._ended:
                self._ended()
            await page.send_step(card.to_dict())
            await element.send(for_id=card.id, persist=False)
            answer = await self._in_time(answered)
        finally:
            self._asked_s, self._asking_since = self.asked_seconds(), None
            del self._open[request_id]
            await page.emit("remove_element", {"id": element.id})
            await page.delete_step(card.to_dict())
        await self._line(answer, request)
        return answer

    def answer(self, payload: dict[str, Any]) -> bool:
        """Take what the card's buttons sent. False if that question is not open here (any more): nothing happens."""
        try:
            given = _GivenAnswer.model_validate(payload)
        except ValidationError:
            return False
        answered = self._open.get(given.request)
        if answered is None or answered.done():
            return False
        answered.set_result(given.answer)
        return True

    async def _step_first(self, tool: str) -> None:
        """What is asked about stands above the question. The call may be a moment faster than its step."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STEP_LIMIT_S):
                await self._shown.setdefault(tool, asyncio.Event()).wait()

    async def _in_time(self, answered: "asyncio.Future[Answer]") -> Answer:
        await asyncio.wait([answered], timeout=self._answer_limit_s)
        return answered.result() if answered.done() else "unanswered"

    async def _line(self, answer: Answer, request: ConsentRequest) -> None:
        words = self._texts.consent
        templates = {"allow": words.allowed, "always": words.always_allowed, "deny": words.denied}
        name = templates.get(answer, words.unanswered).format(deed=self._deed(request), name=subject_line(request.tool))
        step = cl.Step(name=name, type="undefined", icon=_LINE_ICONS[answer])
        step.parent_id = cl.context.current_step.id if cl.context.current_step else None
        step.start = step.end = utc_now()
        await step.send()

    def _props(self, request: ConsentRequest, request_id: str) -> dict[str, Any]:
        words = self._texts.consent
        return {
            "request": request_id,
            "heading": words.heading,
            "deed": self._deed(request),
            "whatRuns": words.what_runs if request.arguments else words.no_arguments,
            "arguments": [[revealed(name), revealed(_text_of(value))] for name, value in request.arguments.items()],
            "why": self._why(request),
            "allow": words.allow,
            "deny": words.deny,
            "always": words.always,
            "notSent": words.not_sent,
            "closed": words.closed,
        }

    def _deed(self, request: ConsentRequest) -> str:
        first = next(iter(request.arguments.values()), "")
        return deed(self._texts, request.tool, subject_line(_text_of(first)))

    def _why(self, request: ConsentRequest) -> str:
        words = self._texts.consent
        if request.reason == "every_call":
            return words.every_call
        sources = dict.fromkeys(
            words.sources.get(tool, words.any_source).format(name=subject_line(tool)) for tool in request.read_before
        )
        return words.strangers_text.format(sources=words.and_.join(sources))


def deed(texts: Texts, tool: str, subject: str) -> str:
    """What a call of the tool would do, as one says it before it is done. `subject` is a line, maybe empty."""
    words = texts.consent
    template = words.deeds.get(tool, words.any_deed if subject else words.any_deed_alone)
    return template.format(subject=subject, name=subject_line(tool)).rstrip(" :：")


class _GivenAnswer(BaseModel):
    request: str
    answer: Answer


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
