"""What a page is sent again when it comes back, for a page that was away at any moment."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.replay import Emit, Replay, speaking


class Browser:
    """Does with what it is sent as Chainlit's page does."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, Any]] = {}
        self.buttons: list[str] = []
        self.elements: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self.is_busy = False

    async def receive(self, event: str, payload: Any) -> None:
        match event:
            case "new_message" | "stream_start":
                self.steps[payload["id"]] = {**self.steps.get(payload["id"], {}), **payload}
            case "update_message" if payload["id"] in self.steps:
                self.steps[payload["id"]] |= payload
            case "stream_token" if payload["id"] in self.steps:
                self.steps[payload["id"]]["output"] += payload["token"]
            case "delete_message":
                self.remove(payload["id"])
            case "resume_thread":
                self.steps = {step["id"]: step for step in payload}
            case "chat_settings" | "first_interaction":
                self.facts[event] = payload
            case "action":
                self.buttons.append(payload["id"])
            case "remove_action" if payload["id"] in self.buttons:
                self.buttons.remove(payload["id"])
            case "element":
                self.elements[payload["id"]] = payload
            case "remove_element":
                self.elements.pop(payload["id"], None)
            case "task_start" | "task_end":
                self.is_busy = event == "task_start"

    def remove(self, step_id: str) -> None:
        """The step, and all that is in it."""
        self.steps.pop(step_id, None)
        for inner in [step for step in self.steps.values() if step.get("parentId") == step_id]:
            self.remove(inner["id"])

    @property
    def seen(self) -> tuple[Any, ...]:
        return (list(self.steps.items()), self.buttons, self.elements, self.facts, self.is_busy)


def replay_on(browser: Browser) -> Replay:
    """A session that has begun on a browser's page, at its socket 1."""
    replay = Replay()
    replay.begin("page", "1", emit=browser.receive)
    return replay


def step(key: str, output: str, *, streaming: bool = False) -> dict[str, Any]:
    parent = None if key.startswith("run") else "run"
    return {"id": key, "output": output, "streaming": streaming, "parentId": parent}


def token(key: str, text: str) -> dict[str, Any]:
    return {"id": key, "token": text, "isSequence": False, "isInput": False}


TURN: list[tuple[str, Any]] = [
    ("chat_settings", ["old"]),
    ("task_start", {}),
    ("first_interaction", "thread 1"),
    ("new_message", step("run", "")),
    ("chat_settings", ["new"]),
    ("new_message", step("wait", "")),
    ("delete_message", step("wait", "")),
    ("new_message", step("think", "")),
    ("stream_start", step("think", "a", streaming=True)),
    ("stream_token", token("think", "b")),
    ("stream_token", token("think", "c")),
    ("update_message", step("think", "abc!")),
    ("new_message", step("tool", "")),
    ("element", {"id": "card"}),
    ("element", {"id": "asks"}),
    ("remove_element", {"id": "asks"}),
    ("update_message", step("tool", "42")),
    ("stream_start", step("answer", "x", streaming=True)),
    ("stream_token", token("answer", "y")),
    ("new_message", step("answer", "xy")),
    ("action", {"id": "again"}),
    ("action", {"id": "save"}),
    ("remove_action", {"id": "save"}),
    ("task_end", {}),
    ("delete_message", step("run", "")),
    ("new_message", step("run 2", "")),
]


@pytest.mark.parametrize("back", range(len(TURN) + 1))
@pytest.mark.parametrize("gone", range(0, len(TURN) + 1, 3))
async def test_whenever_the_page_was_away_it_ends_up_with_everything(gone: int, back: int) -> None:
    always, browser = Browser(), Browser()
    replay = replay_on(browser)
    for number, (event, payload) in enumerate([*TURN, ("toast", {})]):
        if number == gone:
            replay.leave("1")
        if number == max(gone, back):
            replay.connect("page", "2", emit=browser.receive)
            assert not replay.is_new("2")
            await replay.catch_up("2")
            assert browser.seen == always.seen
        await replay.emit(event, payload)
        await always.receive(event, payload)
    assert browser.seen == always.seen


@pytest.mark.parametrize("joins", range(len(TURN) + 1))
async def test_whenever_another_page_comes_it_ends_up_with_everything_too(joins: int) -> None:
    one, two = Browser(), Browser()
    replay = replay_on(one)
    await replay.emit("first_interaction", "thread 1")
    await replay.emit("new_message", step("run 0", "old"))
    replay.forget_what_arrived()
    for number, (event, payload) in enumerate([*TURN, ("toast", {})]):
        if number == joins:
            replay.connect("other page", "2", emit=two.receive)
            assert replay.is_new("2")
            stored = [step("run 0", "old")]
            await replay.catch_up("2", [("first_interaction", "thread 1"), ("resume_thread", stored)])
            assert not replay.is_new("2")
            assert one.seen == two.seen
        await replay.emit(event, payload)
    assert one.seen == two.seen


async def test_what_is_sent_while_a_page_catches_up_comes_after_what_it_missed() -> None:
    browser, replay = Browser(), Replay()

    async def slowly(event: str, payload: Any) -> None:
        await browser.receive(event, payload)
        if event == "new_message" and payload["id"] == "answer":
            await replay.emit("stream_token", token("answer", "y"))
            await replay.emit("new_message", step("run 2", ""))

    replay.begin("page", "1", emit=browser.receive)
    replay.leave("1")
    await replay.emit("stream_start", step("answer", "x", streaming=True))
    replay.connect("page", "2", emit=slowly)
    await replay.catch_up("2")
    assert {key: value["output"] for key, value in browser.steps.items()} == {"answer": "xy", "run 2": ""}


async def test_nothing_reaches_a_page_between_its_return_and_the_replay() -> None:
    browser = Browser()
    replay = replay_on(browser)
    replay.leave("1")
    await replay.emit("stream_start", step("answer", "x", streaming=True))
    replay.connect("page", "2", emit=browser.receive)
    await replay.emit("stream_token", token("answer", "y"))
    assert browser.steps == {}
    await replay.catch_up("2")
    assert browser.steps["answer"]["output"] == "xy"


async def test_what_a_page_that_speaks_has_had_is_not_sent_again_but_what_streams_and_buttons_are() -> None:
    browser = Browser()
    replay = replay_on(browser)
    await replay.emit("new_message", step("old", "done"))
    await replay.emit("action", {"id": "check"})
    await replay.emit("stream_start", step("answer", "x", streaming=True))
    replay.forget_what_arrived()
    browser = Browser()
    await replay.emit("stream_token", token("answer", "y"))
    replay.connect("page", "2", emit=browser.receive)
    await replay.catch_up("2")
    assert [(key, value["output"]) for key, value in browser.steps.items()] == [("answer", "xy")]
    assert browser.buttons == ["check"]


async def test_what_went_to_a_connection_that_had_ended_unseen_is_sent_again() -> None:
    async def nowhere(_event: str, _payload: Any) -> None:
        pass

    browser, replay = Browser(), Replay()
    replay.begin("page", "1", emit=nowhere)
    await replay.emit("chat_settings", ["all"])
    replay.connect("page", "2", emit=browser.receive)
    await replay.catch_up("2")
    assert browser.facts == {"chat_settings": ["all"]}


async def test_nothing_is_forgotten_while_a_turn_runs() -> None:
    replay = replay_on(Browser())
    await replay.emit("task_start", {})
    await replay.emit("new_message", step("card", ""))
    replay.forget_what_arrived()
    new = Browser()
    replay.connect("other page", "2", emit=new.receive)
    await replay.catch_up("2")
    assert list(new.steps) == ["card"]


async def test_a_page_that_was_away_while_another_spoke_is_a_new_one_but_for_its_old_buttons() -> None:
    browser = Browser()
    replay = replay_on(browser)
    await replay.emit("action", {"id": "again"})
    replay.connect("other page", "2", emit=Browser().receive)
    await replay.catch_up("2")
    replay.leave("1")
    await replay.emit("remove_action", {"id": "again"})
    for _ in range(2):
        replay.forget_what_arrived()
    replay.connect("page", "3", emit=browser.receive)
    assert replay.is_new("3")
    await replay.catch_up("3")
    assert browser.buttons == []


async def test_what_was_asked_for_by_one_page_is_told_to_it_alone_and_a_question_to_the_others() -> None:
    told: list[tuple[str, str]] = []

    def noting(page: str) -> Emit:
        async def note(event: str, payload: Any) -> None:
            told.append((page, event))

        return note

    replay = Replay()
    replay.begin("a", "1", emit=noting("a"))
    replay.connect("b", "2", emit=noting("b"))
    await replay.catch_up("2")
    told.clear()
    await replay.ask("2", step("question", "?"))
    await replay.emit("toast", {})
    speaking.set("2")
    await replay.emit("window_message", {})
    assert told == [("a", "new_message"), ("a", "toast"), ("b", "toast"), ("b", "window_message")]


@given(st.lists(st.text(min_size=1, max_size=3), max_size=8), st.booleans())
async def test_a_text_that_streamed_is_sent_again_in_whole(pieces: list[str], replaces: bool) -> None:
    browser = Browser()
    replay = replay_on(browser)
    replay.leave("1")
    await replay.emit("stream_start", step("answer", "first ", streaming=True))
    await replay.emit("stream_token", {**token("answer", "instead "), "isSequence": replaces})
    for piece in pieces:
        await replay.emit("stream_token", token("answer", piece))
    replay.connect("page", "2", emit=browser.receive)
    await replay.catch_up("2")
    first = "instead " if replaces else "first instead "
    assert browser.steps["answer"]["output"] == first + "".join(pieces)
