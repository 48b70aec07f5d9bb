"""One person's tabs of one chat, and turns that stop in their midst until the provider lets them go on."""

import asyncio
from typing import Any

from tests.e2e.chat_client import ChatClient, Page
from tests.e2e.page_model import WholePage, elements_of, standing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import DONE, USAGE, Hold, Part, Reply, chunk, pieces, stream
from tests.provider.server import ProviderServer

CALL = 'Thought: I calculate.\nAction: calculate\nAction Input: {"expression": "23*19"}'


def rest(text: str) -> tuple[Part, ...]:
    """The rest of a reply, once the provider is told to go on."""
    return (Hold(), *(chunk({"content": piece}) for piece in pieces(text, 4)), chunk(finish="stop", usage=USAGE), DONE)


WHOLE = "Here it is, all of it."
IN_THINKING = stream(thinking="They ask for much.", tail=rest(f"Thought: Well.\nAnswer: {WHOLE}"))
IN_ANSWER = stream("Thought: Well.\nAnswer: Here it is,", thinking="They ask for much.", tail=rest(" all of it."))
BEFORE_ANYTHING = Reply(rest(f"Thought: Well.\nAnswer: {WHOLE}"))


class Tab(ChatClient):
    """A page of Chainlit's own kind."""

    page: WholePage

    def __init__(self, url: str, **who: Any) -> None:
        super().__init__(url, page=WholePage(), **who)

    async def away(self) -> None:
        await self._socket.disconnect()

    async def back(self) -> None:
        """With the same page and all that is on it."""
        await self._open()

    async def leave_for_another_chat(self) -> None:
        await self._socket.emit("clear_session")
        await self.close()

    async def joined(self) -> None:
        """The page is told whether a turn runs before all that it missed, and after."""
        await self.until(lambda _: self._starts + self._ends > 1)

    async def over(self) -> None:
        await asyncio.wait_for(self.idle.wait(), 30)


class Browser:
    """One person's browser: the pages of one chat."""

    def __init__(self, app: RunningApp, **who: Any) -> None:
        self._url, self._who = app.url, who
        self._tabs: list[Tab] = []

    async def open(self) -> Tab:
        """A page of a new chat."""
        return await self._opened(Tab(self._url, **self._who))

    async def open_again(self, tab: Tab) -> Tab:
        """One more page of the same chat, with nothing on it and an id of its own."""
        return await self._opened(Tab(self._url, cookies=tab.http.cookies, thread=tab.thread["id"], **self._who))

    async def reload(self, tab: Tab) -> Tab:
        await tab.close()
        return await self.open_again(tab)

    async def close(self) -> None:
        for tab in self._tabs:
            await tab.close()

    async def _opened(self, tab: Tab) -> Tab:
        self._tabs.append(tab)
        await tab.connect()
        return tab


def seen(tab: Tab) -> tuple[Any, ...]:
    return standing(tab.page), elements_of(tab.page)


def ends(page: Page) -> list[str]:
    """How each turn on the page ended."""
    return [step["metadata"]["turn"]["ended"] for step in page.steps.values() if "turn" in (step["metadata"] or {})]


def buttons(tab: Tab) -> list[str]:
    """Their ids."""
    return sorted(button["id"] for button in tab.page.buttons)


def button_names(tab: Tab) -> list[str]:
    return sorted(button["name"] for button in tab.page.buttons)


def is_at_its_hold(page: Page, reply: Reply) -> bool:
    thinking = [step for step in page.of_type("llm") if step["output"] == "They ask for much."]
    if reply is BEFORE_ANYTHING:
        return any(step["metadata"].get("icon") == "hourglass" for step in page.steps.values())
    return bool(thinking) and (reply is IN_THINKING or any(answer.startswith("Here it") for answer in page.answers))


def told(provider: ProviderServer) -> list[str]:
    """What the model was told last, but for its instructions."""
    return [message["content"] for message in provider.requests[-1].body["messages"][1:]]


async def in_answer(browser: Browser, provider: ProviderServer, *later: Reply, first: Reply = IN_ANSWER) -> Tab:
    """A page whose first turn has come to the midst of its answer."""
    provider.add(first, *later)
    tab = await browser.open()
    await tab.send("First?")
    await tab.until(lambda page: is_at_its_hold(page, first))
    return tab


async def ends_as_stored(browser: Browser, tab: Tab) -> Tab:
    """What stands on the page at the end is what is read from the store; returns the page that shows that."""
    await tab.over()
    await tab.until(lambda _: "try_again" in button_names(tab))
    stored = await browser.reload(tab)
    assert seen(tab) == seen(stored)
    await stored.until(lambda _: button_names(stored) == button_names(tab))
    return stored
