"""What a page is sent again when it comes back, for a page that was away at any moment."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.replay import Replay


class Browser:
    """Does with what it is sent as Chainlit's page does."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, Any]] = {}
        self.buttons: list[str] = []
        self.elements: dict[str, Any] = {}
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
                self.steps.pop(payload["id"], None)
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

    @property
    def seen(self) -> tuple[Any, ...]:
        return (list(self.steps.items()), self.buttons, self.elements, self.is_busy)


async def into_the_void(event: str, payload: Any) -> None:
    pass


def step(key: str, output: str, *, streaming: bool = False) -> dict[str, Any]:
    return {"id": key, "output": output, "streaming": streaming}


def token(key: str, text: str) -> dict[str, Any]:
    return {"id": key, "token": text, "isSequence": False, "isInput": False}


TURN: list[tuple[str, Any]] = [
    ("task_start", {}),
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
]


@pytest.mark.parametrize("back", range(len(TURN) + 1))
@pytest.mark.parametrize("gone", range(0, len(TURN) + 1, 3))
async def test_whenever_the_page_was_away_it_ends_up_with_everything(gone: int, back: int) -> None:
    always, browser = Browser(), Browser()
    replay = Replay(browser.receive)
    for number, (event, payload) in enumerate([*TURN, ("toast", {})]):
        if number == gone:
            replay.hold(into_the_void)
        if number == max(gone, back):
            replay.hold(browser.receive)
            await replay.send_again()
            assert browser.seen == always.seen
        await replay.emit(event, payload)
        await always.receive(event, payload)
    assert browser.seen == always.seen


async def test_nothing_reaches_a_page_between_its_return_and_the_replay() -> None:
    browser = Browser()
    replay = Replay(into_the_void)
    await replay.emit("stream_start", step("answer", "x", streaming=True))
    replay.hold(browser.receive)
    await replay.emit("stream_token", token("answer", "y"))
    assert browser.steps == {}
    await replay.send_again()
    assert browser.steps["answer"]["output"] == "xy"


async def test_what_a_page_that_speaks_has_had_is_not_sent_again_but_what_streams_is() -> None:
    browser = Browser()
    replay = Replay(into_the_void)
    await replay.emit("new_message", step("old", "done"))
    await replay.emit("stream_start", step("answer", "x", streaming=True))
    replay.forget_what_arrived()
    await replay.emit("stream_token", token("answer", "y"))
    replay.hold(browser.receive)
    await replay.send_again()
    assert [(key, value["output"]) for key, value in browser.steps.items()] == [("answer", "xy")]


@given(st.lists(st.text(min_size=1, max_size=3), max_size=8), st.booleans())
async def test_a_text_that_streamed_is_sent_again_in_whole(pieces: list[str], replaces: bool) -> None:
    browser = Browser()
    replay = Replay(into_the_void)
    await replay.emit("stream_start", step("answer", "first ", streaming=True))
    await replay.emit("stream_token", {**token("answer", "instead "), "isSequence": replaces})
    for piece in pieces:
        await replay.emit("stream_token", token("answer", piece))
    replay.hold(browser.receive)
    await replay.send_again()
    first = "instead " if replaces else "first instead "
    assert browser.steps["answer"]["output"] == first + "".join(pieces)
