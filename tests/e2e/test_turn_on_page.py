"""Turns as people see them in a real Chromium. The app shows turns that are told to it, so that each state can come."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp, running_app

pytestmark = pytest.mark.e2e

THINKING = '[data-step-type="llm"]'
TOOL = '[data-step-type="tool"]'
LABEL = '[id^="step-"]:is(p, button)'
SUMMARY = ".step:has(.lucide-timer, .lucide-square)"
KEEP_ALL_TEXT = """
window.seen = new Set();
new MutationObserver(() => window.seen.add(document.body.innerText))
    .observe(document.body, {subtree: true, childList: true, characterData: true});
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app="tests/ui/app_with_turns.py") as running:
        yield running
        assert "Traceback" not in running.printed(), running.printed()


def label(page: Page, kind: str) -> Locator:
    return page.locator(f"{kind} {LABEL}")


def line(text: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{re.escape(text)}\s*$")


async def frames_received(page: Page) -> list[str]:
    """What the server sends from now on; the page begins anew."""
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    await page.reload()
    await page.wait_for_selector("#chat-input")
    return frames


async def elapsed(of: Locator) -> str:
    return str(await of.evaluate("e => getComputedStyle(e, '::after').content"))


async def test_a_whole_turn_ends_as_quiet_lines_in_the_order_of_its_events(app: RunningApp) -> None:
    async with browsing(app.url) as (page, watch):
        await ask(page, "whole")
        await expect(page.get_by_text("Searching the web: capital of Peru")).to_be_visible()
        await answered(page)
        await expect(page.locator(f'{THINKING} [aria-expanded="true"]')).to_have_count(0)
        shown = [re.sub(r"\s+", " ", text).strip() for text in await page.locator(".step").all_inner_texts()]
        assert watch.errors == []
    assert shown[1:-2] == [
        "Thought for 1 s",
        "I will look it up.",
        "Searched the web: capital of Peru · 5 results · 1.3 s",
        "Thought for a moment",
        "Ran Python · 0.4 s",
        "Queried the data",
        "Used get_issue · 0.2 s",
        "Weather: Oslo · did not work",
    ]
    assert shown[-2].startswith("Lima is the capital of Peru")
    assert shown[-1].startswith("3 rounds · 5 tools · 1 min 21 s")


async def test_what_a_tool_was_given_and_gave_can_be_read(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "whole")
        await answered(page)
        for trigger in await label(page, TOOL).all():
            await trigger.click()
        code, query, issue, weather = [page.locator(TOOL).nth(n) for n in range(1, 5)]
        await expect(code.locator("code.language-python .hljs-keyword").first).to_have_text("import")
        await expect(code).to_contain_text("2 1.4142135623730951")
        await expect(query.locator("code.language-sql")).to_contain_text("FROM cities")
        await expect(query.locator("td")).to_have_text(["Lima", "10", "Cusco", "1"])
        await expect(issue).to_contain_text("number: 7")
        await expect(issue.locator("code.language-json")).to_contain_text("It is slow")
        await expect(weather).to_contain_text("Say so plainly.")
        red = await label(page, TOOL).last.evaluate("e => getComputedStyle(e).color")
        assert red != await label(page, TOOL).first.evaluate("e => getComputedStyle(e).color")
        assert await page.get_by_text("Output", exact=True).count() == 0


async def test_the_last_line_opens_to_where_time_and_tokens_went(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "whole")
        await answered(page)
        await label(page, SUMMARY).click()
        rows = [re.sub(r"\s+", " ", row) for row in await page.locator(f"{SUMMARY} tr").all_inner_texts()]
    assert rows[1] == "Thinking 1.6 s 930"
    assert [row.split()[-1] for row in rows[-3:]] == ["3,600", "2,700", "$0.0009"]


async def test_the_seconds_tick_on_the_page_and_nobody_hears_them(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        frames = await frames_received(page)
        await ask(page, "tool")
        running = label(page, TOOL)
        await expect(running).to_have_attribute("data-elapsed", "1 s")
        told = len(frames)
        await expect(running).to_have_attribute("data-elapsed", "3 s")
        assert len(frames) == told
        assert await elapsed(running) == '"3 s" / ""'
        await expect(page.get_by_role("button", name="Running Python", exact=True)).to_be_visible()
        await page.click("#stop-button")
        await answered(page)


async def test_a_wait_and_a_silence_are_told_in_one_line_where_they_can_be_ended(app: RunningApp) -> None:
    lines = ".step:has(.lucide-hourglass, .lucide-unplug)"
    async with browsing(app.url) as (page, _):
        await ask(page, "stuck")
        await expect(page.locator(lines)).to_have_text(line("Waiting for the model…"))
        await expect(page.locator(lines)).to_contain_text("No word from the model for 58 s")
        await expect(page.locator(lines)).to_contain_text(re.compile("for 1 min [0-9] s"))
        await expect(page.get_by_text("Hm.", exact=True)).to_be_visible()
        await expect(page.locator(lines)).to_contain_text(re.compile("for 2[1-9] s"))
        await page.get_by_role("button", name="Stop", exact=True).last.click()
        await answered(page)
        await expect(page.locator(lines)).to_have_count(0)
        await expect(page.get_by_text(re.compile(r"^\s*Stopped after \d s\s*$"))).to_be_visible()
        await label(page, THINKING).click()
        await expect(page.get_by_text("Hm.", exact=True)).to_be_visible()


async def test_who_is_answered_at_once_never_sees_a_waiting_line(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await page.evaluate(KEEP_ALL_TEXT)
        await ask(page, "short")
        await answered(page)
        assert "Waiting" not in await page.evaluate("[...window.seen].join('\\n')")


async def test_thinking_of_one_line_opens_a_small_box(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "short")
        box = await page.locator(f'{THINKING} [role="region"]').bounding_box()
        assert box
        assert box["height"] < 60


@pytest.mark.parametrize("clicks", [1, 2], ids=["closed", "closed and opened"])
async def test_what_the_reader_opened_or_closed_stays_so(app: RunningApp, clicks: int) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "slow")
        await expect(page.get_by_text("Line 3 of")).to_be_visible()
        for _ in range(clicks):
            await label(page, THINKING).click()
        await answered(page)
        assert await label(page, THINKING).get_attribute("aria-expanded") == ("false" if clicks == 1 else "true")


@pytest.mark.parametrize("wish", ["open", "fold"])
async def test_thinking_stays_open_where_that_is_wished(app: RunningApp, wish: str) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, f"short {wish}")
        await expect(label(page, THINKING)).to_have_attribute("aria-expanded", "true")
        await answered(page)
        await expect(label(page, THINKING)).to_have_attribute("aria-expanded", "true" if wish == "open" else "false")


async def test_hidden_thinking_never_reaches_the_page_and_its_seconds_do(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        frames = await frames_received(page)
        await ask(page, "short hide")
        await expect(page.get_by_text("Thinking…")).to_be_visible()
        await answered(page)
        await expect(page.get_by_text(line("Thought for 1 s"))).to_be_visible()
        assert "Thought for 1 s" in "".join(frames)
        assert "One line." not in "".join(frames)


async def test_a_turn_folds_to_one_line_and_the_next_one_does_so_by_itself(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "short")
        await answered(page)
        await page.get_by_role("button", name="Hide the steps").click()
        await expect(page.locator(THINKING)).to_be_hidden()
        await expect(page.get_by_text("Done.")).to_be_visible()
        await ask(page, "short")
        await expect(page.locator(THINKING).nth(1)).to_be_visible()
        await answered(page)
        await expect(page.locator(THINKING).nth(1)).to_be_hidden()
        await page.get_by_role("button", name="Show the steps").last.click()
        await expect(page.locator(THINKING).nth(1)).to_be_visible()
        await expect(page.locator(THINKING).nth(0)).to_be_hidden()


async def test_a_tool_that_stop_cuts_has_not_failed(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "tool")
        await expect(page.get_by_text("Running Python")).to_be_visible()
        quiet = await label(page, TOOL).evaluate("e => getComputedStyle(e).color")
        await page.click("#stop-button")
        await answered(page)
        await expect(label(page, TOOL)).to_have_text(line("Ran Python · stopped"))
        assert await label(page, TOOL).evaluate("e => getComputedStyle(e).color") == quiet
        assert await page.locator(f"{TOOL} .fill-destructive").count() == 0
        assert "did not work" not in await page.inner_text("body")


async def test_a_failed_turn_says_why_and_keeps_what_was_seen(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "failing")
        await expect(page.get_by_text("has no balance left")).to_be_visible()
        await answered(page)
        await expect(page.get_by_text("The reply was empty; asking again")).to_be_visible()
        await expect(label(page, SUMMARY)).to_have_text(line("2 rounds · 3 s"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_chinese_phone_shows_it_all_in_chinese_without_sideways_scroll(app: RunningApp, scheme: Any) -> None:
    look = {"locale": "zh-CN", "color_scheme": scheme, "viewport": {"width": 360, "height": 740}}
    async with browsing(app.url, **look) as (page, _):
        await ask(page, "whole")
        await expect(page.get_by_text("思考中…").first).to_be_visible()
        await answered(page)
        await expect(page.get_by_text("已搜索网页：capital of Peru · 5 条结果 · 1.3 秒")).to_be_visible()
        await expect(page.get_by_role("button", name="收起过程")).to_be_in_viewport(ratio=1)
        for trigger in await page.locator(f".step button{LABEL}").all():
            await trigger.click()
        widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        scroll, client = await page.evaluate(widths)
        assert scroll <= client
        assert not re.search(r"Output|Hide|Using|Tokens", await page.inner_text("#root"))


async def test_steps_can_be_opened_by_the_keyboard(app: RunningApp) -> None:
    async with browsing(app.url) as (page, _):
        await ask(page, "short")
        await answered(page)
        thinking = page.get_by_role("button", name="Thought for 1 s", exact=True)
        await thinking.focus()
        await page.keyboard.press("Enter")
        await expect(thinking).to_have_attribute("aria-expanded", "true")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Shift+Tab")
        assert await thinking.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
