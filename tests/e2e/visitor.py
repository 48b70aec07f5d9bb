"""Somebody with a browser of their own: a page that is loaded anew, loses its connection, outlives its server."""

from collections.abc import Callable
from copy import deepcopy

from tests.e2e.chat_client import ChatClient
from tests.e2e.page_model import WholePage, losses

PATIENCE_S = 120.0
"""For whatever is waited for, on a machine that does other things too."""


class Visitor:
    """A page and the connection behind it. `edited` is the question whose edit is under way, if one is."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.page = WholePage()
        self.chat = ChatClient(url, page=self.page, patience=PATIENCE_S)
        self.edited = ""

    @property
    def thread_id(self) -> str:
        return str(self.chat.thread["id"])

    async def load_again(self, url: str) -> None:
        """A new page, with nothing on it and an id of its own. The old one is left where that fails."""
        await self.chat.close()
        page = WholePage()
        cookies = self.chat.http.cookies
        chat = ChatClient(url, cookies=cookies, thread=self.thread_id, page=page, patience=PATIENCE_S)
        await chat.connect()
        self.page, self.chat = page, chat

    async def outlive(self, url: str, *, lost_since: float) -> None:
        """The server has ended. The page stays open and finds the new one, which has all that stood there.

        But for what an edit under way takes the place of, and the text that came after the moment `lost_since`.
        """
        before, old = deepcopy(self.page), self.chat
        await old.close()
        self.chat = ChatClient(
            url, cookies=old.http.cookies, thread=old.thread["id"], session=old.session_id, page=self.page,
            patience=PATIENCE_S,
        )  # fmt: skip
        await self.chat.connect()
        for superseded in before.from_on(self.edited) if self.edited else ():
            before.remove(superseded)
        assert losses(before, self.page, since=lost_since) == [], self.name
        assert not self.edited or self.edited in self.page.steps, self.name
        self.edited = ""

    async def until(self, claim: Callable[[], bool]) -> None:
        """Raises `Lost` where the server ends before."""
        await self.chat.until(lambda _: claim(), limit=PATIENCE_S)

    async def over(self, *questions: str) -> None:
        """The turns that answer these questions have ended."""
        await self.until(lambda: all(self.page.is_over(question) for question in questions))

    async def edit(self, question: str, text: str) -> None:
        """Edit a question, and wait for the new answer, which takes the place of all below the question."""
        runs = {run["id"] for run in self.page.inside(question)}
        self.edited = question
        await self.chat.edit(question, text)
        await self.until(lambda: self.page.is_over(question) and not runs & self.page.steps.keys())
        self.edited = ""

    async def close(self) -> None:
        await self.chat.close()
