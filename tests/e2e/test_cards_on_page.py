"""Cards and citations as people see them: a real page, with one card of each kind and an answer that cites."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import Watch, answered, ask, browsing
from tests.e2e.chat_client import chatting
from tests.e2e.running_app import RunningApp, running_app

pytestmark = pytest.mark.e2e

CARRIER = '[data-step-type="system_message"]'
ANSWER = '[data-step-type="assistant_message"]'


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("app"), app="tests/ui/app_with_cards.py") as server:
        yield server


@pytest.fixture
async def shown(server: RunningApp) -> AsyncIterator[tuple[Page, Watch]]:
    """The page after a turn with every card."""
    async with browsing(server.url, viewport={"width": 1000, "height": 900}) as (page, watch):
        await ask(page, "Show me")
        await answered(page)
        await expect(page.locator(".tg-citations")).to_be_visible()
        yield page, watch


@pytest.fixture
def page(shown: tuple[Page, Watch]) -> Page:
    return shown[0]


async def test_cards_stand_below_their_step_in_order_without_being_opened(shown: tuple[Page, Watch]) -> None:
    page, watch = shown
    for card in (".tg-weather", ".tg-picture img", ".tg-table", ".js-plotly-plot .bars", ".tg-file"):
        await expect(page.locator(card).first).to_be_visible()
    kinds = ".tg-weather, .tg-picture, .tg-table, .js-plotly-plot, .tg-file"
    names = await page.locator(kinds).evaluate_all(
        "cards => cards.map(card => card.className.match(/tg-(?!card)\\w+|plotly/)[0])"
    )
    assert names == ["tg-weather", "tg-picture", "tg-table", "plotly", "tg-file"]
    step, first = page.locator('[data-step-type="tool"]').last, page.locator(CARRIER).first
    below, above = await first.bounding_box(), await step.bounding_box()
    assert above
    assert below
    assert above["y"] < below["y"]
    assert watch.foreign == []
    assert watch.errors == []


async def test_a_carrier_is_no_answer(server: RunningApp) -> None:
    async with chatting(server.url) as chat:
        assert "tram museum" in await chat.ask("Show me")
        assert len(chat.page.answers) == 1
        carriers = chat.page.of_type("system_message")
        assert [carrier["output"] for carrier in carriers] == [""] * 5
        tool = chat.page.of_type("tool")[-1]
        assert {carrier["parentId"] for carrier in carriers} == {tool["id"]}


async def test_sources_stand_in_the_opened_step_as_text(page: Page) -> None:
    await page.locator('[data-step-type="tool"] button[id^="step-"]').first.click()
    cards = page.locator(".tg-source")
    await expect(cards).to_have_count(3)
    await expect(page.get_by_text("What the model was given.")).to_be_hidden()
    assert await cards.locator("img, b, strong").count() == 0
    await expect(cards.nth(1)).to_contain_text('"><img src=https://evil.example/x onerror=alert(1)>')
    links = await cards.locator("a").evaluate_all("links => links.map(link => [link.href, link.target, link.rel])")
    assert links == [
        ["https://www.trams.example/museum?a=1&copy;=2", "_blank", "noopener noreferrer nofollow"],
        ["https://evil.example/p_%28x%29%7Cy", "_blank", "noopener noreferrer nofollow"],
    ]


async def test_marks_open_what_the_tool_returned_and_give_the_focus_back(page: Page) -> None:
    mark = page.get_by_role("button", name="Source 3: Trams in Oslo").first
    await mark.focus()
    await page.keyboard.press("Enter")
    passage = page.get_by_role("dialog", name="Source 3: Trams in Oslo")
    await expect(passage).to_contain_text("Paragraph 29: trams have run in Oslo since 1875.")
    await expect(passage).to_contain_text("Page that was read")
    away = passage.get_by_role("link", name="Open the page")
    assert await away.get_attribute("rel") == "noopener noreferrer nofollow"
    await page.keyboard.press("Escape")
    await expect(passage).to_be_hidden()
    await expect(mark).to_be_focused()
    await page.keyboard.press(" ")
    await expect(passage).to_be_visible()


async def test_only_marks_of_sources_are_links(page: Page) -> None:
    answer = page.locator(f"{ANSWER} .prose")
    assert await answer.locator("a.tg-cite").all_inner_texts() == ["1", "2", "1", "3", "2"]
    assert await answer.locator("a:not(.tg-cite)").count() == 0
    await expect(answer).to_contain_text("rows[1] and a[1] are no sources, and [9] is none")
    assert await answer.locator("pre code").inner_text() == "print(rows[1])  # [1]\n"


async def test_below_the_answer_stand_the_sources_it_cites(page: Page) -> None:
    chips = page.get_by_role("navigation", name="Sources").get_by_role("button")
    assert [await chip.get_attribute("aria-label") for chip in await chips.all()][::2] == [
        "Source 1: Oslo tram museum",
        "Source 3: Trams in Oslo",
    ]
    await chips.nth(1).click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("[x](javascript:alert(1)) **bold**")
    assert await dialog.locator("img, strong").count() == 0


async def test_a_table_can_be_taken_along_as_csv(page: Page) -> None:
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Download as CSV").click()
    download = await waiting.value
    text = bytes_of(await download.path()).decode("utf-8-sig")
    lines = text.split("\r\n")
    assert download.suggested_filename == "Lines.csv"
    assert lines[0] == "line,rides,share,direction"
    assert lines[2] == 'Line 1,1234,0.3333333333333333,"\'=HYPERLINK(""x"")"'
    assert len(lines) == 52


async def test_a_table_scrolls_in_itself_with_numbers_to_the_right(page: Page) -> None:
    table = page.get_by_role("group", name="Lines", exact=True)
    await expect(page.get_by_text("First 50 of 12,345 rows")).to_be_visible()
    assert await table.evaluate("box => box.scrollHeight > box.clientHeight")
    sides = (
        await table.locator("tbody tr")
        .first.locator("td")
        .evaluate_all("all => all.map(td => getComputedStyle(td).textAlign)")
    )
    assert sides == ["start", "end", "end", "start"]


async def test_a_picture_opens_large_and_can_be_saved(page: Page) -> None:
    await page.get_by_role("button", name="Open large: A gradient").click()
    large = page.get_by_role("dialog", name="A gradient from green to violet")
    await expect(large.get_by_role("img", name="A gradient from green to violet")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(large).to_be_hidden()
    async with page.expect_download() as waiting:
        await page.locator(".tg-picture a").click()
    assert bytes_of(await (await waiting.value).path()).startswith(b"\x89PNG")


async def test_a_file_shows_its_first_lines_and_can_be_saved(page: Page) -> None:
    card = page.get_by_role("region", name="report.csv")
    await expect(card).to_contain_text("CSV table · 27 B · version 2")
    await expect(card).to_contain_text("11,1234")
    async with page.expect_download() as waiting:
        await card.get_by_role("link", name="Download: report.csv").click()
    download = await waiting.value
    assert download.suggested_filename == "report.csv"
    assert bytes_of(await download.path()) == b"line,rides\n11,1234\n12,5678\n"


async def test_a_file_that_is_gone_by_now_is_still_told_of(server: RunningApp) -> None:
    async with browsing(server.url) as (page, _):
        await ask(page, "A file that is gone")
        card = page.get_by_role("region", name="report.csv", exact=True)
        await expect(card).to_contain_text("11,1234")
        await answered(page)
        assert await card.get_by_role("link").count() == 0
        await expect(page.locator(".tg-citations")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_figure_goes_by_the_theme(server: RunningApp, scheme: str) -> None:
    async with browsing(server.url, color_scheme=scheme) as (page, watch):
        await ask(page, "Show me")
        label = page.locator(".js-plotly-plot .xtick text").first
        await expect(label).to_be_visible()
        shade = "label => Number(getComputedStyle(label).fill.match(/\\d+/)[0])"
        ground = await page.locator(".js-plotly-plot .main-svg").first.evaluate(
            "svg => getComputedStyle(svg).backgroundColor"
        )
        assert ground == "rgba(0, 0, 0, 0)"
        assert (await label.evaluate(shade) > 128) == (scheme == "dark")
        assert watch.errors == []


async def test_a_chinese_phone(server: RunningApp) -> None:
    look = {"locale": "zh-CN", "viewport": {"width": 360, "height": 740}}
    async with browsing(server.url, **look) as (page, _):
        await ask(page, "看看")
        await expect(page.get_by_text("当地时间 14:15")).to_be_visible()
        await expect(page.get_by_text("前 50 行，共 12,345 行")).to_be_visible()
        await page.get_by_role("button", name="来源 3：Trams in Oslo").first.click()
        await expect(page.get_by_role("dialog")).to_contain_text("已阅读的网页")
        scroll, client = await page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert scroll <= client


async def test_cards_and_citations_are_there_again_after_a_reload(tmp_path: Path) -> None:
    app = "tests/ui/app_that_keeps_cards.py"
    with running_app(tmp_path, app=app, CHAINLIT_AUTH_SECRET="s" * 32) as server:
        async with browsing(server.url, extra_http_headers={"x-user": "ada"}) as (page, watch):
            await ask(page, "Show me")
            await answered(page)
            await page.wait_for_url("**/thread/*")
            await expect(page.locator(".tg-file")).to_be_visible()
            watch.errors.clear()  # before the login
            await page.reload()
            for card in (".tg-weather", ".tg-picture img", ".tg-table", ".js-plotly-plot .bars", ".tg-file a"):
                await expect(page.locator(card).first).to_be_visible()
            assert await page.locator(".tg-picture img").first.evaluate("image => image.naturalWidth") == 320
            await page.get_by_role("button", name="Source 3: Trams in Oslo").first.click()
            await expect(page.get_by_role("dialog")).to_contain_text("Paragraph 29")
            await page.keyboard.press("Escape")
            async with page.expect_download() as waiting:
                await page.locator(".tg-file a").click()
            assert bytes_of(await (await waiting.value).path()) == b"line,rides\n11,1234\n12,5678\n"
            assert watch.errors == []
