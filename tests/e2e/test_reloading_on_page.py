"""What people see who load the page anew in the midst of a turn, in a real Chromium."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.e2e.tabs import CALL, told
from tests.provider.replies import DONE, USAGE, Hold, Part, Reply, chunk, stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

THOUGHTS = " ".join(f"Thought number {number} goes on." for number in range(40))


def end(*deltas: str, thinking: str = "") -> tuple[Part, ...]:
    """The rest of a reply, once the provider is told to go on."""
    thoughts = [chunk({"reasoning_content": thinking})] if thinking else []
    return (Hold(), *thoughts, *(chunk({"content": d}) for d in deltas), chunk(finish="stop", usage=USAGE), DONE)


@pytest.fixture
async def page(app: RunningApp) -> AsyncIterator[Page]:
    async with browsing(app.url) as (page, watch):
        yield page
        assert watch.foreign == watch.errors == []


async def begin(page: Page, provider: ProviderServer, *replies: Reply) -> None:
    """A chat with one answered question, and a second one whose first reply is waited for."""
    provider.add(stream("Answer: Before."), *replies)
    await ask(page, "First?")
    await answered(page)
    await ask(page, "Second?")


async def texts(page: Page) -> list[str]:
    """All that stands on the page, from top to bottom."""
    return [re.sub(r"\s+", " ", text).strip() for text in await page.locator(".step").all_inner_texts()]


def label(page: Page, words: str) -> Locator:
    return page.locator('[id^="step-"]:is(p, button)', has_text=words)


async def reload(page: Page) -> None:
    await page.reload()
    await page.wait_for_selector("#stop-button")


async def test_thinking_is_open_and_grows_and_its_seconds_go_on(page: Page, provider: ProviderServer) -> None:
    await begin(page, provider, stream(thinking=THOUGHTS, tail=end("Answer: Done.", thinking=" At last.")))
    await expect(page.get_by_text("number 39")).to_be_visible()
    await expect(label(page, "Thinking…")).to_have_attribute("data-elapsed", re.compile("[4-9] s"))
    before = await texts(page)
    await reload(page)
    await expect(page.get_by_text("number 39")).to_be_visible()
    assert await texts(page) == before
    await expect(label(page, "Thinking…")).to_have_attribute("aria-expanded", "true")
    seconds = await label(page, "Thinking…").get_attribute("data-elapsed")
    assert int((seconds or "0 s").split()[0]) >= 4
    provider.release()
    await expect(page.get_by_text("Done.")).to_be_visible()
    await answered(page)
    await page.get_by_role("button", name="Thought for").click()
    await expect(page.get_by_text("goes on. At last.")).to_be_visible()


async def test_an_answer_grows_on_and_has_its_buttons_in_the_end(page: Page, provider: ProviderServer) -> None:
    await begin(page, provider, stream("Answer: Here it is,", tail=end(" all of", " it.")))
    await expect(page.get_by_text("Here it is")).to_be_visible()
    for _ in range(2):
        await reload(page)
        await expect(page.get_by_text("Here it is")).to_be_visible()
    provider.release()
    await expect(page.get_by_text("Here it is, all of it.")).to_be_visible()
    await answered(page)
    await expect(page.get_by_role("button", name="Try again")).to_have_count(1)
    before = await texts(page)
    await page.reload()
    await expect(page.get_by_role("button", name="Try again")).to_have_count(1)
    assert [text for text in await texts(page) if "answers" not in text] == [t for t in before if "answers" not in t]


async def test_stop_stops_the_turn(page: Page, provider: ProviderServer) -> None:
    await begin(page, provider, stream("Answer: Here it is,", tail=[Hold()]), stream("Answer: After."))
    await expect(page.get_by_text("Here it is")).to_be_visible()
    await reload(page)
    await page.click("#stop-button")
    await answered(page)
    await expect(label(page, "Stopped")).to_be_visible()
    assert provider.requests[1].over.wait(5)
    await ask(page, "Third?")
    await expect(page.get_by_text("After.")).to_be_visible()
    assert [text[:10] for text in told(provider)] == ["First?", "Before.", "Second?", "Here it is", "Third?"]


async def test_a_question_about_a_tool_can_still_be_answered(page: Page, provider: ProviderServer) -> None:
    provider.add(stream(CALL), stream("Answer: It is 437."))
    await page.click("#chat-settings-open-modal")
    await page.locator("#chat-settings [role=combobox]", has_text="Ask once").click()
    await page.get_by_role("option", name="Always ask").click()
    await page.click("#chat-settings #confirm")
    await ask(page, "What is 23*19?")
    await expect(page.locator(".consent")).to_be_visible()
    before = await texts(page)
    await reload(page)
    await expect(page.locator(".consent")).to_be_visible()
    assert await texts(page) == before
    await page.locator(".consent").get_by_role("button", name="Allow", exact=True).click()
    await expect(page.get_by_text("It is 437.")).to_be_visible()
    await expect(page.locator(".consent")).to_have_count(0)


async def test_what_waits_in_the_box_still_waits(page: Page, provider: ProviderServer) -> None:
    later = (stream("Answer: Three."), stream("Answer: Four."))
    await begin(page, provider, stream("Answer: Here it is,", tail=end(" all of it.")), *later)
    await expect(page.get_by_text("Here it is")).to_be_visible()
    for question in ("Third?", "Fourth?"):
        await page.fill("#chat-input", question)
        await page.press("#chat-input", "Enter")
    await reload(page)
    await expect(page.locator("#waiting-messages li")).to_have_count(2)
    assert len(provider.requests) == 2
    provider.release()
    await expect(page.get_by_text("Four.")).to_be_visible()
    await answered(page)
    assert told(provider) == [
        "First?", "Before.", "Second?", "Here it is, all of it.", "Third?", "Three.", "Fourth?",
    ]  # fmt: skip
    await page.reload()
    await expect(page.get_by_text("Four.")).to_be_visible()
    await expect(page.locator("#waiting-messages")).to_have_count(0)
