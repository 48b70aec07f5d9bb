"""The page for everybody: axe-core's rules, keys, names, what is read aloud, and no request to another host."""

import json
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import Hold, stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")
CALL = 'Thought: I will work it out.\nAction: calculate\nAction Input: {"expression": "23*19"}'
ANSWER = "Answer: It is **437**.\n\n| a | |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n\n`code` and [this](#a)."
DESKTOP, PHONE = {"width": 1180, "height": 860}, {"width": 360, "height": 740}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": DESKTOP},
    "dark": {"color_scheme": "dark", "viewport": DESKTOP},
    "Chinese phone": {"color_scheme": "light", "viewport": PHONE, "locale": "zh-CN"},
    "dark phone": {"color_scheme": "dark", "viewport": PHONE, "has_touch": True},
}
OPEN_ALL = """document.querySelectorAll('.step button[aria-expanded="false"]').forEach((step) => step.click())"""
LISTEN = """
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function () { return attach.call(this, { mode: 'open' }); };
window.heard = [];
document.addEventListener('DOMContentLoaded', () => setInterval(() => {
    const said = document.querySelector('#announcer')?.shadowRoot.textContent;
    if (said && said !== window.heard.at(-1)) window.heard.push(said);
}, 20));
"""


async def violations(page: Page) -> list[str]:
    """What axe-core objects to, one line for each place."""
    await page.evaluate(AXE)
    await page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0)))")
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{rule['id']}: {json.dumps(node['target'])} {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


async def a_finished_turn(page: Page, provider: ProviderServer) -> None:
    provider.add(stream(CALL, thinking="They ask for 23 times 19."), stream(ANSWER, thinking="Good."))
    await ask(page, "What is 23*19?")
    await expect(page.get_by_text("437").first).to_be_visible()
    await answered(page)
    await expect(page.locator("button:has(> svg.lucide-download)")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
async def test_axe_finds_nothing(app: RunningApp, provider: ProviderServer, look: dict[str, Any]) -> None:
    async with browsing(app.url, **look) as (page, _):
        await page.wait_for_selector("#mode-picker-trigger-effort")
        found = {"first page": await violations(page)}
        await page.click("#mode-picker-trigger-effort")
        await expect(page.locator("#mode-picker-popover-effort")).to_be_visible()
        found["picker"] = await violations(page)
        await page.keyboard.press("Escape")
        await page.click("#chat-settings-open-modal")
        await expect(page.locator("#chat-settings")).to_be_visible()
        found["settings"] = await violations(page)
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+/")
        await expect(page.locator("#keys")).to_be_visible()
        found["keys"] = await violations(page)
        await page.keyboard.press("Escape")
        await a_finished_turn(page, provider)
        found["turn"] = await violations(page)
        await page.locator("button:has(> svg.lucide-download)").click()
        await expect(page.locator("#save")).to_be_visible()
        found["saving"] = await violations(page)
        await page.keyboard.press("Escape")
        await page.evaluate(OPEN_ALL)
        found["open steps"] = await violations(page)
        await page.locator("#header #sidebar-trigger-button").click()
        await expect(page.locator('#thread-history a[href*="/thread/"]').first).to_be_in_viewport()
        found["sidebar"] = await violations(page)
    objections = [f"{place}: {one}" for place, ones in found.items() for one in ones]
    assert objections == [], "\n".join(objections)


NAMELESS = """
[...document.querySelectorAll('button, [role="button"], [role="combobox"], a[href], textarea, input')]
    .filter((one) => one.checkVisibility() && !(one.ariaLabel || one.innerText?.trim() || one.labels?.length))
    .map((one) => one.outerHTML.slice(0, 200))
"""
ICON_BUTTONS = """
[...document.querySelectorAll('button, textarea')]
    .filter((one) => one.checkVisibility() && one.ariaLabel)
    .map((one) => one.ariaLabel)
"""


@pytest.mark.parametrize(
    ("locale", "names"),
    [
        ("en-GB", {"New chat", "Way to chat", "Light or dark", "Your message", "Settings", "Send", "Copy"}),
        ("zh-HK", {"新对话", "对话方式", "浅色或深色", "你的消息", "设置", "发送", "复制"}),
        ("fr-CA", {"New chat", "Way to chat", "Light or dark", "Your message", "Settings", "Send", "Copy"}),
    ],
)
async def test_every_button_has_a_name_in_the_language_of_the_page(
    app: RunningApp, provider: ProviderServer, locale: str, names: set[str]
) -> None:
    async with browsing(app.url, locale=locale) as (page, _):
        await a_finished_turn(page, provider)
        assert await page.evaluate(NAMELESS) == []
        assert names <= set(await page.evaluate(ICON_BUTTONS))
        assert await page.evaluate("document.documentElement.lang") == locale


async def test_what_goes_on_is_said_aloud_and_the_answer_once_and_whole(
    app: RunningApp, provider: ProviderServer
) -> None:
    long = "It is 437. " + "And so on. " * 60
    provider.add(stream(CALL, thinking="They ask. " * 20, pause=0.04), stream(f"Answer: {long}", size=8, pause=0.03))
    async with browsing(app.url) as (page, _):
        await page.add_init_script(LISTEN)
        await page.reload()
        await page.wait_for_selector("#mode-picker-trigger-effort")
        await ask(page, "What is 23*19?")
        await answered(page)
        await page.wait_for_function("window.heard.at(-1)?.startsWith('Answer')")
        heard = await page.evaluate("window.heard")
    assert heard[-1] == f"Answer: {long.strip()}"
    assert heard[0].startswith("Thinking")
    assert len(heard) <= 4


async def test_the_keys_are_shown_and_work(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream(thinking="Hm", tail=[Hold()]), stream("Answer: Yes."))
    focused = "document.activeElement?.id"
    async with browsing(app.url) as (page, watch):
        await page.wait_for_selector("#mode-picker-trigger-effort")
        await ask(page, "Why?")
        await expect(page.locator("#stop-button")).to_be_visible()
        assert await page.evaluate(focused) == "chat-input"
        await page.keyboard.press("Control+/")
        await expect(page.get_by_role("heading", name="Keys and help")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#keys")).to_be_hidden()
        assert await page.locator("#stop-button").is_visible(), "Esc closes the dialog and nothing else"
        await page.keyboard.press("Escape")
        await answered(page)
        await expect(page.get_by_text("Stopped after")).to_be_visible()
        await page.wait_for_function(f"{focused} === 'chat-input'")
        await page.keyboard.press("Control+Shift+O")
        await expect(page.locator("#new-chat-dialog")).to_be_visible()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.locator("#new-chat-dialog #confirm").press("Enter")
        await expect(page.get_by_text("Stopped after")).to_be_hidden()
        await page.wait_for_function(f"{focused} === 'chat-input'")
        await page.keyboard.type("Again?")
        await page.wait_for_selector("#chat-submit:not([disabled])")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Yes.")).to_be_visible()
        assert watch.errors == []


async def test_the_question_before_a_new_chat_can_be_answered_with_no(
    app: RunningApp, provider: ProviderServer
) -> None:
    async with browsing(app.url) as (page, _):
        await a_finished_turn(page, provider)
        await page.keyboard.press("Control+Shift+O")
        await page.get_by_role("button", name="Cancel").press("Enter")
        await expect(page.locator("#new-chat-dialog")).to_be_hidden()
        await expect(page.locator("pre").get_by_text("What is 23*19?")).to_be_visible()


async def test_everything_is_reached_with_the_tab_key(app: RunningApp, provider: ProviderServer) -> None:
    reached = []
    async with browsing(app.url) as (page, _):
        await a_finished_turn(page, provider)
        await page.focus("#new-chat-button")
        for _ in range(40):
            await page.keyboard.press("Tab")
            reached.append(
                await page.evaluate(
                    "document.activeElement.ariaLabel ?? document.activeElement.innerText?.trim() ?? ''"
                )
            )
    order = ["Way to chat", "About", "Light or dark", "Edit this message", "Copy", "Try again"]
    order += ["Without thinking", "Think harder", "Save", "Your message", "Settings", "Thinking: auto", "Keys"]
    assert [name for name in reached if name in order][: len(order)] == order


async def test_the_connection_can_be_checked_at_any_time(app: RunningApp, provider: ProviderServer) -> None:
    async with browsing(app.url) as (page, _):
        await a_finished_turn(page, provider)
        provider.add(stream("4", thinking="2 and 2"))
        await page.get_by_role("link", name="Keys").click()
        await page.locator("#keys").get_by_role("button", name="Check the connection").click()
        await expect(page.get_by_text("The connection works.")).to_be_visible()


async def test_a_whole_turn_asks_nobody_but_the_server(app: RunningApp, provider: ProviderServer) -> None:
    async with browsing(app.url) as (page, watch):
        requests = list[str]()
        page.on("request", lambda request: requests.append(request.url))
        page.on("websocket", lambda socket: requests.append(socket.url))
        await page.reload()
        await a_finished_turn(page, provider)
        await page.click("#chat-settings-open-modal")
        await page.keyboard.press("Escape")
        await page.evaluate(OPEN_ALL)
    own = (app.url, app.url.replace("http", "ws"), "data:", "blob:")
    assert any("/scripts/names.js" in url for url in requests)
    assert [url for url in requests if not url.startswith(own)] == []
    assert (watch.foreign, watch.errors) == ([], [])


async def test_nothing_moves_for_those_who_do_not_like_it(app: RunningApp, provider: ProviderServer) -> None:
    moving = "document.getAnimations().filter((one) => one.effect.getComputedTiming().duration > 50).length"
    provider.add(stream(thinking="Hm", tail=[Hold()]))
    async with browsing(app.url, reduced_motion="reduce") as (page, _):
        await page.wait_for_selector("#mode-picker-trigger-effort")
        await ask(page, "Why?")
        await expect(page.get_by_text("Hm", exact=True)).to_be_visible()
        assert await page.evaluate(moving) == 0
        await page.keyboard.press("Escape")
        await answered(page)


async def test_a_narrow_phone_scrolls_in_one_direction(app: RunningApp, provider: ProviderServer) -> None:
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    async with browsing(app.url, viewport=PHONE) as (page, _):
        await page.wait_for_selector("#mode-picker-trigger-effort")
        assert await page.evaluate(fits)
        await page.click("#chat-settings-open-modal")
        await expect(page.locator("#chat-settings")).to_be_visible()
        assert await page.evaluate(fits)
        await page.keyboard.press("Escape")
        await expect(page.locator("#chat-settings")).to_be_hidden()
        await page.keyboard.press("Control+/")
        await expect(page.locator("#keys")).to_be_visible()
        assert await page.evaluate(fits)
        await page.keyboard.press("Escape")
        await a_finished_turn(page, provider)
        assert await page.evaluate(fits)
