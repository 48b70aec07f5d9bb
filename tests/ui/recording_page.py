"""A page that keeps what it is sent, for tests that show a turn without a server."""

from typing import Any

from chainlit.context import init_http_context
from chainlit.emitter import BaseChainlitEmitter

from agents.events import ToolFinished, ToolStarted, TurnEvent
from tests.e2e.chat_client import Page
from ui.texts import ENGLISH, Texts
from ui.turn_view import TurnView


class RecordingEmitter(BaseChainlitEmitter):
    """Keeps what a page would show."""

    def __init__(self, session: Any, page: Page | None = None) -> None:
        super().__init__(session)
        self.page = page or Page()

    async def send_step(self, step_dict: Any) -> None:
        self.page.put(dict(step_dict))

    async def update_step(self, step_dict: Any) -> None:
        self.page.put(dict(step_dict))

    async def stream_start(self, step_dict: Any) -> None:
        self.page.put(dict(step_dict))

    async def delete_step(self, step_dict: Any) -> None:
        self.page.remove(step_dict)

    async def send_token(self, id: str, token: str, is_sequence: bool = False, is_input: bool = False) -> None:  # noqa: A002  # Chainlit's name
        self.page.add_token({"id": id, "token": token})


def page_of_a_chat(page: Page | None = None) -> Page:
    context = init_http_context()
    emitter = RecordingEmitter(context.session, page)
    context.emitter = emitter
    return emitter.page


async def shown(*events: TurnEvent, texts: Texts = ENGLISH, **how: Any) -> Page:
    page, view = page_of_a_chat(), TurnView(texts, **how)
    for event in events:
        await view.show(event)
    return page


def tool(name: str, arguments: dict[str, Any], **finished: Any) -> tuple[TurnEvent, TurnEvent]:
    given = {"text": "", "seconds": 0.0, **finished}
    return ToolStarted("a", name, arguments), ToolFinished("a", **given)
