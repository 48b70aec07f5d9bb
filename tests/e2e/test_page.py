"""What people see: the real app in a real Chromium, with a provider that replays a script."""

import contextlib
import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from playwright.async_api import TimeoutError as NotYet

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import Drop, Hold, Pause, error, stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

THINKING = '[data-step-type="llm"]'
CALL = 'Thought: I will work it out.\nAction: calculate\nAction Input: {"expression": "23*19"}'
ANSWER = "Thought: Now I know.\nAnswer: It is **437**, see localhost:port."

KEEP_ALL_TEXT = """
window.seen = new Set();
new MutationObserver(() => window.seen.add(document.body.innerText))
    .observe(document.body, {subtree: true, childList: true, characterData: true});
"""


def title(page: Page, kind: str = THINKING) -> Any:
    return page.locator(f'{kind} [id^="step-"] button, {kind} p[id^="step-"]')


async def test_a_turn_with_a_tool_looks_as_it_should(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(
        stream(CALL, thinking="They ask for 23 times 19. " * 8, pause=0.02),
        stream(ANSWER, thinking="Good.", pause=0.02),
    )
    async with browsing(app.url) as (page, watch):
        await page.evaluate(KEEP_ALL_TEXT)
        await ask(page, "What is 23*19?")
        await expect(page.locator(THINKING).first).to_contain_text("Thinking…")
        await expect(page.get_by_text("They ask for 23 times 19.").first).to_be_visible()
        await answered(page)
        await expect(page.get_by_text("They ask for 23 times 19.").first).to_be_hidden()
        shown = await page.locator("[data-step-type]").all_inner_texts()
        seen = await page.evaluate("[...window.seen].join('\\n')")
    lines = [re.sub(r"\s+", " ", text).strip() for text in shown]
    assert re.fullmatch(r"Thought for \d s", lines.pop(2))
    assert lines[1:-2] == [
        "What is 23*19?",
        "I will work it out.",
        "Calculated 23*19",
        "Thought for a moment",
        "Now I know.",
    ]
    assert lines[-2].startswith("It is 437, see localhost:port.")
    assert re.fullmatch(r"2 rounds · 1 tool · \d s ?Hide the steps", lines[-1])
    assert not re.search(r"Thought:|Action:|Action Input|Answer:|<think|Observation", seen)
    assert watch.foreign == []
    assert watch.errors == []


async def test_the_answer_is_below_the_steps_and_comes_piece_by_piece(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(stream("Answer: " + "word " * 30, thinking="Hm.", pause=0.02, tail=[Hold()]))
    async with browsing(app.url) as (page, _):
        await ask(page, "Talk")
        answer = page.locator('[data-step-type="assistant_message"]')
        await expect(answer).to_contain_text("word word")
        assert await page.locator("#stop-button").is_visible()
        steps, message = await page.locator(THINKING).bounding_box(), await answer.bounding_box()
        assert steps
        assert message
        assert steps["y"] < message["y"]
        provider.release()
        await page.click("#stop-button")
        await answered(page)


async def test_stop_keeps_what_was_seen_and_says_so(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: As far as I know", thinking="Hm.", tail=[Hold()]), stream("Answer: Yes."))
    async with browsing(app.url) as (page, _):
        await ask(page, "Why?")
        await expect(page.get_by_text("As far as I know")).to_be_visible()
        await page.click("#stop-button")
        await answered(page)
        await expect(page.get_by_text("As far as I know")).to_be_visible()
        await expect(page.get_by_text(re.compile(r"^\s*Stopped after \d+ s$"))).to_be_visible()
        assert "manually" not in await page.inner_text("body")
        await ask(page, "Again?")
        await expect(page.get_by_text("Yes.")).to_be_visible()


@pytest.mark.parametrize("tail", [[Pause(0.2), Drop()], []], ids=["dropped", "ended early"])
async def test_a_broken_stream_keeps_its_text_and_says_what_to_do(
    app: RunningApp, provider: ProviderServer, tail: list[Any]
) -> None:
    provider.add(stream("Answer: The first half", tail=tail))
    async with browsing(app.url) as (page, _):
        await ask(page, "Tell me")
        await expect(page.get_by_text("The first half")).to_be_visible()
        await expect(page.get_by_text("Ask again to go on.")).to_be_visible()


async def test_a_chinese_page_is_chinese(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(
        stream(CALL, thinking="想一想"), stream("思考：好了。\n回答：等于 437。"), error(402, "Insufficient Balance")
    )
    async with browsing(app.url, locale="zh-SG") as (page, watch):
        for label in ("想一想", "问天气", "搜索网页", "精确计算"):
            await expect(page.get_by_role("button", name=label)).to_be_visible()
        await expect(page.get_by_text(re.compile("上的 deepseek-flash 回答"))).to_be_visible()
        await ask(page, "23*19 等于多少？")
        await expect(page.get_by_text("等于 437。", exact=True)).to_be_visible()
        await expect(page.get_by_text("思考了片刻").first).to_be_visible()
        await expect(page.get_by_text("已计算 23*19")).to_be_visible()
        await answered(page)
        await ask(page, "再来")
        await expect(page.get_by_text("余额不足")).to_be_visible()
        assert await page.evaluate("document.documentElement.lang") == "zh-SG"
        assert watch.foreign == []


async def test_a_starter_asks_its_question(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: Five cents."))
    async with browsing(app.url) as (page, _):
        await expect(page.locator("#starters button")).to_have_count(4)
        starter = page.get_by_role("button", name="Think it through")
        while await starter.is_visible():  # while the page is built up, it may lose a click
            with contextlib.suppress(NotYet):
                await starter.click(timeout=1000)
        await expect(page.get_by_text("Five cents.")).to_be_visible()
    assert "bat and a ball" in provider.requests[0].question


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_phone_needs_no_sideways_scroll(app: RunningApp, provider: ProviderServer, scheme: str) -> None:
    wide = "| a | b | c |\n|---|---|---|\n| " + "wide" * 30 + " | x | y |\n\n`" + "code" * 40 + "`"
    provider.add(stream(f"Answer: {wide}", thinking="A" * 200, size=40))
    async with browsing(app.url, color_scheme=scheme, viewport={"width": 360, "height": 740}) as (page, watch):
        await ask(page, "Show " + "wide" * 30)
        await expect(page.locator("table")).to_be_visible()
        await answered(page)
        widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        scroll, client = await page.evaluate(widths)
        assert scroll <= client
        assert await page.evaluate("document.documentElement.className") == scheme
        assert watch.errors == []


async def test_ten_thousand_tokens_at_speed_leave_the_page_usable(app: RunningApp, provider: ProviderServer) -> None:
    count = 10_000
    provider.add(stream("Answer: All counted.", thinking=" tok" * count, size=4, pause=0.0005))
    async with browsing(app.url) as (page, _):
        await ask(page, "Count")
        await expect(page.get_by_text("All counted.")).to_be_visible(timeout=60_000)
        await page.locator(f"{THINKING} button").first.click()
        text = await page.locator(f"{THINKING} .message-content").inner_text()
        assert text.split() == ["tok"] * count


async def test_another_way_to_chat_can_be_picked(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Without any tools.", thinking="Hm."))
    async with browsing(app.url) as (page, _):
        await page.get_by_role("combobox").click()
        await page.get_by_role("option", name="Plain chat").click()
        await expect(page.locator("#starters button")).to_have_count(4)
        await ask(page, "Hello")
        await expect(page.get_by_text("Without any tools.")).to_be_visible()
    assert "tools" not in provider.requests[0].body
