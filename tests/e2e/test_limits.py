"""Limits over two processes on one database: attempts to log in, logins that ended, and what one person may have."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.chat_client import ChatClient, Lost, chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Hold, stream
from tests.provider.server import ProviderServer
from tests.ui.data_layer import postgres
from ui.auth.attempts import MOST_PER_ADDRESS
from ui.auth.passwords import PeopleFile

pytestmark = pytest.mark.e2e

PASSWORD = "a long password"
ANSWER = "Answer: Hello."
MESSAGES, TURNS, TOKENS = 4, 2, 100_000
SENT_TOO_MUCH = r"You have sent 4 messages within a minute\. Wait (1 min )?\d+ s, then send it again\."
LATE_S = 30
"""Far more than a process needs to hear of a logout."""

Pair = tuple[RunningApp, RunningApp]


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("LIMITS OF TWO PROCESSES ARE NOT TESTED: PostgreSQL is not installed here")
    with postgres.running(programs) as server:
        yield server.emptied_database()


@contextlib.contextmanager
def two_processes(folder: Path, **settings: str) -> Iterator[Pair]:
    with contextlib.ExitStack() as running:
        folders = [folder / name for name in "ab"]
        for one in folders:
            one.mkdir()
        settings = {"THINKGLASS_DATA": str(folder / "shared"), **settings}
        first, second = (running.enter_context(running_app(one, **settings)) for one in folders)
        yield first, second
        for app in (first, second):
            assert "Traceback" not in app.printed(), app.printed()


@pytest.fixture(scope="module")
def pair(database: str, shared_provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two processes where nobody logs in."""
    settings = {
        "LLM_API_BASE": shared_provider.api_base, "LLM_API_KEY": "k", "LLM_MODEL": "deepseek-flash", "MAX_RETRIES": "0",
        "DATABASE_URL": database, "MAX_TOKENS_PER_DAY": str(TOKENS),
        "MAX_MESSAGES_PER_MINUTE": str(MESSAGES), "MAX_RUNNING_TURNS": str(TURNS),
    }  # fmt: skip
    with two_processes(tmp_path_factory.mktemp("pair"), **settings) as apps:
        yield apps


@contextlib.asynccontextmanager
async def one_person(*apps: RunningApp) -> AsyncIterator[list[ChatClient]]:
    """A browser with a chat on each of these."""
    async with contextlib.AsyncExitStack() as chats:
        first = await chats.enter_async_context(chatting(apps[0].url))
        others = [await chats.enter_async_context(chatting(app.url, cookies=first.http.cookies)) for app in apps[1:]]
        yield [first, *others]


def refusals(chat: ChatClient) -> dict[str, str]:
    """Their texts by their ids."""
    return {step["id"]: step["output"] for step in chat.page.of_type("assistant_message") if step["isError"]}


def buttons(chat: ChatClient) -> list[dict[str, Any]]:
    return [button for button in chat.page.buttons if button["name"] == "try_again"]


async def test_messages_are_counted_over_both_processes_and_a_refused_one_can_be_tried_again(
    pair: Pair, provider: ProviderServer
) -> None:
    provider.reset(lambda _: stream(ANSWER))
    async with one_person(*pair) as (here, there):
        for chat in [here, there] * (MESSAGES // 2):
            assert await chat.ask("Hello") == "Hello."
        for chat in (here, there):
            said = await chat.ask("One more")
            assert re.fullmatch(SENT_TOO_MUCH, said)
            assert list(refusals(chat).values()) == [said]
            assert "One more" in [step["output"] for step in chat.sent]
            assert [button["forId"] for button in buttons(chat)] == list(refusals(chat))
        assert len(provider.requests) == MESSAGES
        figures = pair[0].get("/metrics").text
        assert float(re.findall(r'errors_total\{kind="TooManyMessages"\} (\S+)', figures)[0]) >= 1
        async with chatting(pair[0].url) as somebody_else:
            assert await somebody_else.ask("Hello") == "Hello."


async def test_who_asks_anew_too_often_keeps_the_answer_that_is_there(pair: Pair, provider: ProviderServer) -> None:
    provider.reset(lambda _: stream(ANSWER))
    async with one_person(pair[0]) as (chat,):
        for _ in range(MESSAGES):
            await chat.ask("Hello")
        before, shown, runs = list(chat.page.story), buttons(chat), len(chat.page.of_type("run"))
        assert await chat.press(buttons(chat)[0]) == 200
        await chat.until(lambda page: bool(page.toasts))
        await asyncio.wait_for(chat.idle.wait(), LATE_S)
        assert "within a minute" in chat.page.toasts[0]["message"]
        assert (chat.page.story, buttons(chat), len(chat.page.of_type("run"))) == (before, shown, runs)
        await chat.edit(chat.sent[-1]["id"], "Hello anew")
        await chat.until(lambda page: len(page.toasts) == 2)
        assert chat.page.answers == ["Hello."] * MESSAGES
        thread = chat.thread["id"]
        async with chatting(pair[1].url, cookies=chat.http.cookies, thread=thread) as again:
            kept = [step for step in again.thread["steps"] if step["type"] == "assistant_message"]
            assert [step["output"] for step in kept] == ["Hello."] * MESSAGES
            asked = {step["id"] for step in again.thread["steps"] if step["type"] == "user_message"}
            answered = [step["parentId"] for step in again.thread["steps"] if step["type"] == "run"]
            assert len([question for question in answered if question in asked]) == MESSAGES


async def test_a_refused_question_is_kept_and_not_taken_for_one_that_was_cut(
    pair: Pair, provider: ProviderServer
) -> None:
    provider.reset(lambda _: stream(ANSWER))
    async with one_person(pair[0]) as (chat,):
        for _ in range(MESSAGES + 1):
            await chat.ask("Hello")
        async with chatting(pair[1].url, cookies=chat.http.cookies, thread=chat.thread["id"]) as again:
            questions = [step for step in again.thread["steps"] if step["type"] == "user_message"]
            assert len(questions) == MESSAGES + 1
            await again.until(lambda page: any(button["name"] == "try_again" for button in page.buttons))
            assert [button["name"] for button in again.page.buttons if button["name"] == "go_on"] == []


async def test_running_turns_are_counted_over_both_processes_and_waiting_messages_are_not(
    pair: Pair, provider: ProviderServer
) -> None:
    provider.reset(lambda _: stream(ANSWER, tail=[Hold(), *stream("").parts]))
    async with one_person(pair[0], pair[1], pair[0]) as (here, there, third):
        await here.send("Hello")
        await there.send("Hello")
        await asyncio.to_thread(provider.wait_for_request, TURNS, timeout=LATE_S)
        await here.send("And this waits in the same chat")
        said = await third.ask("Hello")
        assert said.startswith("2 answers are still being written for you.")
        provider.release()
        for chat in (here, there):
            await chat.until(lambda page: page.answers[-1:] == ["Hello."], limit=LATE_S)
        await asyncio.to_thread(provider.wait_for_request, TURNS + 1, timeout=LATE_S)
        await here.until(lambda page: page.answers == ["Hello.", "Hello."], limit=LATE_S)
        assert refusals(here) == {}


async def test_tokens_are_counted_over_both_processes(pair: Pair, provider: ProviderServer) -> None:
    usage = {"prompt_tokens": TOKENS - 10, "completion_tokens": 5}
    provider.reset(lambda _: stream(ANSWER, usage=usage))
    async with one_person(*pair) as (here, there):
        assert await here.ask("Hello") == "Hello."
        assert await there.ask("Hello") == "Hello."
        for chat in (here, there):
            assert (await chat.ask("Hello")).startswith("You have used your 100,000 tokens for today.")


@pytest.fixture(scope="module")
def logins(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two processes where people log in with a password. They trust the proxy on this computer."""
    folder = tmp_path_factory.mktemp("logins")
    people = PeopleFile(folder / "shared" / "people.txt")
    for number in range(30):
        people.add(f"person{number}", PASSWORD)
    with two_processes(folder, AUTH="password", DATABASE_URL=database) as apps:
        yield apps


def log_in(app: RunningApp, name: str, password: str = PASSWORD, *, address: str) -> httpx.Response:
    form = {"username": name, "password": password}
    return app.request("POST", "/login", data=form, headers={"X-Forwarded-For": address})


def test_attempts_to_log_in_are_counted_over_both_processes(logins: Pair) -> None:
    def attempt(number: int, address: str) -> int:
        return log_in(logins[number % 2], f"person{number}", "wrong", address=address).status_code

    assert {attempt(number, "192.0.2.7") for number in range(MOST_PER_ADDRESS)} == {401}
    for app in logins:
        refused = log_in(app, "person29", address="192.0.2.7")
        assert refused.status_code == 429
        assert 0 < int(refused.headers["Retry-After"]) <= 300
        assert log_in(app, "person29", address="192.0.2.8").status_code == 200


def test_a_name_is_counted_over_both_processes(logins: Pair) -> None:
    tries = [log_in(logins[n % 2], "person28", "wrong", address=f"192.0.2.{100 + n}") for n in range(10)]
    assert {refused.status_code for refused in tries} == {401}
    for app in logins:
        assert log_in(app, "person28", address="192.0.2.99").status_code == 401, "not even with the right password"


async def test_a_logout_ends_the_login_in_both_processes_with_its_sockets_and_no_other(logins: Pair) -> None:
    here, there = logins
    first, second = (log_in(app, "person1", address="192.0.2.20").cookies for app in logins)
    async with chatting(there.url, cookies=first) as open_there, chatting(there.url, cookies=second) as other:
        async with httpx.AsyncClient(base_url=here.url, cookies=first) as client:
            assert (await client.get("/user")).status_code == 200
            assert (await client.post("/logout")).status_code == 200
        async with httpx.AsyncClient(base_url=here.url, cookies=first) as copied:
            assert (await copied.get("/user")).status_code == 401
        with pytest.raises(Lost):
            await open_there.until(lambda _: False, limit=LATE_S)
        assert (await open_there.http.get("/user")).status_code == 401
        assert (await other.http.get("/user")).status_code == 200
        await other.tell({"thinkglass": "nothing"})  # fails where the connection is gone


def test_a_logout_is_remembered_by_a_process_that_starts_later(logins: Pair, database: str, tmp_path: Path) -> None:
    app, shared = logins[0], str(logins[0].log.parent.parent / "shared")
    ended, valid = (log_in(app, "person2", address="192.0.2.21").cookies for _ in range(2))
    assert httpx.post(f"{app.url}/logout", cookies=ended).status_code == 200
    with running_app(tmp_path, AUTH="password", DATABASE_URL=database, THINKGLASS_DATA=shared) as later:
        assert httpx.get(f"{later.url}/user", cookies=valid).status_code == 200
        assert httpx.get(f"{later.url}/user", cookies=ended).status_code == 401


def test_who_logs_in_again_at_once_is_let_in(logins: Pair) -> None:
    for _ in range(3):
        cookies = log_in(logins[0], "person3", address="192.0.2.22").cookies
        assert httpx.get(f"{logins[0].url}/user", cookies=cookies).status_code == 200
        assert httpx.post(f"{logins[0].url}/logout", cookies=cookies).status_code == 200
