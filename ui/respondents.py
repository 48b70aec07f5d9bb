"""Who answers a turn: the agent of the picked profile, on the picked model, with the chat's settings."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, Protocol

from llama_index.core.tools import BaseTool

from agents.chat_profiles import ChatProfile, build_agent
from agents.react.small_model import SmallModelGuide
from agents.title import MAX_REPLY_TOKENS, title_of
from llm.client import client_for, shared_connections
from llm.endpoint import Endpoint
from ui.chat_settings import ChatSettings, Consent
from ui.pickers import ModelChoice, Picked, can_skip_thinking, other_efforts, thinking_fields
from ui.session import Respondent
from ui.turn.tally import Prices


class ToolSource(Protocol):
    """Where a chat's tools come from."""

    async def for_turn(self, *, consent: Consent) -> Sequence[BaseTool]: ...


class Respondents:
    """Builds whoever answers. One for the whole app."""

    def __init__(
        self,
        choice: ModelChoice,
        *,
        guide: SmallModelGuide,
        client: Mapping[str, Any],
        prices: Prices | None,
        title: Literal["model", "words"],
    ) -> None:
        """`guide` is for the small built-in models; `client` are fields of the client that no chat changes.

        `prices` are those of the configured model, and hold for no other. `title` says who makes a chat's title: the
        model that has answered, where that is cheap, or nobody, so that the first words stay.
        """
        self._title = title
        self._prices = prices
        self._choice = choice
        self._guide = guide
        self._client = {**client, "async_http_client": shared_connections()}

    async def respondent(
        self, profile: ChatProfile, tools: ToolSource, picked: Picked, settings: ChatSettings
    ) -> Respondent:
        """The profile's agent on the model that answers now; waits for one, or raises the reason why there is none."""
        endpoint = await self._choice.endpoint_for(picked)
        sampling = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        llm = client_for(endpoint, **self._client, **sampling, **thinking_fields(endpoint, picked.effort))
        guide = self._guide if endpoint.needs_guide else None
        offered = await tools.for_turn(consent=settings.consent)
        agent = build_agent(profile, llm, offered, max_rounds=settings.max_rounds, guide=guide)
        prices = None if picked.model else self._prices
        title = partial(self._title_of, endpoint) if self._title == "model" and can_skip_thinking(endpoint) else None
        return Respondent(agent, other_efforts(endpoint, picked.effort), prices, title)

    async def _title_of(self, endpoint: Endpoint, question: str, answer: str) -> str | None:
        """A short call of its own, which nobody waits for."""
        short = {"max_tokens": MAX_REPLY_TOKENS, "max_retries": 0}
        llm = client_for(endpoint, **{**self._client, **short}, **thinking_fields(endpoint, "off"))
        return await title_of(question, answer, llm=llm)
