"""Titles of chats: the whole app asks its model for one, over the real socket and in a real browser."""

import asyncio
import contextlib
import queue
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.chat_client import ChatClient, chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Hold, Reply, error, message, stream
from tests.provider.server import ProviderServer, Request

pytestmark = pytest.mark.e2e

QUESTION, TITLE = "How do trams get their current, and since when?", "Trams and their current"
NO_TITLE_YET = Reply((Hold(), *message(TITLE).parts), headers={"content-type": "application/json"})
LIST = "#thread-history"


def is_for_title(request: Request) -> bool:
    return "You give titles to chats" in request.body["messages"][0]["content"]


class TitledServer:
    """The provider: answers come from `answers` and then at once, titles from `titles`, then never."""

    def __init__(self, provider: ProviderServer, *answers: Reply, titles: list[Reply] | None = None) -> None:
        self.answers = list(answers)
        self.titles = titles if titles is not None else [message(TITLE)]
        self.provider = provider
        self._new: queue.Queue[Request] = queue.Queue()
        provider.reset(self._reply)

    def _reply(self, request: Request) -> Reply:
        if is_for_title(request):
            self._new.put(request)
            return self.titles.pop(0) if self.titles else error(500, "no more titles")
        return self.answers.pop(0) if self.answers else stream(f"Answer: about {request.question}")

    @property
    def asked(self) -> list[Request]:
        """The requests for titles."""
        return [request for request in self.provider.requests if is_for_title(request)]

    async def next_asked(self) -> Request:
        """The next request for a title, waited for."""
        return await asyncio.to_thread(self._new.get, timeout=20)


@pytest.fixture(scope="module")
def home(shared_provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    places = {"LLM_API_BASE": shared_provider.api_base, "LLM_API_KEY": "k", "LLM_MODEL": "deepseek-flash"}
    folder = tmp_path_factory.mktemp("app")
    with running_app(folder, CHAT_TITLES="model", MAX_RETRIES="0", **places) as app:
        yield app
        assert "Traceback" not in app.printed(), app.printed()


@pytest.fixture
async def chat(home: RunningApp) -> AsyncIterator[ChatClient]:
    async with chatting(home.url) as chat:
        yield chat


async def names(chat: ChatClient) -> list[str]:
    """What the list of chats says."""
    response = await chat.http.post("/project/threads", json={"pagination": {"first": 20}, "filter": {}})
    return [thread["name"] for thread in response.json()["data"]]


async def named(chat: ChatClient, name: str) -> None:
    """Wait until the page is told that the chat has this name, which it then finds in the list."""
    await chat.until(lambda _: chat.thread["name"] == name, limit=20)
    assert await names(chat) == [name]


async def over(request: Request) -> None:
    """Wait until the request is answered, or whoever asked has gone."""
    assert await asyncio.to_thread(request.over.wait, 20)


async def rename(chat: ChatClient, name: str) -> None:
    response = await chat.http.put("/project/thread", json={"threadId": chat.thread["id"], "name": name})
    assert response.status_code == 200


async def test_the_first_answer_gives_the_chat_a_title(chat: ChatClient, provider: ProviderServer) -> None:
    server = TitledServer(provider, titles=[message(f'Title: "{TITLE}."')])
    await chat.ask(QUESTION)
    await named(chat, TITLE)
    (asked,) = server.asked
    assert (asked.body["stream"], asked.body["max_tokens"]) == (False, 30)
    assert asked.body["thinking"] == {"type": "disabled"}
    assert "tools" not in asked.body
    assert "about How do trams" in asked.last_text
    turn = next(step["metadata"]["turn"] for step in chat.page.of_type("undefined") if "turn" in step["metadata"])
    assert (turn["rounds"], turn["prompt_tokens"], turn["ended"]) == (1, 40, "answered")
    await chat.ask("And buses?")
    await chat.ask("And ships?")
    assert len(server.asked) == 1
    assert await names(chat) == [TITLE]


@pytest.mark.parametrize(
    "reply",
    [message("..."), message("I'm sorry, I can't."), message(""), error(500, "busy"), stream("")],
    ids=["dots", "refusal", "nothing", "failure", "another form"],
)
async def test_without_a_good_title_the_first_words_stay_and_nobody_is_told(
    chat: ChatClient, provider: ProviderServer, reply: Reply
) -> None:
    server = TitledServer(provider, titles=[reply, message("A second title")])
    await chat.ask(QUESTION)
    asked = await server.next_asked()
    await over(asked)
    await chat.ask("And buses?")
    await chat.ask("And ships?")
    assert await names(chat) == [QUESTION]
    assert not chat.page.toasts
    assert not any(step["isError"] for step in chat.page.steps.values())


async def test_a_name_that_a_person_gives_meanwhile_stays(chat: ChatClient, provider: ProviderServer) -> None:
    server = TitledServer(provider, titles=[NO_TITLE_YET])
    await chat.ask(QUESTION)
    asked = await server.next_asked()
    await rename(chat, "My own name")
    provider.release()
    await over(asked)
    assert not asked.client_left
    await chat.ask("And buses?")
    assert await names(chat) == ["My own name"]


async def test_a_name_that_was_given_before_the_answer_was_whole_stays(
    chat: ChatClient, provider: ProviderServer
) -> None:
    server = TitledServer(provider, stream("Answer: long", tail=[Hold(), *stream(" and whole").parts[1:]]))
    await chat.send(QUESTION)
    await chat.until(lambda page: bool(page.answers))
    await rename(chat, "My own name")
    provider.release()
    await asyncio.wait_for(chat.idle.wait(), 20)
    asked = await server.next_asked()
    await over(asked)
    await chat.ask("And buses?")
    assert await names(chat) == ["My own name"]


async def test_the_next_question_goes_first_and_the_title_comes_after(
    chat: ChatClient, provider: ProviderServer
) -> None:
    server = TitledServer(provider, titles=[NO_TITLE_YET, message(TITLE)])
    await chat.ask(QUESTION)
    first = await server.next_asked()
    assert await chat.ask("And buses?") == "about And buses?"
    await over(first)
    assert first.client_left
    second = await server.next_asked()
    assert QUESTION in second.last_text
    assert "buses" not in second.last_text
    await named(chat, TITLE)


async def test_no_title_is_asked_for_while_a_question_waits(chat: ChatClient, provider: ProviderServer) -> None:
    server = TitledServer(provider, stream("Answer: long", tail=[Hold(), *stream(" and whole").parts[1:]]))
    await chat.send(QUESTION)
    await chat.until(lambda page: bool(page.answers))
    await chat.send("And buses?")
    await chat.send("And ships?")
    provider.release()
    await named(chat, TITLE)
    assert [is_for_title(request) for request in provider.requests] == [False, False, False, True]
    assert QUESTION in server.asked[0].last_text


async def test_a_chat_keeps_its_first_words_until_an_answer_is_whole(
    chat: ChatClient, provider: ProviderServer
) -> None:
    cut = stream("Answer: cut", finish="length")
    server = TitledServer(provider, stream("Answer: long", tail=[Hold()]), error(400, "no"), cut, stream("Answer: 4."))
    await chat.send(QUESTION)
    await chat.until(lambda page: bool(page.answers))
    await chat.stop()
    await asyncio.wait_for(chat.idle.wait(), 20)
    await chat.ask("This fails")
    await chat.ask("This is cut")
    assert not server.asked
    assert await names(chat) == [QUESTION]
    await chat.ask("This is answered")
    await named(chat, TITLE)
    assert '"question": "This is answered"' in server.asked[0].last_text


async def test_a_chat_that_is_gone_on_with_is_never_named(home: RunningApp, provider: ProviderServer) -> None:
    server = TitledServer(provider, titles=[message("None")])
    async with chatting(home.url) as chat:
        await chat.ask(QUESTION)
        await over(await server.next_asked())
    server.titles = [message(TITLE)]
    async with chatting(home.url, cookies=chat.http.cookies, thread=chat.thread["id"]) as again:
        await again.ask("And buses?")
        await again.ask("And ships?")
        assert await names(again) == [QUESTION]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "variables",
    [{"CHAT_TITLES": "words"}, {"CHAT_TITLES": "model", "LLM_MODEL": "deepseek-r1"}],
    ids=["switched off", "a model that always thinks"],
)
async def test_where_it_is_off_or_dear_no_title_is_asked_for(
    provider: ProviderServer, tmp_path: Path, variables: dict[str, str]
) -> None:
    server = TitledServer(provider)
    with running_app(tmp_path, LLM_API_BASE=provider.api_base, MAX_RETRIES="0", **variables) as app:
        async with chatting(app.url) as chat:
            for question in (QUESTION, "And buses?", "And ships?"):
                await chat.ask(question)
            assert await names(chat) == [QUESTION]
    assert not server.asked


@contextlib.asynccontextmanager
async def list_of_chats(home: RunningApp, **look: Any) -> AsyncIterator[Page]:
    """A page with its list of chats open."""
    async with browsing(home.url, locale="en-US", viewport={"width": 1200, "height": 800}, **look) as (page, _):
        yield page


async def test_the_list_of_chats_changes_without_a_reload(home: RunningApp, provider: ProviderServer) -> None:
    server = TitledServer(provider, titles=[NO_TITLE_YET])
    async with list_of_chats(home) as page:
        await ask(page, QUESTION)
        await answered(page)
        await page.locator("#sidebar-trigger-button").last.click()
        await expect(page.locator(LIST)).to_contain_text("How do trams get")
        await server.next_asked()
        provider.release()
        await expect(page.locator(LIST)).to_contain_text(TITLE)
        await expect(page.locator(LIST)).not_to_contain_text("How do trams get")
        await expect(page.get_by_text("about How do trams")).to_be_visible()
        await ask(page, "And buses?")
        await expect(page.get_by_text("about And buses?")).to_be_visible()
        await expect(page.locator(LIST)).to_contain_text(TITLE)


async def test_a_name_given_on_the_page_meanwhile_stays(home: RunningApp, provider: ProviderServer) -> None:
    server = TitledServer(provider, titles=[NO_TITLE_YET])
    async with list_of_chats(home) as page:
        await ask(page, QUESTION)
        await answered(page)
        await page.locator("#sidebar-trigger-button").last.click()
        asked = await server.next_asked()
        await page.locator(LIST).get_by_text("How do trams get").hover()
        await page.locator(f"{LIST} #thread-options").first.click()
        await page.get_by_role("menuitem").first.click()
        await page.fill("[role=dialog] #name", "My own name")
        await page.get_by_role("button", name="Confirm").click()
        await expect(page.locator(LIST)).to_contain_text("My own name")
        provider.release()
        await over(asked)
        await ask(page, "And buses?")
        await expect(page.get_by_text("about And buses?")).to_be_visible()
        await page.reload()
        await expect(page.locator(LIST)).to_contain_text("My own name")
        await expect(page.locator(LIST)).not_to_contain_text(TITLE)
