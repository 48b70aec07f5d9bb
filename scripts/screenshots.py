"""Takes the README's pictures from the real app: `python -m scripts.screenshots`. The model's words are scripted."""

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from tests.e2e.browser import FLAGS, ask
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import stream
from tests.provider.server import ProviderServer

OUT = Path(__file__).parent.parent / "docs"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1000, "height": 900}, "device_scale_factor": 1.5}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2}

THINKING = """A bat and a ball cost 1.10 together, and the bat costs 1.00 more than the ball.

The quick guess is 0.10 for the ball. But then the bat would cost 1.10 and both together 1.20, so that is wrong.

Let the ball cost x. Then the bat costs x + 1.00, and together x + x + 1.00 = 1.10. So 2x = 0.10. I should work that \
out exactly and check it."""
CALL = 'Thought: I will work it out exactly.\nAction: calculate\nAction Input: {"expression": "(1.10 - 1.00) / 2"}'
ANSWER = """Thought: The calculator confirms it.
Answer: The ball costs **0.05**.

| | ball | bat | together |
|---|---|---|---|
| costs | 0.05 | 1.05 | 1.10 |

The quick guess of 0.10 fails the check: the bat would then cost 1.10, and both together 1.20."""
QUESTION = "A bat and a ball cost 1.10 together, and the bat costs 1.00 more than the ball. What does the ball cost?"

CHINESE_THINKING = "球拍和球一共 1.10 元，球拍比球贵 1.00 元。设球为 x 元，则 2x + 1.00 = 1.10，我来精确计算并验证。"
CHINESE_CALL = '思考：我来精确计算。\n行动：calculate\n行动输入：{"expression": "(1.10 - 1.00) / 2"}'
CHINESE_ANSWER = "思考：计算结果证实了。\n回答：球的价格是 **0.05 元**，球拍是 1.05 元，一共正好 1.10 元。"
CHINESE_QUESTION = "球拍和球一共 1.10 元，球拍比球贵 1.00 元。球多少钱？"


async def take(browser: Browser, app: RunningApp, provider: ProviderServer, name: str, **look: Any) -> None:
    """One picture of a turn that is over."""
    is_chinese = look.get("locale") == "zh-CN"
    thinking, call, answer = (
        (CHINESE_THINKING, CHINESE_CALL, CHINESE_ANSWER) if is_chinese else (THINKING, CALL, ANSWER)
    )
    provider.add(stream(call, thinking=thinking, pause=0.02), stream(answer, thinking="That fits.", pause=0.01))
    context = await browser.new_context(**look)
    page = await context.new_page()
    await page.goto(app.url)
    await ask(page, CHINESE_QUESTION if is_chinese else QUESTION)
    await page.wait_for_selector("#stop-button")
    await page.wait_for_selector("#chat-submit")
    await page.locator('[data-step-type="llm"] button').first.click()  # opens the first thinking again
    await page.wait_for_function("document.getAnimations().every(a => a.playState !== 'running')")
    await page.screenshot(path=OUT / f"{name}.png")
    await context.close()


async def main() -> None:
    OUT.mkdir(exist_ok=True)
    with (
        ProviderServer() as provider,
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder), LLM_API_BASE=provider.api_base, LLM_MODEL="deepseek-flash") as app,
    ):
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            await take(browser, app, provider, "light", color_scheme="light", **DESKTOP)
            await take(browser, app, provider, "dark", color_scheme="dark", **DESKTOP)
            await take(browser, app, provider, "phone", color_scheme="light", **PHONE)
            await take(browser, app, provider, "chinese", color_scheme="dark", locale="zh-CN", **PHONE)


if __name__ == "__main__":
    asyncio.run(main())
