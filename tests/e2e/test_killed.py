"""The server is killed again and again, at random moments, while people read: what they lose is two seconds at most."""

import asyncio
import contextlib
import os
import random
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from socketio.exceptions import SocketIOError

from tests.e2e.chat_client import Lost
from tests.e2e.running_app import RunningApp, running_app
from tests.e2e.tabs import IN_THINKING, Browser, Tab, button_names, ends_as_stored, is_at_its_hold, seen, told
from tests.e2e.visitor import Visitor
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer, Request
from tests.ui.data_layer import postgres
from ui.texts import CHINESE

pytestmark = [pytest.mark.e2e, pytest.mark.alone, pytest.mark.timeout(900)]

IS_LONG = "LONG_TESTS" in os.environ
PEOPLE, KILLS, KILLS_OF_POSTGRESQL, SEED = 4, 20 if IS_LONG else 3, 3 if IS_LONG else 1, 20261130
SAVED_EVERY_S = 2.0
TOLERANCE_S = 2.0
"""What a busy machine may need to write what is due, and to bring to a page what was sent."""
PIECE, PACE_S = 16, 0.05
GOES_ON = "goes on"


def text_of(request: Request) -> str:
    """Numbered words, so that none can be missing unseen; of some seconds, more or fewer."""
    asked = "".join(word for word in request.question.split()[-1:] if word.isdigit())
    count = 100 + int(asked) * 170 % 400 if asked else 100
    return " ".join(f"{asked or GOES_ON}.{number}" for number in range(count))


def reply_to(request: Request) -> Reply:
    return stream(f"Answer: {text_of(request)}", thinking=text_of(request)[:200], size=PIECE, pause=PACE_S)


class Reader(Visitor):
    """Asks and reads, and has an answer that was cut off go on where that is offered."""

    def __init__(self, name: str, url: str) -> None:
        super().__init__(name, url)
        self._asked = 0
        self.gone_on = 0

    async def read_until_the_end_of_the_server(self) -> None:
        with contextlib.suppress(Lost, SocketIOError, httpx.TransportError):
            if self.go_on_buttons():
                await self.go_on()
            while True:
                await self.ask()

    async def ask(self) -> None:
        self._asked += 1
        await self.over(await self.chat.send(f"{self.name} asks for {self._asked}"))

    def go_on_buttons(self) -> list[dict[str, Any]]:
        last = self.page.of_type("assistant_message")[-1:]
        ids = [message["id"] for message in last]
        return [button for button in self.chat.page.buttons if button["name"] == "go_on" and button["forId"] in ids]

    async def go_on(self) -> None:
        known = len(self.page.questions)
        await self.chat.press(self.go_on_buttons()[0])
        await self.until(lambda: len(self.page.questions) > known)
        await self.over(self.page.questions[-1]["id"])
        assert self.page.answer_to(self.page.questions[-1]["id"]).startswith(f"{GOES_ON}.0 {GOES_ON}.1 ")
        self.gone_on += 1

    async def see_what_was_saved(self) -> None:
        """Every turn has its last line, and one that was cut off can be gone on with."""
        ends = self.page.ends()
        told = [ends[run["id"]] for question in self.page.questions for run in self.page.inside(question["id"])]
        assert len(told) == len(self.page.questions)
        if told and told[-1] == "interrupted":
            await self.until(lambda: bool(self.go_on_buttons()))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    programs = postgres.programs()
    if request.param == "sqlite":
        yield ""
    elif programs is None:
        pytest.skip("POSTGRESQL IS NOT TESTED: it is not installed here")
    else:
        with postgres.running(programs) as server:
            yield server.emptied_database()


def start(provider: ProviderServer, folder: Path, database: str) -> contextlib.AbstractContextManager[RunningApp]:
    settings: dict[str, Any] = {
        "LLM_API_BASE": provider.api_base, "LLM_API_KEY": "k", "LLM_MODEL": "deepseek-flash", "MAX_RETRIES": "0",
        "DATABASE_URL": database,
        "MAX_RUNNING_TURNS": "0",
        "MAX_MESSAGES_PER_MINUTE": "0",
    }  # fmt: skip
    return running_app(folder, **settings)


async def test_a_kill_costs_two_seconds_of_text_at_most_and_never_a_question(
    provider: ProviderServer, tmp_path: Path, database: str
) -> None:
    provider.reset(reply_to)
    chance = random.Random(SEED)  # noqa: S311 # nobody has to be kept from guessing it
    readers: list[Reader] = []
    killed_at = 0.0
    for _ in range(KILLS_OF_POSTGRESQL if database else KILLS):
        with start(provider, tmp_path, database) as app:
            await come(readers, app, killed_at=killed_at)
            reading = [asyncio.create_task(reader.read_until_the_end_of_the_server()) for reader in readers]
            await asyncio.sleep(chance.uniform(0.2, 6.0))  # a random moment
            killed_at = time.monotonic()
            app.process.kill()
            await asyncio.to_thread(app.process.wait, 30)
            await asyncio.gather(*reading)
        assert "Traceback" not in app.printed(), app.printed()
        if not database:
            assert is_whole(app.data / "history.db")
    with start(provider, tmp_path, database) as app:
        await come(readers, app, killed_at=killed_at)
        for reader in readers:
            if reader.go_on_buttons():
                await reader.go_on()
            await reader.close()
    assert (
        not IS_LONG or database or any(reader.gone_on for reader in readers)
    )  # few kills may all come before there is an answer


async def test_a_turn_killed_before_its_answer_is_closed_and_can_be_gone_on_with(
    provider: ProviderServer, tmp_path: Path
) -> None:
    """However often it is looked at, it stands there in the same way; it can be gone on with, and told of."""
    words = CHINESE.turn
    provider.add(IN_THINKING, stream("Answer: The rest."))
    with start(provider, tmp_path, "") as app:
        tab = Tab(app.url, language="zh-CN")
        await tab.connect()
        await tab.send("First?")
        await tab.until(lambda page: is_at_its_hold(page, IN_THINKING))
        await asyncio.to_thread(wait_until_stored, app.data / "history.db", "They ask for much.")
        app.process.kill()
        await asyncio.to_thread(app.process.wait, 30)
        await tab.close()
    with start(provider, tmp_path, "") as app:
        browser = Browser(app, language="zh-CN")
        stored = await browser.open_again(tab)
        before = seen(stored)
        again = await browser.reload(stored)
        assert seen(again) == before
        thinking, sentence, line = [step for _, step in before[0] if step["type"] not in ("user_message", "run")]
        assert (thinking["name"], thinking["output"]) == (words.thought_cut, "They ask for much.")
        assert (sentence["output"], line["name"]) == (words.unanswered["interrupted"], words.interrupted_sometime)
        await again.until(lambda _: {"go_on", "try_again"} <= set(button_names(again)))
        assert "export_answer" not in button_names(again)
        (go_on,) = [button for button in again.page.buttons if button["name"] == "go_on"]
        assert await again.press(go_on) == 200
        await again.until(lambda page: "The rest." in page.answers)
        assert told(provider)[0] == "First?"
        await ends_as_stored(browser, again)
        await browser.close()


def wait_until_stored(file: Path, text: str) -> None:
    """Until a step with this text is on disk."""
    until_s = time.monotonic() + 20
    with contextlib.closing(sqlite3.connect(file)) as connection:
        while not connection.execute("SELECT 1 FROM steps WHERE output = ?", [text]).fetchone():
            assert time.monotonic() < until_s
            time.sleep(0.05)


async def come(readers: list[Reader], app: RunningApp, *, killed_at: float) -> None:
    """Everybody is there: for the first time, or back with all that must have been saved."""
    if readers:
        lost_since = killed_at - SAVED_EVERY_S - TOLERANCE_S
        await asyncio.gather(*(reader.outlive(app.url, lost_since=lost_since) for reader in readers))
        await asyncio.gather(*(reader.see_what_was_saved() for reader in readers))
        return
    readers.extend(Reader(f"reader {number}", app.url) for number in range(PEOPLE))
    await asyncio.gather(*(reader.chat.connect() for reader in readers))


def is_whole(file: Path) -> bool:
    """Whether SQLite finds no fault in a database. Nobody else has it open."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
