"""The pickers at the message box: which model answers the next message, and how much it thinks.

Knows what an endpoint offers, and Chainlit's modes; must not know how a turn is answered.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast, get_args

import chainlit as cl
from chainlit.mode import Mode, ModeOption

from llm.effort import ThinkingChoice, client_fields, more_effort, thinking_choices
from llm.endpoint import Endpoint, models_to_chat_with
from llm.errors import LLMError
from llm.model_profiles import ModelProfile, resolve_profile
from ui.texts import Texts

MODEL, EFFORT = "model", "effort"

EndpointSource = Callable[[], Awaitable[Endpoint]]
"""Gives the endpoint with its model; waits until there is one, or raises an `LLMError`."""


@dataclass(frozen=True, slots=True)
class Picked:
    """What was picked; None leaves the model as configured, `auto` its thinking as it likes."""

    model: str | None = None
    effort: ThinkingChoice = "auto"

    def as_modes(self) -> dict[str, str]:
        """As Chainlit keeps it with a message and a thread."""
        return {EFFORT: self.effort, **({MODEL: self.model} if self.model else {})}


class ModelChoice:
    """What the app's endpoint offers. One for the whole app: the list is asked for once, and again if that fails."""

    def __init__(self, endpoint_source: EndpointSource) -> None:
        self._endpoint_source = endpoint_source
        self._models: dict[Endpoint, tuple[str, ...]] = {}
        self._asking = asyncio.Lock()

    async def models(self) -> tuple[str, ...]:
        """The models, the configured one first; it alone where the list can't be had.

        Waits for the endpoint. Raises the `LLMError` that there is none.
        """
        endpoint = await self._endpoint_source()
        async with self._asking:
            if endpoint not in self._models:
                with suppress(LLMError):
                    self._models[endpoint] = await models_to_chat_with(endpoint)
        return self._models.get(endpoint, (endpoint.model,))

    async def endpoint_for(self, picked: Picked) -> Endpoint:
        """The endpoint with the picked model, if it lists it; else with its own."""
        endpoint = await self._endpoint_source()
        if picked.model in (None, endpoint.model) or picked.model not in self._models.get(endpoint, ()):
            return endpoint
        return replace(endpoint, model=picked.model, context_tokens=None)

    async def efforts_for(self, picked: Picked) -> tuple[ThinkingChoice, ...]:
        """How much the picked model can be told to think."""
        profile = _profile(await self.endpoint_for(picked))
        return thinking_choices(profile) if profile else ("auto",)

    async def other_efforts(self, picked: Picked) -> tuple[ThinkingChoice, ...]:
        """What a second try could change; nothing where no model answers."""
        try:
            return other_efforts(await self.endpoint_for(picked), picked.effort)
        except LLMError:
            return ()


def picked_from(modes: object) -> Picked:
    """Read what a message or a thread was stored with; whatever is no choice of ours is the default."""
    known = modes if isinstance(modes, Mapping) else {}
    model, effort = known.get(MODEL), known.get(EFFORT)
    is_effort = effort in get_args(ThinkingChoice)
    return Picked(model if isinstance(model, str) else None, cast("ThinkingChoice", effort) if is_effort else "auto")


def thinking_fields(endpoint: Endpoint, effort: ThinkingChoice) -> dict[str, object]:
    """The fields of the client for what was picked."""
    profile = _profile(endpoint)
    return client_fields(effort, profile) if profile else {}


def can_skip_thinking(endpoint: Endpoint) -> bool:
    """Whether a short answer is cheap there: never from the built-in model, which has one slot, on this computer."""
    profile = _profile(endpoint)
    return profile is not None and not profile.thinks(False)


def other_efforts(endpoint: Endpoint, effort: ThinkingChoice) -> tuple[ThinkingChoice, ...]:
    """What a second try could change: no thinking, and more of it, where the model offers them."""
    profile = _profile(endpoint)
    if not profile:
        return ()
    off: tuple[ThinkingChoice, ...] = ("off",) if effort != "off" and "off" in thinking_choices(profile) else ()
    more = more_effort(effort, profile)
    return (*off, *((more,) if more else ()))


async def show_pickers(choice: ModelChoice, picked: Picked, *, texts: Texts) -> None:
    """Show the pickers with what was picked; also for a chat that is resumed. Shows none where nothing can be picked.

    Waits until a model answers.
    """
    try:
        models, efforts = await choice.models(), await choice.efforts_for(picked)
    except LLMError:
        return
    model = picked.model if picked.model in models else models[0]
    modes = [_models_mode(models, model, texts=texts), _efforts_mode(efforts, picked.effort, texts=texts)]
    await cl.context.emitter.set_modes([mode for mode in modes if len(mode.options) > 1])


def _models_mode(models: tuple[str, ...], picked: str, *, texts: Texts) -> Mode:
    options = [ModeOption(id=name, name=name, default=name == picked) for name in models]
    return Mode(id=MODEL, name=texts.composer.model, options=options)


def _efforts_mode(efforts: tuple[ThinkingChoice, ...], picked: ThinkingChoice, *, texts: Texts) -> Mode:
    words = texts.composer.efforts
    chosen = picked if picked in efforts else "auto"
    options = [
        ModeOption(id=effort, name=words[effort].name, description=words[effort].description, default=effort == chosen)
        for effort in efforts
    ]
    return Mode(id=EFFORT, name=texts.composer.effort, options=options)


def _profile(endpoint: Endpoint) -> ModelProfile | None:
    """The facts about the model; None for the built-in one, whose thinking is part of how it is run."""
    return None if endpoint.source == "builtin" else resolve_profile(endpoint.api_base, endpoint.model)
