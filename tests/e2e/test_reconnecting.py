"""What a page shows after its connection was down in the midst of a turn, in a real Chromium."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp, running_app

pytestmark = pytest.mark.e2e

HOLD_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
    constructor(...address) { super(...address); window.sockets.push(this); }
};
"""
SOCKETS = "**/ws/socket.io/**"
ANSWER = " ".join(f"Word {number}." for number in range(25))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app="tests/ui/app_with_turns.py") as running:
        yield running
        assert "Traceback" not in running.printed(), running.printed()


@pytest.fixture
async def page(app: RunningApp) -> AsyncIterator[Page]:
    async with browsing(app.url) as (page, _):
        await page.add_init_script(HOLD_SOCKETS)
        await page.reload()
        await page.wait_for_selector("#chat-input")
        await page.wait_for_function("window.sockets.some(socket => socket.readyState === 1)")
        yield page


async def cut(page: Page) -> None:
    """The connection is lost, and none can be had."""
    await page.route(SOCKETS, lambda route: route.abort())
    await page.evaluate("window.sockets.forEach(socket => socket.close())")
    await expect(page.locator("#session-error")).to_be_visible(timeout=15_000)


async def mend(page: Page) -> None:
    await page.unroute(SOCKETS)
    await expect(page.locator("#session-error")).to_be_hidden(timeout=15_000)


def wait_until_over(app: RunningApp, turns_before: int) -> None:
    """The turn has said its last word, to nobody."""
    limit = time.monotonic() + 15
    while app.printed().count("is over") == turns_before:
        assert time.monotonic() < limit
        time.sleep(0.05)


async def whole_turn_is_shown(page: Page) -> None:
    await expect(page.get_by_text(ANSWER)).to_be_visible(timeout=15_000)
    await answered(page)
    shown = [re.sub(r"\s+", " ", text).strip() for text in await page.locator(".step").all_inner_texts()]
    assert shown[1:3] == ["Thought for 3 s", "Calculated 6*7 · 0.7 s"]
    assert shown[3].startswith(ANSWER)
    assert len(shown) == 5
    await page.get_by_role("button", name="Thought for 3 s").click()
    lines = await page.locator('[data-step-type="llm"] [role="article"]').all_inner_texts()
    assert lines == [f"Line {number} of the thinking, which goes on and on." for number in range(25)]


async def test_a_turn_that_went_on_meanwhile_is_shown_whole_and_goes_on(page: Page) -> None:
    await ask(page, "slow")
    await expect(page.get_by_text("Line 3 of")).to_be_visible()
    await cut(page)
    await mend(page)
    await whole_turn_is_shown(page)


async def test_a_turn_that_ended_meanwhile_is_shown_whole_and_as_ended(page: Page, app: RunningApp) -> None:
    turns_before = app.printed().count("is over")
    await ask(page, "slow")
    await expect(page.get_by_text("Word 3.")).to_be_visible(timeout=15_000)
    await cut(page)
    await asyncio.to_thread(wait_until_over, app, turns_before)
    await mend(page)
    await whole_turn_is_shown(page)


async def test_a_turn_can_still_be_stopped_when_the_page_is_back(page: Page) -> None:
    await ask(page, "tool")
    await expect(page.get_by_text("Running Python")).to_be_visible()
    await cut(page)
    await mend(page)
    await page.click("#stop-button")
    await answered(page)
    await expect(page.get_by_text("Ran Python · stopped")).to_be_visible()
    await ask(page, "short")
    await expect(page.get_by_text("Done.")).to_be_visible()


async def test_a_waiting_line_that_ended_meanwhile_is_gone(page: Page, app: RunningApp) -> None:
    turns_before = app.printed().count("is over")
    await ask(page, "late")
    await expect(page.get_by_text("Waiting for the model…")).to_be_visible()
    await cut(page)
    await asyncio.to_thread(wait_until_over, app, turns_before)
    await mend(page)
    await expect(page.get_by_text("Done, late.")).to_be_visible()
    await expect(page.get_by_text("Waiting for the model…")).to_have_count(0)
