"""Two people with browsers of their own, in a real Chromium, at one time: neither sees anything of the other."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import DONE, Hold, Reply, chunk, stream
from tests.provider.server import ProviderServer, Request

pytestmark = pytest.mark.e2e

NAMES = ("Adelheid", "Evaristo")


def held_answer(request: Request) -> Reply:
    """Thinking and half of an answer, the rest once the provider is told to go on; all of it names who asked."""
    names = [name for name in NAMES if any(name in str(message["content"]) for message in request.body["messages"])]
    who = " and ".join(names)
    rest = (Hold(), chunk({"content": f" and ends it for {who}."}), chunk(finish="stop"), DONE)
    return stream(f"Answer: The model begins for {who}", thinking=f"It is {who} who asks.", tail=rest)


@pytest.fixture
async def pages(app: RunningApp) -> AsyncIterator[tuple[Page, Page]]:
    async with browsing(app.url) as (ada, _):
        assert ada.context.browser
        eve = await (await ada.context.browser.new_context()).new_page()
        await eve.goto(app.url)
        await eve.wait_for_selector("#chat-input")
        yield ada, eve


async def nothing_of_another(page: Page, own: str) -> None:
    """On the whole page, the sidebar, its title and its address with it."""
    (other,) = set(NAMES) - {own}
    shown = await page.inner_text("body") + await page.title() + page.url
    assert own in shown
    assert other not in shown


async def test_neither_sees_anything_of_the_other(pages: tuple[Page, Page], provider: ProviderServer) -> None:
    provider.reset(held_answer)
    for page, name in zip(pages, NAMES, strict=True):
        await ask(page, f"{name} asks")
    for page, name in zip(pages, NAMES, strict=True):
        await expect(page.get_by_text(f"The model begins for {name}")).to_be_visible()
        await nothing_of_another(page, name)
    provider.release()
    for page, name in zip(pages, NAMES, strict=True):
        await expect(page.get_by_text(f"The model begins for {name} and ends it for {name}.")).to_be_visible()
        await answered(page)
        await nothing_of_another(page, name)
    for request in provider.requests:
        assert len([name for name in NAMES if name in str(request.body["messages"])]) == 1


async def test_the_address_of_a_chat_is_of_no_use_to_another(
    app: RunningApp, pages: tuple[Page, Page], provider: ProviderServer
) -> None:
    ada, eve = pages
    provider.reset(lambda request: stream(f"Answer: It is {request.question}."))
    await ask(ada, "Adelheid asks")
    await expect(ada.get_by_text("It is Adelheid asks.")).to_be_visible()
    await answered(ada)
    await ada.wait_for_url(re.compile("/thread/"))
    await eve.goto(ada.url)
    await expect(eve.get_by_text("This chat is not here, or not any more.")).to_be_visible()
    await eve.wait_for_url(app.url + "/")
    assert "Adelheid" not in await eve.inner_text("body")
    await ask(eve, "Evaristo asks")
    await expect(eve.get_by_text("It is Evaristo asks.")).to_be_visible()
    await nothing_of_another(eve, "Evaristo")
    await ada.reload()
    await expect(ada.get_by_text("It is Adelheid asks.")).to_be_visible()
    await nothing_of_another(ada, "Adelheid")
