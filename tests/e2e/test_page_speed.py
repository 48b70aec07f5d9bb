"""The page while long thinking streams into an open step: it never freezes for long, loses nothing, and Stop works."""

import os
import time

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import Hold, stream
from tests.provider.server import ProviderServer

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

THINKING = '[data-step-type="llm"]'
LONGEST_FREEZE_MS = 1_000
"""On a machine that is not busy with other things: it is wall time."""
WATCH = """
window.longest = 0;
new PerformanceObserver(list => {
    for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
}).observe({entryTypes: ['longtask']});
"""
PARAGRAPH = "First I look at the numbers, and then I think about what they mean for the question at hand. " * 3
THOUGHTS = [f"Thought {number}. {PARAGRAPH}" for number in range(700)]


def load() -> float:
    """How many times slower the machine is than an idle one."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


async def open_thinking(page: Page) -> str:
    """The text of the one thinking step, opened by hand."""
    await page.locator(f'{THINKING} button[id^="step-"]').first.click()
    text = page.locator(f"{THINKING} .message-content").first
    await expect(text).to_contain_text("Thought 699.")
    return " ".join((await text.inner_text()).split())


async def test_long_thinking_at_full_speed_never_freezes_the_page(app: RunningApp, provider: ProviderServer) -> None:
    thinking = "\n\n".join(THOUGHTS)
    provider.add(stream("Answer: Done thinking.", thinking=thinking, size=80, pause=0.004))
    async with browsing(app.url) as (page, watch):
        await page.evaluate(WATCH)
        await ask(page, "Think long")
        await expect(page.get_by_text("Done thinking.", exact=True)).to_be_visible(timeout=90_000)
        await answered(page)
        assert await page.evaluate("longest") < LONGEST_FREEZE_MS * load()
        assert await open_thinking(page) == " ".join(thinking.split())
    assert watch.errors == []


async def test_stop_works_in_the_midst_of_it(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("", thinking="\n\n".join(THOUGHTS * 3), size=80, pause=0.004, tail=[Hold()]))
    async with browsing(app.url) as (page, _):
        await ask(page, "Think long")
        await expect(page.locator(f"{THINKING} .message-content")).to_contain_text("Thought 400.", timeout=60_000)
        began = time.monotonic()
        await page.click("#stop-button")
        await answered(page)
        assert time.monotonic() - began < 2
    assert provider.requests[0].over.wait(2)
    assert provider.requests[0].client_left
