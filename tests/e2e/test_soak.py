"""Many people at once, fifty by `make soak`, and a restart in the midst: nothing is lost, nothing is there twice,
nothing is another's. What a page shows is compared with what a new one shows, at every reload and at the end.
"""

import asyncio
import contextlib
import json
import os
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from socketio.exceptions import SocketIOError

from tests.e2e.chat_client import Lost
from tests.e2e.page_model import WholePage, elements_of, standing
from tests.e2e.running_app import RunningApp, running_app
from tests.e2e.visitor import Visitor
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer, Request

pytestmark = [pytest.mark.e2e, pytest.mark.alone, pytest.mark.timeout(900)]

IS_LONG = "LONG_TESTS" in os.environ
PEOPLE, TURNS = (50, 20) if IS_LONG else (10, 5)
SEED = 20261130
RELOADS_IN_A_TURN = True
"""Whether a page that is loaded anew in the midst of a turn has to join it."""
PACE_S = 0.03
"""Between two pieces of a stream."""
NAME = re.compile(r"person \d\d")
WISHES = ("", "", "", " Write it into a file.", " Calculate it.")
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "file": ("write_file", {"path": "notes.md", "content": "# Notes of {name}"}),
    "Calculate": ("calculate", {"expression": "23*19"}),
}


def chance_of(text: str) -> random.Random:
    """The same luck for the same text, in every run."""
    return random.Random(f"{SEED} {text}")  # noqa: S311 # nobody has to be kept from guessing it


def answer_to(question: str) -> str:
    """What the model answers: the same words for the same question, of nobody but whoever asked."""
    name, chance = NAME.findall(question)[0], chance_of(question)
    return f"For {name}: " + " ".join(f"{name} hears {chance.randrange(1000)}." for _ in range(chance.randrange(4, 14)))


def reply_to(request: Request) -> Reply:
    """Thinking, a tool where the question wants one, an answer; a complaint where there is anything of two people."""
    names = sorted(set(NAME.findall(json.dumps(request.body["messages"]))))
    if len(names) != 1:
        return stream(f"Answer: I was told of {names}")
    thinking = f"{names[0]} wants to know. " * chance_of(request.question).randrange(1, 8)
    wish = next((call for word, call in CALLS.items() if word in request.question), None)
    if wish and not request.last_text.startswith("Observation"):
        tool, arguments = wish
        given = json.dumps({key: value.format(name=names[0]) for key, value in arguments.items()})
        return stream(f"Thought: {names[0]}.\nAction: {tool}\nAction Input: {given}", thinking=thinking, size=60)
    return stream(f"Answer: {answer_to(request.question)}", thinking=thinking, size=20, pause=PACE_S)


@dataclass(slots=True)
class House:
    """Where the app is now; `is_open` is set while it runs. `acts` counts what people did."""

    url: str = ""
    is_open: asyncio.Event = field(default_factory=asyncio.Event)
    half: asyncio.Event = field(default_factory=asyncio.Event)
    acts: Counter[str] = field(default_factory=Counter)

    def note(self, act: str) -> None:
        self.acts[act] += 1
        if self.acts.total() >= PEOPLE * TURNS // 2:
            self.half.set()


class Person(Visitor):
    """Does something else each time."""

    def __init__(self, number: int, house: House) -> None:
        super().__init__(f"person {number:02}", house.url)
        self._house = house
        self._chance = chance_of(self.name)
        self._asked = 0

    async def live(self) -> None:
        acts: list[Callable[[], Awaitable[None]]] = [
            self.ask, self.ask, self.ask, self.ask_twice, self.stop, self.stop_two, self.edit_one,
            self.edit_in_the_midst, self.reload, self.reload_in_the_midst, self.lose_connection,
        ]  # fmt: skip
        await self.chat.connect()
        for _ in range(TURNS):
            act = self._chance.choice(acts)
            try:
                await act()
            except (Lost, SocketIOError, httpx.TransportError):
                await self._house.is_open.wait()
                await self.outlive(self._house.url, lost_since=float("inf"))
            self._house.note(act.__name__)

    async def ask(self) -> None:
        await self._see_answered(await self._send())

    async def ask_twice(self) -> None:
        await self._see_answered(await self._send(), await self._send())

    async def stop(self) -> None:
        question = await self._send()
        await self._some_events()
        await self.chat.stop()
        await self.over(question)

    async def stop_two(self) -> None:
        questions = await self._send(), await self._send()
        await self._some_events()
        await self.chat.stop()
        await self.over(*questions)

    async def edit_one(self) -> None:
        if not self.page.questions:
            await self.ask()
        await self._edit_any()

    async def edit_in_the_midst(self) -> None:
        await self._begun()
        await self._edit_any()

    async def reload(self) -> None:
        if not self.page.questions:
            await self.ask()
        before = self.page
        await self.load_again(self._house.url)
        self.check_same(before)

    async def reload_in_the_midst(self) -> None:
        if not RELOADS_IN_A_TURN:
            return await self.reload()
        question = await self._begun()
        await self.load_again(self._house.url)
        return await self._see_answered(question)

    async def lose_connection(self) -> None:
        question = await self._begun()
        await self.chat.reconnect()
        await self._see_answered(question)

    def check_same(self, before: WholePage) -> None:
        """A page that was opened anew shows what an earlier one showed, no more and no less."""
        assert standing(self.page) == standing(before), self.name
        assert elements_of(self.page) == elements_of(before), self.name
        assert all(element["forId"] in self.page.steps for element in self.page.elements.values()), self.name
        assert set(NAME.findall(json.dumps([*self.page.steps.values(), *self.page.elements.values()]))) <= {self.name}

    async def check_at_last(self) -> None:
        """What the page showed last, what a new one shows, and what else is there for this person."""
        before = self.page
        await self.load_again(self._house.url)
        self.check_same(before)
        listed = await self.chat.http.post("/project/threads", json={"pagination": {"first": 100}, "filter": {}})
        assert [thread["id"] for thread in listed.json()["data"]] == [self.thread_id]
        for element in self.page.elements.values():
            if element["type"] == "file":
                assert (await self.chat.http.get(element["url"])).text == f"# Notes of {self.name}"
        await self.close()

    async def _send(self) -> str:
        self._asked += 1
        wish = self._chance.choice(WISHES)
        return await self.chat.send(f"{self.name} asks for the number {self._asked}.{wish}")

    async def _begun(self) -> str:
        """A question that the server has heard of, and a part of its answer."""
        question = await self._send()
        await self.until(lambda: bool(self.page.inside(question)))
        await self._some_events()
        return question

    async def _edit_any(self) -> None:
        self._asked += 1
        question, text = self._chance.choice(self.page.questions)["id"], f"{self.name} rather asks for {self._asked}."
        await self.edit(question, text)
        assert self.page.questions[-1] == self.page.steps[question], self.name
        assert self.page.steps[question]["output"] == text, self.name
        await self._see_answered(question)

    async def _see_answered(self, *questions: str) -> None:
        await self.over(*questions)
        if not self._house.is_open.is_set():
            raise Lost  # the last that the server said is that it ends
        for question in questions:
            answer = answer_to(self.page.steps[question]["output"])
            assert self.page.answer_to(question) == answer, self.name

    async def _some_events(self) -> None:
        """Something between nothing and all of the turn."""
        events = self.page.emits + self._chance.randrange(14)
        question = self.page.questions[-1]["id"]
        await self.until(lambda: self.page.emits >= events or self.page.is_over(question))


@contextlib.contextmanager
def open_for(house: House, provider: ProviderServer, folder: Path) -> Iterator[RunningApp]:
    settings: dict[str, Any] = {
        "LLM_API_BASE": provider.api_base, "LLM_API_KEY": "k", "LLM_MODEL": "deepseek-flash", "MAX_RETRIES": "0",
        "SHUTDOWN_PATIENCE": "0.5",
        "MAX_RUNNING_TURNS": "0",
        "MAX_MESSAGES_PER_MINUTE": "0",
    }  # fmt: skip
    with running_app(folder, **settings) as app:
        house.url = app.url
        house.is_open.set()
        yield app
    assert "Traceback" not in app.printed(), app.printed()


async def test_nothing_is_lost_nothing_twice_nothing_of_another(provider: ProviderServer, tmp_path: Path) -> None:
    provider.reset(reply_to)
    house = House()
    with open_for(house, provider, tmp_path) as app:
        people = [Person(number, house) for number in range(PEOPLE)]
        lives = asyncio.gather(*(person.live() for person in people))
        half = asyncio.ensure_future(house.half.wait())
        await asyncio.wait([half, lives], return_when=asyncio.FIRST_COMPLETED)
        house.is_open.clear()
        app.process.terminate()
        await asyncio.to_thread(app.process.wait, 60)
    with open_for(house, provider, tmp_path):
        await lives
        await asyncio.gather(*(person.check_at_last() for person in people))
    assert house.acts.total() == PEOPLE * TURNS
