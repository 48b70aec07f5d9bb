"""A chat with all that belongs to it: its turns, its settings, its pickers, and what its page asks for by itself.

The page's own scripts speak through the page's window: Chainlit hands their messages on. Must not know how a turn is
answered, nor how the scripts show anything.
"""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import chainlit as cl
from chainlit.session import WebsocketSession
from chainlit.user_session import user_sessions
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from llm.effort import ThinkingChoice
from ui.answer_export import ExportWish, Format, exported
from ui.asking_again import go_on, try_again
from ui.chat_settings import ChatSettings, settings_from, settings_panel
from ui.connection_check import ConfinementSource, ConnectionCheck
from ui.consent import ConsentCard
from ui.monitoring import Monitoring
from ui.past_chat import PastChat
from ui.pickers import EndpointSource, ModelChoice, Picked, show_pickers
from ui.question import ToolUse
from ui.quotas import Quotas
from ui.session import ChatSession, RespondentSource
from ui.texts import Texts

_KEY = "chat"


class _Copy(BaseModel):
    thinkglass: Literal["copy"]
    turn: str


class _Check(BaseModel):
    thinkglass: Literal["check"]


class _ResetSettings(BaseModel):
    thinkglass: Literal["reset_settings"]


class _PickModel(BaseModel):
    thinkglass: Literal["pick_model"]
    name: str
    effort: ThinkingChoice = "auto"


class _Export(BaseModel):
    thinkglass: Literal["export"]
    turn: str
    format: Format
    thinking: bool = False
    tools: bool = False


_Wish: TypeAlias = Annotated[_Copy | _Check | _Export | _ResetSettings | _PickModel, Field(discriminator="thinkglass")]
_WISHES: TypeAdapter[_Wish] = TypeAdapter(_Wish)


class Chat:
    """The chat of one session."""

    def __init__(
        self,
        respondent_source: RespondentSource,
        endpoint_source: EndpointSource,
        confinement_source: ConfinementSource,
        *,
        choice: ModelChoice,
        defaults: ChatSettings,
        tools: ToolUse,
        consent: ConsentCard,
        monitoring: Monitoring,
        quotas: Quotas,
        texts: Texts,
        past: PastChat,
    ) -> None:
        settings, _ = settings_from(past.settings, defaults, texts=texts)
        self.session = ChatSession(
            respondent_source,
            texts,
            settings=settings,
            tools=tools,
            consent=consent,
            monitoring=monitoring,
            quotas=quotas,
            past=past,
        )
        self.consent = consent
        self._check = ConnectionCheck(endpoint_source, confinement_source, texts)
        self._last_answer = past.last_answer
        self._choice = choice
        self._defaults = defaults
        self._texts = texts

    async def begin(self) -> None:
        """Become the session's chat, and show its settings."""
        cl.user_session.set(_KEY, self)
        await settings_panel(self.session.settings, self._texts).send()

    async def show_pickers(self) -> None:
        """Show the pickers, and the last answer's buttons, as they were left; waits until a model answers."""
        await show_pickers(self._choice, self.session.picked, texts=self._texts)
        if self._last_answer:
            efforts = await self._choice.other_efforts(self.session.picked)
            await self.session.show_actions_again(self._last_answer, other_efforts=efforts)

    async def try_again(self, payload: Mapping[str, Any]) -> None:
        """See `asking_again.try_again`."""
        await try_again(self.session, payload)

    async def go_on(self) -> None:
        """See `asking_again.go_on`."""
        await go_on(self.session)

    async def check_connection(self) -> None:
        """Examine the endpoint and show what was found."""
        await self._check.run()

    async def offer_export(self, turn_id: str) -> None:
        """Have the page ask what is to be saved, and how."""
        await _send("offer_export", turn=turn_id)

    async def change_settings(self, entries: Mapping[str, object]) -> None:
        """Take the entries of the settings panel, and say which of them are no good."""
        self.session.settings, complaints = settings_from(entries, self.session.settings, texts=self._texts)
        for complaint in complaints:
            await cl.context.emitter.send_toast(complaint, "error")
        await settings_panel(self.session.settings, self._texts).send()

    async def heed(self, message: object) -> None:
        """Do what the page asks. Ignores whatever else is said in its window."""
        try:
            wish = _WISHES.validate_python(message)
        except ValidationError:
            return
        match wish:
            case _Copy(turn=turn):
                await _send("copied", turn=turn, text=self.session.answer_to(turn))
            case _Check():
                await self._check.run()
            case _Export(turn=turn, format=file_format, thinking=thinking, tools=tools):
                await self._export(ExportWish(turn, file_format, thinking, tools))
            case _ResetSettings():
                await settings_panel(self._defaults, self._texts).refresh()
            case _PickModel():
                await self._pick_model(wish)

    async def _export(self, wish: ExportWish) -> None:
        file = await exported(wish, self.session.last_turn, texts=self._texts)
        if file:
            await _send("download", **file)
        else:
            await cl.context.emitter.send_toast(self._texts.composer.export_failed, "error")

    async def _pick_model(self, wish: _PickModel) -> None:
        """Show how much the newly picked model can be told to think."""
        await show_pickers(self._choice, Picked(wish.name, wish.effort), texts=self._texts)


def current_chat() -> Chat | None:
    """The chat of the session that is served now; None before it has begun."""
    chat: Chat | None = cl.user_session.get(_KEY)
    return chat


def turns_of(session: WebsocketSession) -> set[asyncio.Task[None]]:
    """The turns that run or wait in a session."""
    chat = _chat_of(session)
    return set(chat.session.unfinished) if chat else set()


def questions_open_in(session: WebsocketSession) -> set[str]:
    """The ids of the questions that these turns answer."""
    chat = _chat_of(session)
    return set(chat.session.open_questions) if chat else set()


def _chat_of(session: WebsocketSession) -> Chat | None:
    chat: Chat | None = user_sessions.get(session.id, {}).get(_KEY)
    return chat


async def _send(what: str, **facts: object) -> None:
    await cl.send_window_message({"thinkglass": what, **facts})
