"""The check of the connection that people start on the page, and how its result is shown. Knows no settings."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import chainlit as cl
from chainlit.utils import utc_now

from llm.doctor.examination import examine
from llm.doctor.words import facts
from llm.endpoint import Endpoint
from llm.errors import LLMError
from ui.markdown import escape_markdown
from ui.texts import Texts, sentence_of

CHECK_CONNECTION = "check_connection"

EndpointSource = Callable[[], Awaitable[Endpoint]]
"""Gives the endpoint with its model; waits until there is one, or raises an `LLMError`."""


class Confined(Protocol):
    """How code is confined here: the mode, else the cause why none is run."""

    @property
    def mode(self) -> str | None: ...

    @property
    def cause(self) -> str | None: ...


ConfinementSource = Callable[[], Awaitable[Confined]]


def check_button(texts: Texts) -> cl.Action:
    """The button; a press calls the action `CHECK_CONNECTION`."""
    return cl.Action(name=CHECK_CONNECTION, payload={}, label=texts.connection.check, icon="stethoscope")


class ConnectionCheck:
    """The checks of one session, one at a time."""

    def __init__(self, endpoint_source: EndpointSource, confinement_source: ConfinementSource, texts: Texts) -> None:
        self._endpoint_source = endpoint_source
        self._confinement_source = confinement_source
        self._texts = texts
        self._is_running = False

    async def run(self) -> None:
        """Examine the endpoint and show what was found as a step. Does nothing while a check is under way."""
        if self._is_running:
            return
        self._is_running = True
        try:
            await self._run()
        finally:
            self._is_running = False

    async def _run(self) -> None:
        step = cl.Step(name=self._texts.connection.checking, type="undefined", icon="stethoscope", default_open=True)
        step.start = utc_now()
        await step.send()
        lines, error = await self._found()
        confined = await self._confinement_source()
        lines.append(self._texts.connection.python[confined.mode or confined.cause or "failing"])
        sentence = self._texts.connection.check_failed.format(sentence=sentence_of(self._texts, error))
        step.name = sentence if error else self._texts.connection.diagnosis.works
        step.output = escape_markdown("\n".join(f"- {line}" for line in lines))
        step.end = utc_now()
        await step.update()

    async def _found(self) -> tuple[list[str], LLMError | None]:
        """The facts and what is wrong."""
        try:
            endpoint = await self._endpoint_source()
        except LLMError as error:
            return [], error
        diagnosis = await examine(endpoint)
        return facts(diagnosis, self._texts.connection.diagnosis), diagnosis.error
