"""A page that is loaded anew in the midst of a turn joins it: over the real socket, with the real database."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.e2e.running_app import RunningApp
from tests.e2e.tabs import (
    BEFORE_ANYTHING,
    CALL,
    IN_ANSWER,
    IN_THINKING,
    WHOLE,
    Browser,
    ends,
    ends_as_stored,
    in_answer,
    is_at_its_hold,
    seen,
    told,
)
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer
from ui.texts import ENGLISH

pytestmark = pytest.mark.e2e


@pytest.fixture
async def browser(app: RunningApp) -> AsyncIterator[Browser]:
    browser = Browser(app)
    yield browser
    await browser.close()


@pytest.mark.parametrize("reply", [IN_THINKING, IN_ANSWER, BEFORE_ANYTHING], ids=["thinking", "answer", "nothing yet"])
@pytest.mark.parametrize("times", [1, 3])
async def test_the_turn_goes_on_on_the_new_page_and_all_is_as_if_nothing_had_been(
    browser: Browser, provider: ProviderServer, *, reply: Reply, times: int
) -> None:
    provider.add(stream("Answer: Before."), reply, stream("Answer: After."))
    tab = await browser.open()
    await tab.ask("First?")
    await tab.send("Second?")
    await tab.until(lambda page: is_at_its_hold(page, reply))
    before = seen(tab)
    for _ in range(times):
        tab = await browser.reload(tab)
        await tab.joined()
        assert not tab.idle.is_set()
        assert seen(tab) == before
    provider.release()
    await tab.until(lambda page: page.answers == ["Before.", WHOLE])
    after = await ends_as_stored(browser, tab)
    assert await after.ask("Third?") == "After."
    assert told(provider) == ["First?", "Before.", "Second?", WHOLE, "Third?"]


async def test_the_new_page_stops_the_turn(browser: Browser, provider: ProviderServer) -> None:
    tab = await browser.reload(await in_answer(browser, provider, stream("Answer: After.")))
    await tab.joined()
    await tab.stop()
    await tab.over()
    assert provider.requests[0].over.wait(5)
    assert provider.requests[0].client_left
    assert [name for kind, name in tab.page.story if name.startswith("Stopped")]
    again = await ends_as_stored(browser, tab)
    assert await again.ask("Second?") == "After."
    question, answer, second = told(provider)
    assert (question, second) == ("First?", "Second?")
    assert answer.startswith("Here it is")


async def test_a_question_about_a_tool_is_still_open_and_can_be_answered(
    browser: Browser, provider: ProviderServer
) -> None:
    provider.add(stream(CALL), stream("Answer: It is 437."))
    tab = await browser.open()
    await tab.set(consent="all")
    await tab.send("What is 23*19?")
    await tab.until(lambda page: bool(page.props_of("Consent")))
    before = seen(tab)
    tab = await browser.reload(await browser.reload(tab))
    await tab.joined()
    assert seen(tab) == before
    (card,) = tab.page.props_of("Consent")
    answer = {"name": "answer_consent", "payload": {"request": card["request"], "answer": "allow"}, "id": "a"}
    assert await tab.press({**answer, "label": ""}) == 200
    await tab.until(lambda page: page.answers == ["It is 437."])
    assert tab.page.props_of("Consent") == []
    await ends_as_stored(browser, tab)


async def test_what_is_sent_by_the_new_page_waits_and_what_waited_still_waits(
    browser: Browser, provider: ProviderServer
) -> None:
    tab = await in_answer(browser, provider, stream("Answer: Two."), stream("Answer: Three."))
    await tab.send("Second?")
    await tab.until(lambda page: len(page.of_type("run")) >= 3)
    before = seen(tab)
    tab = await browser.reload(tab)
    await tab.joined()
    assert seen(tab) == before
    await tab.send("Third?")
    await tab.until(lambda page: len(page.of_type("run")) >= 4)
    assert len(provider.requests) == 1
    provider.release()
    await tab.until(lambda page: page.answers == [WHOLE, "Two.", "Three."])
    await tab.until(lambda page: len(ends(page)) == 3)
    assert told(provider) == ["First?", WHOLE, "Second?", "Two.", "Third?"]
    await ends_as_stored(browser, tab)


async def test_a_waiting_question_is_stopped_with_the_turn_by_the_new_page(
    browser: Browser, provider: ProviderServer
) -> None:
    tab = await in_answer(browser, provider)
    await tab.send("Second?")
    await tab.until(lambda page: len(page.of_type("run")) >= 3)
    tab = await browser.reload(tab)
    await tab.joined()
    await tab.stop()
    await tab.until(lambda page: all(page.is_over(question["id"]) for question in page.questions))
    assert ends(tab.page)[-1] == "stopped"
    assert tab.page.answers[-1] == ENGLISH.turn.unanswered["stopped"]
    under = [button["forId"] for button in tab.page.buttons if button["name"] == "try_again"]
    assert under == [tab.page.of_type("assistant_message")[-1]["id"]]
    again = await ends_as_stored(browser, tab)
    provider.add(stream("Answer: Third."))
    assert await again.ask("Third?") == "Third."
    assert len(provider.requests) == 2
    assert "restarted" not in "".join(told(provider))


async def test_who_goes_to_another_chat_and_comes_back_finds_the_turn_going_on(
    browser: Browser, provider: ProviderServer
) -> None:
    tab = await in_answer(browser, provider)
    before = seen(tab)
    await tab.leave_for_another_chat()
    tab = await browser.open_again(tab)
    await tab.joined()
    assert seen(tab) == before
    provider.release()
    await tab.until(lambda page: page.answers == [WHOLE])
    await ends_as_stored(browser, tab)


async def test_the_old_page_may_be_seen_to_go_only_after_the_new_one_has_come(
    browser: Browser, provider: ProviderServer
) -> None:
    old = await in_answer(browser, provider)
    new = await browser.open_again(old)
    await new.joined()
    await old.leave_for_another_chat()
    provider.release()
    await new.until(lambda page: page.answers == [WHOLE])
    await ends_as_stored(browser, new)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.2])
async def test_a_page_that_is_loaded_anew_just_as_the_turn_ends_has_all_of_it(
    browser: Browser, provider: ProviderServer, *, delay: float
) -> None:
    tab = await in_answer(browser, provider, stream("Answer: After."))
    coming = asyncio.create_task(browser.reload(tab))
    await asyncio.sleep(delay)  # the moment to be tried, and nothing that is waited for
    provider.release()
    tab = await coming
    await tab.until(lambda page: page.answers == [WHOLE] and len(ends(page)) == 1)
    tab = await ends_as_stored(browser, tab)
    assert await tab.ask("Second?") == "After."
    assert told(provider) == ["First?", WHOLE, "Second?"]
