"""A real Chromium, without the requests of its own that it would otherwise make."""

import contextlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Page, async_playwright, expect
from playwright.async_api import TimeoutError as NotYet

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


QUESTIONS = '[data-step-type="user_message"]'
IS_ANSWERED = """() => {
    const last = [...document.querySelectorAll('[data-step-type]')].at(-1);
    const isOver = !document.querySelector('#stop-button') && document.querySelector('#chat-submit');
    return isOver && last && last.dataset.stepType !== 'user_message';
}"""
expect.set_options(timeout=15_000)  # a machine may be busy with other things


@dataclass(slots=True)
class Watch:
    """What a page did that it should not: requests to other hosts, and errors in its console."""

    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextlib.asynccontextmanager
async def browsing(url: str, **look: Any) -> AsyncIterator[tuple[Page, Watch]]:
    """The page at `url`, ready to be asked. `look` are Playwright's context options."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = await browser.new_context(**look)
        page, watch = await context.new_page(), Watch()
        page.on("request", lambda r: None if r.url.startswith((url, "data:", "blob:")) else watch.foreign.append(r.url))
        page.on("console", lambda m: watch.errors.append(m.text) if m.type == "error" else None)
        await page.goto(url)
        await page.wait_for_selector("#chat-input")
        yield page, watch
        await browser.close()


async def ask(page: Page, text: str) -> None:
    """Send a question; does not wait for the answer. While the page is built up, it may lose what is in its box."""
    submit, box = page.locator("#chat-submit:not([disabled])"), page.locator("#chat-input")
    questions = page.locator(QUESTIONS)
    before = await questions.count()
    while await questions.count() == before:
        await box.fill(text)
        with contextlib.suppress(NotYet):
            await submit.click(timeout=1000)
            await questions.nth(before).wait_for(timeout=15_000)


async def answered(page: Page) -> None:
    """Wait until the turn is over, which has begun once anything stands below the question."""
    await page.wait_for_function(IS_ANSWERED)
