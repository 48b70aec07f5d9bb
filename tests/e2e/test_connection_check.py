"""Checking the connection from the page: over the socket, and as people see it in a browser."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.e2e.browser import browsing
from tests.e2e.chat_client import ChatClient, chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Hold, error, stream
from tests.provider.server import ProviderServer
from ui.export import copyable

pytestmark = pytest.mark.e2e

ANSWER = stream("42", thinking="17 plus 25 is 42.")


async def the_button(chat: ChatClient) -> dict[str, Any]:
    await chat.until(lambda page: bool(page.buttons))
    return chat.page.buttons[0]


async def checked(chat: ChatClient) -> dict[str, Any]:
    """The new step, once the button was pressed and its work is done."""
    button = await the_button(chat)
    known = set(chat.page.steps)
    assert await chat.press(button) == 200
    await chat.until(lambda page: any(step["end"] for key, step in page.steps.items() if key not in known))
    return next(step for key, step in chat.page.steps.items() if key not in known)


async def test_a_press_shows_what_was_found(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER)
    async with chatting(app.url) as chat:
        button = await the_button(chat)
        line = chat.page.steps[button["forId"]]
        assert "LLM_API_BASE" in line["output"]
        assert button["label"] == "Check the connection"
        step = await checked(chat)
    assert step["name"] == "The connection works."
    assert copyable(step["output"]).splitlines()[0] == f"- Endpoint: <{provider.api_base}>"
    assert "- Thinking: arrives in the field reasoning_content" in step["output"].splitlines()
    assert step["output"].splitlines()[-1].startswith("- Python: ")
    assert len(step["output"].splitlines()) == 8


async def test_what_is_wrong_is_said_in_the_language_of_the_page(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(error(401, "your key sk-test is wrong"))
    async with chatting(app.url, language="zh-CN") as chat:
        step = await checked(chat)
    assert step["name"].startswith("连接不可用：")
    assert "密钥：已设置" in step["output"]
    assert "sk-test" not in str(chat.page.steps)


async def test_a_second_press_while_one_is_under_way_asks_nobody(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("4", tail=[Hold(), *ANSWER.parts]))
    async with chatting(app.url) as chat:
        button = await the_button(chat)
        first = asyncio.create_task(chat.press(button))
        await asyncio.to_thread(provider.wait_for_request, 1)
        assert await chat.press(button) == 200
        provider.release()
        assert await first == 200
        assert len(chat.page.story) == 2
    assert len(provider.requests) == 1


async def test_a_chat_goes_on_after_a_check_and_knows_nothing_of_it(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, stream("Answer: Hello."))
    async with chatting(app.url) as chat:
        await checked(chat)
        assert await chat.ask("Hi") == "Hello."
    assert [m["content"] for m in provider.requests[1].body["messages"][1:]] == ["Hi"]


async def test_without_a_model_in_the_settings_the_first_one_listed_answers(
    provider: ProviderServer, tmp_path: Path
) -> None:
    provider.add(stream("Answer: One."), stream("Answer: Two."), ANSWER)
    provider.listings.clear()
    with running_app(tmp_path, LLM_API_BASE=provider.api_base, MAX_RETRIES="0") as app:
        async with chatting(app.url) as chat:
            await chat.until(lambda page: any("deepseek-flash on 127.0.0.1" in name for _, name in page.story))
            assert [await chat.ask(question) for question in ("1?", "2?")] == ["One.", "Two."]
            assert "Model: deepseek-flash" in (await checked(chat))["output"]
        assert "Traceback" not in app.printed()
    assert [request.body["model"] for request in provider.requests] == ["deepseek-flash"] * 3
    assert len(provider.listings) == 1


async def test_without_a_model_anywhere_the_line_and_the_check_say_so(tmp_path: Path, provider: ProviderServer) -> None:
    with running_app(tmp_path, LLM_API_BASE="http://127.0.0.1:9/v1") as app:
        async with chatting(app.url) as chat:
            step = await checked(chat)
            line = chat.page.steps[chat.page.buttons[0]["forId"]]
    assert "can't be reached" in line["name"]
    assert "can't be reached" in step["name"]


async def test_the_line_opens_to_the_button_and_the_result_stands_open(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(ANSWER)
    async with browsing(app.url) as (page, watch):
        await page.get_by_role("button", name=re.compile("deepseek-flash on 127.0.0.1")).click()
        await page.get_by_role("button", name="Check the connection").click()
        await expect(page.get_by_text("The connection works.")).to_be_visible()
        await expect(page.get_by_text("Thinking: arrives in the field reasoning_content")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert (watch.errors, watch.foreign) == ([], [])
