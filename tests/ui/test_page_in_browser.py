"""The stylesheet and the script of the page, looked at in a real Chromium while a step is thinking."""

import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Page, async_playwright

from tests.e2e.browser import FLAGS
from tests.e2e.running_app import RunningApp, running_app

pytestmark = pytest.mark.e2e

BOX = '[data-step-type="llm"] [role="region"] > div > div'
LABEL = '[data-step-type="llm"] button[id^="step-"]'
TO_END = f"""(() => {{
    const box = document.querySelector('{BOX}');
    return box ? box.scrollHeight - box.scrollTop - box.clientHeight : NaN;
}})()"""
MUTED = """(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'hsl(var(--muted-foreground))';
    return getComputedStyle(probe).color;
})()"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app="tests/ui/app_that_thinks.py") as server:
        yield server


@pytest.fixture
async def page(server: RunningApp) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = await browser.new_page(color_scheme="dark", viewport={"width": 1000, "height": 800})
        await page.goto(server.url)
        await page.wait_for_selector("#chat-input")
        yield page
        await browser.close()


async def think(page: Page, lines: int, *, until: int) -> None:
    """Ask for so many lines and wait until the page shows one of them."""
    await page.fill("#chat-input", str(lines))
    await page.click("#chat-submit:not([disabled])")
    await page.get_by_text(f"Line {until}.", exact=True).wait_for(state="attached")


async def test_thinking_is_capped_and_the_newest_line_stays_in_view(page: Page) -> None:
    await think(page, 400, until=60)
    box = page.locator(BOX)
    assert await box.evaluate("box => box.clientHeight") == 320
    await page.wait_for_function(f"{TO_END} <= 1")
    await page.get_by_text("Line 120.", exact=True).wait_for(state="attached")
    await page.wait_for_function(f"{TO_END} <= 1")


async def test_who_scrolls_up_is_left_in_peace_until_back_at_the_end(page: Page) -> None:
    await think(page, 600, until=60)
    await page.locator(BOX).hover()
    await page.mouse.wheel(0, -600)
    await page.wait_for_function(f"{TO_END} > 300")
    place = await page.locator(BOX).evaluate("box => box.scrollTop")
    await page.get_by_text("Line 140.", exact=True).wait_for(state="attached")
    assert abs(await page.locator(BOX).evaluate("box => box.scrollTop") - place) <= 1
    await page.mouse.wheel(0, 100_000)
    await page.wait_for_function(f"{TO_END} <= 1")
    await page.get_by_text("Line 220.", exact=True).wait_for(state="attached")
    await page.wait_for_function(f"{TO_END} <= 1")


async def test_the_label_is_legible_while_it_runs_and_says_only_our_words_when_it_ended(page: Page) -> None:
    await think(page, 100, until=5)
    painted = await page.locator(LABEL).evaluate("label => getComputedStyle(label).backgroundImage")
    assert painted.count(await page.evaluate(MUTED)) == 2, "the dimmest shade is that of quiet text"
    await page.get_by_text("Answered.").wait_for()
    assert await page.inner_text(LABEL) == "Thought for 4 s"
    assert await page.locator(LABEL).get_attribute("aria-expanded") == "false"


async def test_nothing_moves_for_those_who_asked_for_it(page: Page) -> None:
    await page.emulate_media(reduced_motion="reduce")
    await think(page, 100, until=5)
    assert await page.locator(LABEL).evaluate("label => getComputedStyle(label).animationName") == "none"


async def test_the_theme_follows_the_system_until_the_reader_chooses(page: Page) -> None:
    classes = "[...document.documentElement.classList].join(' ')"
    assert await page.evaluate(classes) == "dark"
    await page.emulate_media(color_scheme="light")
    await page.wait_for_function(f"{classes} === 'light'")
    await page.click("#theme-toggle")
    await page.locator('[role="menuitem"]').nth(1).click()
    await page.wait_for_function(f"{classes} === 'dark'")
    await page.emulate_media(color_scheme="dark")
    await page.emulate_media(color_scheme="light")
    await page.reload()
    await page.wait_for_selector("#chat-input")
    assert await page.evaluate(classes) == "dark"
