"""The real app with its real tools: confined Python, a workspace, and stand-ins for the services of the web."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.chat_client import ChatClient
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer
from tests.tools.services import Asked, Services, running_services

SECRET = "canary-of-the-server"
"""The value of the server's keys."""


@dataclass(frozen=True, slots=True)
class AppWithTools:
    """The running app, and the services that its tools call."""

    app: RunningApp
    services: Services

    @property
    def url(self) -> str:
        return self.app.url

    def pages_read(self) -> list[str]:
        """The addresses that `read_page` had fetched."""
        return [asked.body["urls"] for asked in self.services.asked_at("/extract")]


@contextmanager
def app_with_tools(folder: Path, provider: ProviderServer, *, patience_s: float = 0) -> Iterator[AppWithTools]:
    """`patience_s` is how long the app waits for running turns when it ends."""
    with (
        running_services() as services,
        running_app(
            folder,
            LLM_API_BASE=provider.api_base,
            LLM_API_KEY=SECRET,
            LLM_MODEL="deepseek-flash",
            MAX_RETRIES="0",
            SHUTDOWN_PATIENCE=str(patience_s),
            TAVILY_API_KEY=SECRET,
            TAVILY_API_BASE=services.base,
            OPEN_METEO_API_BASE=services.base,
            OPEN_METEO_GEOCODING_API_BASE=services.base,
        ) as app,
    ):
        services.answers["/extract"] = _page_at
        yield AppWithTools(app, services)
        assert "Traceback" not in app.printed(), app.printed()


def _page_at(asked: Asked) -> dict[str, Any]:
    page = {"url": asked.body["urls"], "title": "A page", "raw_content": "# Heading\n\nIts text."}
    return {"results": [page], "failed_results": [], "response_time": 0.4}


def call(tool: str, **arguments: Any) -> Reply:
    """A reply of the model that calls a tool."""
    asked = json.dumps(arguments, ensure_ascii=False)
    return stream(f"Thought: I use a tool.\nAction: {tool}\nAction Input: {asked}", size=40)


def answer(text: str) -> Reply:
    """A reply of the model that ends the turn."""
    return stream(f"Answer: {text}", size=40)


async def card(chat: ChatClient) -> dict[str, Any]:
    """The consent card, waited for."""
    await chat.until(lambda page: bool(page.props_of("Consent")))
    (props,) = chat.page.props_of("Consent")
    return props


async def press(chat: ChatClient, props: dict[str, Any], given: str) -> None:
    """Press one of the card's buttons: `allow`, `deny` or `always`."""
    payload = {"request": props["request"], "answer": given}
    assert await chat.press({"id": str(uuid.uuid4()), "name": "answer_consent", "payload": payload}) == 200


async def give(chat: ChatClient, given: str) -> None:
    """Answer the open card, and wait until it is gone."""
    await press(chat, await card(chat), given)
    await chat.until(lambda page: not page.props_of("Consent"))
