"""The arrow to the end of a chat, in a real browser: it stands there while that end is out of view, and only then."""

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

ARROW = "button:has(> svg.lucide-arrow-down)"
LINES = "\n\n".join(f"Line {number}." for number in range(40))
PAGE = "document.querySelector('.step').closest('.overflow-y-auto')"


async def scroll(page: Page, pixels: int) -> None:
    """As with a wheel over the chat."""
    await page.mouse.move(500, 300)
    await page.mouse.wheel(0, pixels)


async def test_the_arrow_stands_there_only_while_the_end_is_out_of_view(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(stream(f"Answer: {LINES}", size=400), stream("Answer: Short."))
    async with browsing(app.url, locale="en-US", viewport={"width": 1000, "height": 700}) as (page, _):
        arrow = page.locator(ARROW)
        await ask(page, "Tell me much")
        await answered(page)
        await ask(page, "And now little")
        await answered(page)
        end = page.get_by_text("2 rounds").or_(page.get_by_text("1 round")).last
        await expect(end).to_be_in_viewport()
        await expect(arrow).to_be_hidden()

        await scroll(page, -120)
        await page.wait_for_function(f"{PAGE}.scrollHeight - {PAGE}.clientHeight - {PAGE}.scrollTop > 60")
        await expect(end).to_be_in_viewport()
        await expect(arrow).to_have_count(1)  # Chainlit's own idea, for the room below
        await expect(arrow).to_be_hidden()

        await scroll(page, -900)
        await expect(end).not_to_be_in_viewport()
        await expect(arrow).to_be_visible()
        await arrow.click()
        await expect(end).to_be_in_viewport()
        await expect(arrow).to_be_hidden()
