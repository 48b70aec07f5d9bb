"""The question whether a tool may run: its text, and the card in a real Chromium in front of the real agent."""

import json
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import Page, Request, expect

from tests.e2e.browser import Watch, answered, ask, browsing
from tests.e2e.running_app import RunningApp, running_app
from ui.consent import ConsentCard
from ui.revealed import revealed
from ui.texts import ENGLISH

browser_test = pytest.mark.e2e
CARD, LINES = ".consent", '[data-step-type="undefined"]'
URL = "https://attacker.example/?q=\u202eterces **b** <img src=x> key:value\u200b " + "x" * 2000 + "\nEND"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 中文，\u3000é\n\t👍🏽 ❤\ufe0f", "plain, 中文，\u3000é\n\t👍🏽 ❤\ufe0f"),
        ("a\u202eb\u2066c\u200fd", "a‹U+202E›b‹U+2066›c‹U+200F›d"),
        ("a\u200bb\u00adc\ufeffd\u2060e", "a‹U+200B›b‹U+00AD›c‹U+FEFF›d‹U+2060›e"),
        ("a\x00b\x1b[2Jc\rd\x7f\x85", "a‹U+0000›b‹U+001B›[2Jc‹U+000D›d‹U+007F›‹U+0085›"),
        ("a\u2028b\u00a0c\u3164d\u115fe", "a‹U+2028›b‹U+00A0›c‹U+3164›d‹U+115F›e"),
        ("\U000e0041\U000e0101\ufe00\ud800\ue000", "‹U+E0041›‹U+E0101›‹U+FE00›‹U+D800›‹U+E000›"),
    ],
)
def test_nothing_is_hidden_in_what_is_shown(text: str, shown: str) -> None:
    assert revealed(text) == shown


@given(st.text())
def test_what_is_shown_is_visible_and_tells_the_text_exactly(text: str) -> None:
    shown = revealed(text)
    assert all(one in "\n\t" or unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Cn", "Co"} for one in shown)
    assert re.sub(r"‹U\+([0-9A-F]{4,6})›", lambda one: chr(int(one[1], 16)), shown) == text or "‹U+" in text


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"request": "x", "answer": "allow"},
        {"request": "", "answer": "maybe"},
        {"request": ["x"], "answer": "allow"},
        {"answer": "always"},
    ],
)
def test_an_answer_to_nothing_decides_nothing(payload: dict[str, Any]) -> None:
    assert ConsentCard(ENGLISH).answer(payload) is False


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app="tests/ui/app_that_asks.py") as server:
        yield server


@pytest.fixture
async def page(server: RunningApp) -> AsyncIterator[Page]:
    async with browsing(server.url, locale="en-US") as (page, watch):
        yield page
        assert watch == Watch()


async def choose(page: Page, choice: str) -> None:
    await page.click(f'{CARD} [data-choice="{choice}"]:not([disabled])')


async def card_is_shown(page: Page) -> None:
    await page.locator(CARD).wait_for()


@browser_test
async def test_the_card_says_all_that_will_run_and_why_and_allowing_leaves_a_line(page: Page) -> None:
    await ask(page, json.dumps({"url": URL, "part": 2}))
    await card_is_shown(page)
    assert await page.locator(f"{CARD} dt").all_inner_texts() == ["url", "part"]
    values = [await value.text_content() for value in await page.locator(f"{CARD} dd").all()]
    assert values == [URL.replace("\u202e", "‹U+202E›").replace("\u200b", "‹U+200B›"), "2"]
    assert await page.locator(f"{CARD} dd").first.evaluate("dd => dd.scrollHeight > dd.clientHeight"), "it scrolls"
    assert await page.locator(f"{CARD} :is(img, strong)").count() == 0
    assert "(a web search)" in await page.inner_text(f"{CARD} .consent-why")
    await choose(page, "allow")
    await answered(page)
    assert await page.locator(CARD).count() == 0
    line = await page.inner_text(LINES)
    assert line.startswith("You allowed: Read https://attacker.example/?q=‹U+202E›terces **b** <img src=x>")
    await expect(page.get_by_text("That is all.")).to_be_visible()


@browser_test
async def test_a_no_is_kept_and_the_turn_goes_on(page: Page) -> None:
    await ask(page, '{"url": "https://a.example/"}')
    await choose(page, "deny")
    await answered(page)
    assert await page.inner_text(LINES) == "You did not allow: Read https://a.example/"
    await expect(page.get_by_text("The user did not allow this call of read_page")).to_be_visible()
    await expect(page.get_by_text("That is all.")).to_be_visible()


@browser_test
async def test_always_is_asked_once_and_allow_every_time(page: Page) -> None:
    await ask(page, json.dumps([{"url": f"https://a.example/{number}"} for number in range(4)]))
    await choose(page, "allow")
    await expect(page.locator(LINES)).to_have_count(1)
    await choose(page, "always")
    await answered(page)
    assert await page.locator(LINES).all_inner_texts() == [
        "You allowed: Read https://a.example/0",
        "You always allow read_page in this chat: Read https://a.example/1",
    ]


@browser_test
async def test_stop_takes_the_card_away_at_once(page: Page) -> None:
    await ask(page, '{"url": "https://a.example/"}')
    await card_is_shown(page)
    await page.click("#stop-button")
    await page.locator(CARD).wait_for(state="detached", timeout=2_000)
    await answered(page)
    await expect(page.get_by_text("Stopped.")).to_be_visible()
    assert await page.get_by_text("You allowed").count() == 0


@browser_test
async def test_keys_meant_for_the_message_box_allow_nothing(page: Page) -> None:
    await ask(page, '{"url": "https://a.example/"}')
    await card_is_shown(page)
    await page.wait_for_function("document.activeElement.textContent === 'Do you allow this?'")
    for key in ("Enter", "Space", "Enter"):
        await page.keyboard.press(key)
    await page.wait_for_selector(f'{CARD} [data-choice="deny"]:not([disabled])')
    for key in ("Enter", "Space"):
        await page.keyboard.press(key)
    names = []
    for _ in range(4):
        await page.keyboard.press("Tab")
        names.append(await page.evaluate("document.activeElement.textContent"))
    assert names == ["https://a.example/", "1", "Allow", "Deny"]
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You did not allow")).to_be_visible()


@browser_test
async def test_who_is_writing_is_not_torn_away_and_the_card_outlives_a_new_look(page: Page) -> None:
    await ask(page, json.dumps([{"url": "https://a.example/0"}, {"url": "https://a.example/1"}]))
    await card_is_shown(page)
    await page.fill("#chat-input", "My next question")
    await choose(page, "deny")
    await expect(page.locator(LINES)).to_have_count(1)
    await card_is_shown(page)
    assert await page.evaluate("document.activeElement.id") == "chat-input"
    await expect(page.locator(f"{CARD} [role=status].sr-only")).to_contain_text("Do you allow this?")
    await page.click("#theme-toggle")
    await page.locator('[role="menuitem"]').nth(1).click()
    await choose(page, "allow")
    await answered(page)
    assert "You allowed: Read https://a.example/1" in await page.locator(LINES).all_inner_texts()


@browser_test
async def test_only_the_session_that_was_asked_can_answer_and_only_once(page: Page, server: RunningApp) -> None:
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.url.endswith("/project/action") else None)
    two_calls = json.dumps([{"url": "https://a.example/0"}, {"url": "https://a.example/1"}])
    await ask(page, two_calls)
    await choose(page, "deny")
    await expect(page.locator(LINES)).to_have_count(1)
    await card_is_shown(page)
    first = sent[0].post_data_json
    late = {**first, "action": {**first["action"], "payload": {**first["action"]["payload"], "answer": "always"}}}
    assert await answer_of(page, late) is False
    assert await page.locator(CARD).count() == 1, "the second question is still open"

    async with browsing(server.url, locale="en-US") as (other, _):
        others: list[Request] = []
        other.on("request", lambda request: others.append(request) if request.url.endswith("/project/action") else None)
        await ask(other, '{"url": "https://b.example/"}')
        await choose(other, "deny")
        await answered(other)
        foreign_session = others[0].post_data_json["sessionId"]
        assert await answer_of(other, {**late, "sessionId": foreign_session}) is False
    double = page.locator(f'{CARD} [data-choice="allow"]:not([disabled])')
    await double.dblclick()
    await answered(page)
    assert await page.locator(LINES).all_inner_texts() == [
        "You did not allow: Read https://a.example/0",
        "You allowed: Read https://a.example/1",
    ]
    assert len(sent) == 3


async def answer_of(page: Page, body: dict[str, Any]) -> Any:
    """What the server says to an answer that is sent past the card."""
    send = """body => fetch('/project/action', {
        method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)
    }).then(reply => reply.json())"""
    return (await page.evaluate(send, body))["response"]


@browser_test
async def test_an_answer_that_does_not_get_through_can_be_given_again(server: RunningApp) -> None:
    async with browsing(server.url, locale="en-US") as (page, _):
        await ask(page, '{"url": "https://a.example/"}')
        await card_is_shown(page)
        await page.route("**/project/action", lambda route: route.abort())
        await choose(page, "allow")
        await expect(page.get_by_text("Your answer did not get through. Please try again.")).to_be_visible()
        await page.unroute("**/project/action")
        await choose(page, "allow")
        await answered(page)
        await expect(page.get_by_text("You allowed: Read https://a.example/")).to_be_visible()


@browser_test
async def test_silence_is_a_no_and_told_so(server: RunningApp) -> None:
    async with browsing(server.url, locale="de-DE") as (page, _):  # the app waits but four seconds for this language
        await ask(page, '{"url": "https://a.example/"}')
        await card_is_shown(page)
        await answered(page)
        assert await page.locator(CARD).count() == 0
        assert await page.inner_text(LINES) == "No answer in time, so this was not done: Read https://a.example/"


@browser_test
async def test_it_is_asked_in_chinese(server: RunningApp) -> None:
    async with browsing(server.url, locale="zh-CN") as (page, _):
        await ask(page, '{"url": "https://a.example/"}')
        await card_is_shown(page)
        assert await page.inner_text(f"{CARD} h2") == "允许这样做吗？"
        assert await page.locator(f"{CARD} button").all_inner_texts() == ["允许", "拒绝", "在此对话中始终允许"]
        await choose(page, "allow")
        await answered(page)
        assert await page.inner_text(LINES) == "你已允许：阅读 https://a.example/"
