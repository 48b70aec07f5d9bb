"""The message box in a real browser: pickers, settings, what waits, and what can be done with an answer."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.chat_client import chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Hold, Pause, error, stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

ANSWER = stream("Answer: Hello there.", thinking="They greet me.")
MODEL, EFFORT = "#mode-picker-trigger-model", "#mode-picker-trigger-effort"


async def pick(page: Page, picker: str, name: str) -> None:
    await page.click(picker)
    await page.get_by_role("option", name=name).click()
    await expect(page.locator(picker)).to_contain_text(name)


@pytest.fixture
def many_models(provider: ProviderServer) -> Any:
    """An endpoint that lists several models."""
    listed, provider.models = provider.models, ["deepseek-flash", "llama-3.3-70b", "deepseek-v3.2", "nomic-embed-text"]
    yield provider
    provider.models = listed


async def test_what_is_picked_holds_from_the_next_message_on(many_models: ProviderServer, tmp_path: Path) -> None:
    provider = many_models
    provider.add(*[ANSWER] * 3)
    with running_app(tmp_path, LLM_API_BASE=provider.api_base, LLM_MODEL="deepseek-flash", MAX_RETRIES="0") as app:
        async with browsing(app.url) as (page, watch):
            await pick(page, EFFORT, "Thinking: max")
            await ask(page, "Hello")
            await answered(page)
            await page.click(MODEL)
            await expect(page.get_by_role("option")).to_have_text(["deepseek-flash", "llama-3.3-70b", "deepseek-v3.2"])
            await page.get_by_role("option", name="llama").click()
            await expect(page.locator(EFFORT)).to_be_hidden()
            await ask(page, "And you?")
            await answered(page)
            await page.focus(MODEL)
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("option").first).to_be_visible()
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("Enter")
            await pick(page, EFFORT, "Thinking: on")
            await ask(page, "And now?")
            await answered(page)
            assert watch.errors == []
    bodies = [request.body for request in provider.requests]
    assert [body["model"] for body in bodies] == ["deepseek-flash", "llama-3.3-70b", "deepseek-v3.2"]
    assert [body.get("reasoning_effort") for body in bodies] == ["max", None, None]
    assert [body.get("thinking") for body in bodies] == [None, None, {"type": "enabled"}]


async def test_with_one_model_there_is_nothing_to_pick_but_the_effort(
    app: RunningApp, provider: ProviderServer
) -> None:
    async with chatting(app.url, language="zh-CN") as chat:
        await chat.until(lambda page: bool(page.modes))
        assert [mode["id"] for mode in chat.page.modes] == ["effort"]
        assert [option["name"] for option in chat.page.modes[0]["options"]][:2] == ["思考：自动", "思考：关闭"]


async def test_a_model_that_is_not_listed_is_not_asked_for(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER)
    async with chatting(app.url) as chat:
        await chat.send("Hello", model="somebody-elses", effort="boundless")
        await chat.until(lambda page: bool(page.answers))
    assert provider.requests[0].body["model"] == "deepseek-flash"
    assert "reasoning_effort" not in provider.requests[0].body


async def test_the_settings_hold_for_the_chat_and_bad_ones_get_a_sentence(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(*[stream("Answer: Hello there.")] * 3)
    async with browsing(app.url) as (page, watch):
        await page.click("#chat-settings-open-modal")
        await page.fill("#max_tokens", "500")
        await page.fill("#max_rounds", "many")
        await page.click("#thinking_shown")
        await page.get_by_role("option", name="Hide it").click()
        await page.click("#chat-settings #confirm")
        await expect(page.get_by_text("“many” is not a number from 1 to 50")).to_be_visible()
        await ask(page, "Hello")
        await answered(page)
        await page.click("#chat-settings-open-modal")
        await expect(page.locator("#max_tokens")).to_have_value("500")
        await expect(page.locator("#max_rounds")).to_have_value("12")
        await expect(page.locator("#thinking_shown")).to_have_text("Hide it")
        await page.get_by_role("button", name="Reset").click()
        await expect(page.locator("#max_tokens")).to_have_value("")
        await expect(page.locator("#thinking_shown")).to_have_text("Fold it when done")
        await page.click("#chat-settings #confirm")
        await ask(page, "And now?")
        await answered(page)
        assert watch.errors == []
    assert [request.body.get("max_tokens") for request in provider.requests] == [500, None]


async def test_hidden_thinking_is_not_sent_to_the_page(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER)
    async with chatting(app.url) as chat:
        await chat.set(thinking_shown="hide")
        await chat.ask("Hello")
        assert "They greet me" not in str(chat.page.steps)


async def test_a_message_sent_while_an_answer_comes_waits_its_turn(app: RunningApp, provider: ProviderServer) -> None:
    first = stream("Answer: One.", thinking="Hm", tail=[Hold(), *stream("").parts])
    provider.add(first, *[stream("Answer: More.")] * 2)
    async with browsing(app.url) as (page, _):
        await ask(page, "1?")
        await expect(page.get_by_text("One.")).to_be_visible()
        for text in ("2?", "3?", "4?"):
            await page.fill("#chat-input", text)
            await page.keyboard.press("Enter")
        await expect(page.locator("#waiting-messages li")).to_have_count(3)
        await page.locator("#waiting-messages li", has_text="4?").get_by_role("button").click()
        await expect(page.locator("#chat-input")).to_have_value("4?")
        provider.release()
        await expect(page.get_by_text("More.")).to_have_count(2, timeout=20_000)
        await answered(page)
        await expect(page.locator("#chat-input")).to_have_value("4?")
        await expect(page.locator("#waiting-messages")).to_be_hidden()
        shown = await page.locator('[data-step-type*="message"] .message-content').all_inner_texts()
    assert [text.strip() for text in shown] == ["1?", "One.", "2?", "More.", "3?", "More."]
    assert [request.last_text for request in provider.requests] == ["1?", "2?", "3?"]


async def test_a_stop_puts_what_waits_back_into_the_box(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: One", tail=[Hold()]))
    async with browsing(app.url) as (page, _):
        await ask(page, "1?")
        await expect(page.get_by_text("One")).to_be_visible()
        await page.fill("#chat-input", "2?")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Escape")
        await answered(page)
        await expect(page.locator("#chat-input")).to_have_value("2?")
    assert len(provider.requests) == 1


UNTIL_COPIED = """async (text) => {
    while (await navigator.clipboard.readText() !== text) await new Promise((resolve) => setTimeout(resolve, 20));
}"""


async def test_a_copy_is_what_the_model_wrote(app: RunningApp, provider: ProviderServer) -> None:
    text = "See localhost:port and key:value.\n\n```\na:b \\: c\n```"
    provider.add(stream(f"Answer: {text}", thinking="Hm."), stream("Answer: Later."))
    async with browsing(app.url, permissions=["clipboard-read", "clipboard-write"]) as (page, watch):
        await ask(page, "Where?")
        await answered(page)
        copy = page.locator('[data-step-type="assistant_message"]').get_by_role("button", name="Copy", exact=True)
        await copy.click()
        await asyncio.wait_for(page.evaluate(UNTIL_COPIED, text), 10)
        await ask(page, "And?")
        await expect(page.get_by_text("Later.")).to_be_visible()
        await answered(page)
        await page.evaluate("navigator.clipboard.writeText('')")
        await copy.first.click()
        await asyncio.wait_for(page.evaluate(UNTIL_COPIED, text), 10)
        assert watch.errors == []


@pytest.mark.parametrize(("button", "name"), [("Web page (HTML)", "chat.html"), ("Markdown", "chat.md")])
async def test_an_answer_is_saved_with_or_without_its_thinking(
    app: RunningApp, provider: ProviderServer, button: str, name: str, tmp_path: Path
) -> None:
    call = 'Thought: I calculate.\nAction: calculate\nAction Input: {"expression": "23*19"}'
    provider.add(stream(call, thinking="A secret thought."), stream("Answer: It is 437, see a:b."))
    texts = []
    async with browsing(app.url, accept_downloads=True) as (page, watch):
        await ask(page, "What is 23*19?")
        await answered(page)
        for all_of_it in (False, True):
            await page.get_by_role("button", name="Save").click()
            for box in ("with the thinking", "with the tools"):
                await page.get_by_label(box).set_checked(all_of_it)
            async with page.expect_download() as download:
                await page.get_by_role("button", name=button).click()
            file = await download.value
            assert file.suggested_filename == name
            await file.save_as(tmp_path / name)
            texts.append((tmp_path / name).read_text("utf-8"))
        assert watch.errors == []
    brief, whole = texts
    assert all("It is 437, see a:b." in text and "What is 23" in text for text in texts)
    assert ("A secret thought." in brief, "A secret thought." in whole) == (False, True)
    assert ("Calculated" in brief, "Calculated" in whole) == (False, True)


async def test_a_second_try_in_the_browser_takes_the_first_ones_place(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(ANSWER, error(500, "boom"), stream("Answer: Good day.", thinking="Hm", tail=[Pause(0.2)]))
    async with browsing(app.url) as (page, _):
        await ask(page, "Hello")
        await answered(page)
        await page.get_by_role("button", name="Without thinking").click()
        await expect(page.get_by_text("problem of its own")).to_be_visible()
        await expect(page.get_by_text("Hello there.")).to_be_hidden()
        await answered(page)
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_text("Good day.")).to_be_visible()
        await expect(page.get_by_text("problem of its own")).to_be_hidden()
        await answered(page)
        await expect(page.get_by_role("button", name="Try again")).to_have_count(1)
    assert [request.body.get("thinking") for request in provider.requests] == [None, {"type": "disabled"}, None]


async def test_an_edit_in_the_browser_replaces_what_came_after(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, ANSWER, stream("Answer: Good day.", thinking="Once more."))
    async with browsing(app.url) as (page, _):
        for question in ("First", "Second"):
            await ask(page, question)
            await answered(page)
        await page.locator("button.edit-message").first.click()
        await page.fill("#edit-chat-input", "First, better")
        await page.click("button.confirm-edit")
        await expect(page.get_by_text("Good day.")).to_be_visible()
        await answered(page)
        shown = await page.locator('[data-step-type*="message"] .message-content').all_inner_texts()
    assert [text.strip() for text in shown] == ["First, better", "Good day."]
