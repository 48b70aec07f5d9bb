"""A Stop may come at any moment of a turn, also while something of it is being begun or ended on the page."""

import asyncio
from typing import Any

import pytest
from chainlit.context import init_http_context

from agents.events import AnswerDelta, RoundStarted, ThinkingDelta, ThinkingEnded, ThoughtDelta, TurnEnded
from tests.e2e.chat_client import Page
from tests.ui.recording_page import RecordingEmitter, tool
from tools.cards import TableCard
from ui.texts import ENGLISH
from ui.turn_view import TurnView

pytestmark = pytest.mark.usefixtures("files_folder")

ROWS = TableCard(title="", columns=("a",), rows=((1,),), total_rows=1)
MOMENTS = 400
"""More than the turn takes."""
TURN = [
    RoundStarted(1), ThinkingDelta("Well."), ThinkingEnded(1.0), ThoughtDelta("I look."),
    *tool("query_data", {"sql": "SELECT 1"}, display=(ROWS,)),
    RoundStarted(2), AnswerDelta("It is 1."), TurnEnded("answered", 2.0),
]  # fmt: skip


class BusyEmitter(RecordingEmitter):
    """Lets others have their turn whenever something is sent, as a socket does."""

    async def send_step(self, step_dict: Any) -> None:
        await asyncio.sleep(0)
        await super().send_step(step_dict)

    async def update_step(self, step_dict: Any) -> None:
        await asyncio.sleep(0)
        await super().update_step(step_dict)

    async def send_element(self, element_dict: Any) -> None:
        await asyncio.sleep(0)
        self.page.put_element(dict(element_dict))


async def cut_after(moments: int) -> tuple[Page, bool]:
    """The page of a turn that was stopped after so many rounds of the event loop, and whether it was over by then."""
    context = init_http_context()
    emitter = context.emitter = BusyEmitter(context.session)
    view = TurnView(ENGLISH)

    async def show() -> None:
        for event in TURN:
            await view.show(event)

    turn = asyncio.create_task(show())
    for _ in range(moments):
        await asyncio.sleep(0)
    is_over = turn.done()
    turn.cancel()
    await asyncio.wait({turn})
    await view.end("stopped")
    return emitter.page, is_over


@pytest.mark.parametrize("moments", range(0, MOMENTS, 2))
async def test_all_that_was_begun_is_ended_and_nothing_is_said_twice(moments: int) -> None:
    page, is_over = await cut_after(moments)
    last_lines = [step for step in page.of_type("undefined") if "turn" in step["metadata"]]
    assert len(last_lines) == 1
    assert all(step["end"] for step in page.steps.values() if step["type"] != "assistant_message")
    (message,) = page.of_type("assistant_message")
    assert message["output"] in ("It is 1.", ENGLISH.turn.unanswered["stopped"])
    assert ENGLISH.turn.thinking not in [step["name"] for step in page.of_type("llm")]
    done = [step for step in page.of_type("tool") if step["name"] == "Queried the data · 1 row"]
    assert len(page.props_of("Table")) == len(done)
    assert not is_over or done
    assert last_lines[0] is list(page.steps.values())[-1]


async def test_the_moments_reach_to_the_end() -> None:
    """In one of ten turns: a thread writes the card's file, for which a busy machine may take longer."""
    assert any([(await cut_after(MOMENTS - 1))[1] for _ in range(10)])
