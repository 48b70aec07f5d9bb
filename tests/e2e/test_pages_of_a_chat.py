"""Several pages of one chat, whose they are, and how long the server keeps what they show: over the real socket."""

import asyncio
import re
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import jwt
import pytest
from socketio.exceptions import ConnectionError as Refused

from tests.e2e.chat_client import Late
from tests.e2e.running_app import ROOT, RunningApp, running_app
from tests.e2e.tabs import WHOLE, Browser, Tab, buttons, ends_as_stored, in_answer, seen
from tests.provider.replies import stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e


@pytest.fixture
async def browser(app: RunningApp) -> AsyncIterator[Browser]:
    browser = Browser(app)
    yield browser
    await browser.close()


async def test_two_pages_of_a_chat_show_the_same_at_any_time(browser: Browser, provider: ProviderServer) -> None:
    one = await in_answer(browser, provider, stream("Answer: Two."), stream("Answer: New."))
    two = await browser.open_again(one)
    await two.joined()
    assert seen(one) == seen(two)
    provider.release()
    await two.until(lambda page: page.answers == [WHOLE])
    await two.over()
    question = await two.send("Second?")
    await one.until(lambda page: page.answers == [WHOLE, "Two."])
    await one.over()
    assert [question["output"] for question in one.page.questions] == ["First?", "Second?"]
    await two.tell({"thinkglass": "copy", "turn": question})
    await two.until(lambda page: bool(page.told))
    assert one.page.told == []
    await one.edit(question, "Instead?")
    await two.until(lambda page: page.answers == [WHOLE, "New."])
    await two.until(lambda _: buttons(one) == buttons(two) != [])
    assert [question["output"] for question in two.page.questions] == ["First?", "Instead?"]
    assert seen(one) == seen(two)
    await one.close()
    await ends_as_stored(browser, two)


async def test_a_page_that_was_away_while_another_went_on_gets_all_of_it(
    browser: Browser, provider: ProviderServer
) -> None:
    provider.add(*(stream(f"Answer: {number}.") for number in range(3)))
    one = await browser.open()
    await one.ask("0?")
    two = await browser.open_again(one)
    await two.joined()
    await one.away()
    for number in (1, 2):
        await two.ask(f"{number}?")
    await one.back()
    await one.until(lambda page: page.answers == ["0.", "1.", "2."])
    await one.until(lambda _: buttons(one) == buttons(two))
    assert seen(one) == seen(two)


async def test_nobody_else_joins(app: RunningApp, browser: Browser, provider: ProviderServer) -> None:
    tab = await browser.reload(await in_answer(browser, provider))
    await tab.joined()
    eve = Browser(app)
    stranger = await eve.open()
    hers = stranger.http.cookies
    intruder = Tab(app.url, cookies=hers, thread=tab.thread["id"], session=tab.session_id)
    with pytest.raises(Refused):
        await intruder.connect()
    await intruder.close()
    late = Late(app.url, cookies=hers, thread=tab.thread["id"])
    await late.connect()
    assert "Here it is" not in str(late.page.steps)
    await late.close()
    button = {"name": "export_answer", "payload": {"turn": "x"}, "id": "a", "label": ""}
    body = {"sessionId": tab.session_id, "action": button}
    assert (await stranger.http.post("/project/action", json=body)).status_code == 401
    await eve.close()
    provider.release()
    await tab.until(lambda page: page.answers == [WHOLE])


@pytest.fixture
async def impatient(provider: ProviderServer, tmp_path: Path) -> AsyncIterator[RunningApp]:
    """An app that takes a session away a second after its page has gone."""
    root = tmp_path / "root"
    shutil.copytree(ROOT / ".chainlit", root / ".chainlit")
    config = root / ".chainlit" / "config.toml"
    config.write_text(re.sub(r"(?m)^session_timeout = \d+$", "session_timeout = 1", config.read_text("utf-8")), "utf-8")
    model = {"LLM_API_BASE": provider.api_base, "LLM_API_KEY": "k", "LLM_MODEL": "deepseek-flash", "MAX_RETRIES": "0"}
    with running_app(tmp_path, app_root=root, **model) as app:
        yield app
        assert "Traceback" not in app.printed(), app.printed()


async def test_a_session_is_kept_for_as_long_as_a_turn_runs_and_then_goes_under_all_its_names(
    impatient: RunningApp, provider: ProviderServer
) -> None:
    browser = Browser(impatient)
    first = await in_answer(browser, provider)
    before = seen(first)
    await first.close()
    await asyncio.sleep(2)  # longer than the app waits for pages
    second = await browser.open_again(first)
    await second.joined()
    assert seen(second) == before
    await asyncio.sleep(2)
    provider.release()
    await second.until(lambda page: page.answers == [WHOLE])
    await second.over()
    assert await asyncio.to_thread(knows_session, impatient, second)
    third = await browser.open_again(second)
    await third.joined()
    assert seen(third) == seen(second)
    await second.close()
    await third.close()
    for tab in (first, second, third):
        await asyncio.to_thread(wait_until_unknown, impatient, tab)


def wait_until_unknown(app: RunningApp, tab: Tab) -> None:
    limit = time.monotonic() + 15
    while knows_session(app, tab):
        assert time.monotonic() < limit
        time.sleep(0.1)


def knows_session(app: RunningApp, tab: Tab) -> bool:
    """Whether the server knows the session of this page: it says so when a file is asked for that is not there."""
    path = f"/project/file/none?session_id={tab.session_id}"
    return app.get(path, cookies=tab.http.cookies).status_code == 404


async def test_a_second_page_with_another_login_does_not_hang_on_the_first_ones(
    app: RunningApp, browser: Browser, provider: ProviderServer
) -> None:
    """When one login ends, the pages of that login are cut off, and no other."""
    one = await in_answer(browser, provider)
    name, token = next((name, token) for name, token in one.http.cookies.items() if name.startswith("thinkglass"))
    secret = (app.data / "signing.key").read_text("ascii")
    claims = jwt.decode(token, secret, algorithms=["HS256"])
    other = httpx.Cookies({name: jwt.encode({**claims, "iat": claims["iat"] - 1}, secret, algorithm="HS256")})
    two = Tab(app.url, cookies=other, thread=one.thread["id"])
    await two.connect()
    await one.close()
    three = Tab(app.url, cookies=other, thread=one.thread["id"])
    await three.connect()
    await three.joined()
    provider.release()
    await three.until(lambda page: page.answers == [WHOLE])
    assert two.page.answers != [WHOLE]
    await two.close()
    await three.close()
