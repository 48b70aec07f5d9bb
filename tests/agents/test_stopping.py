"""Stop, at every moment of a turn: all of it ends within a second, and nothing of it is ever done again."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import pytest

from agents.assistant import Assistant
from agents.events import (
    AnswerDelta,
    Retrying,
    RoundStarted,
    ThinkingDelta,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
)
from agents.react import ReasoningReActAgent
from llm.client import DeepSeek
from tests.provider.replies import Hold, Reply, stream
from tests.provider.server import ProviderServer
from tools.base import ToolResult, as_tool

CALL = stream('Thought: Look.\nAction: look_up\nAction Input: {"city": "Oslo"}', size=400)
SLOW_CALL = stream('Thought: Look.\nAction: look_up\nAction Input: {"city": "Slow"}', size=400)
ANSWER = stream("Answer: Yes.", size=400)
EMPTY = stream("")
LIMIT_S = 1.0


class Places:
    """A tool that counts how often it ran and how often it was stopped."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.stopped = 0

    async def look_up(self, city: Annotated[str, "A city."]) -> ToolResult:
        """Look a city up."""
        self.asked.append(city)
        try:
            await asyncio.sleep(60 if city == "Slow" else 0)
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        return ToolResult(f"{city}: 12 °C")


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def places() -> Places:
    return Places()


def agent_on(provider: ProviderServer, places: Places, *, max_rounds: int = 5) -> ReasoningReActAgent:
    llm = DeepSeek(api_base=provider.api_base, api_key="x", max_retries=0)
    tool = as_tool(places.look_up, touches="nothing", timeout_s=90)
    return ReasoningReActAgent(llm=llm, tools=[tool], max_rounds=max_rounds)


async def stopped_at(moment: "Moment", provider: ProviderServer, assistant: Assistant, places: Places) -> float:
    """Play a turn, stop it at the moment, and say how many seconds stopping took."""
    reached = asyncio.Event()

    async def play() -> None:
        agent = agent_on(provider, places, max_rounds=moment.max_rounds)
        async for event in assistant.reply("Why?", agent=agent, turn_id="1"):
            if isinstance(event, moment.event):
                reached.set()

    turn = asyncio.create_task(play())
    await asyncio.wait_for(reached.wait(), 10)
    await asyncio.to_thread(provider.wait_for_request, len(moment.replies))
    began = time.monotonic()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    return time.monotonic() - began


@dataclass(frozen=True)
class Moment:
    """The last of the replies is being waited for or listened to, and this event has been seen."""

    event: type[TurnEvent]
    replies: Sequence[Reply]
    max_rounds: int = 5


HELD = [Hold()]
MOMENTS = {
    "before a word": Moment(RoundStarted, [stream(tail=HELD)]),
    "thinking": Moment(ThinkingDelta, [stream(thinking="Hm.", tail=HELD)]),
    "thought": Moment(ThoughtDelta, [stream("Thought: I must look", tail=HELD)]),
    "answer": Moment(AnswerDelta, [stream("Answer: As far", tail=HELD)]),
    "a call that is being written": Moment(ThoughtDelta, [stream("Thought: Look\nAction: look_up\nAct", tail=HELD)]),
    "a tool": Moment(ToolStarted, [SLOW_CALL]),
    "the reply after a tool": Moment(AnswerDelta, [CALL, stream("Answer: As far", tail=HELD)]),
    "a retry, before a word": Moment(Retrying, [EMPTY, stream(tail=HELD)]),
    "a retry": Moment(ThoughtDelta, [EMPTY, stream("Thought: I must look", tail=HELD)]),
    "a tool after a retry": Moment(ToolStarted, [EMPTY, SLOW_CALL]),
    "the closing call, before a word": Moment(ToolFinished, [CALL, CALL, stream(tail=HELD)], 2),
    "the closing call, thinking": Moment(ThinkingDelta, [CALL, CALL, stream(thinking="Hm.", tail=HELD)], 2),
    "the closing call": Moment(AnswerDelta, [CALL, CALL, stream("Answer: As far", tail=HELD)], 2),
    "the closing call after failures": Moment(AnswerDelta, [EMPTY, EMPTY, stream("Answer: As far", tail=HELD)]),
}


@pytest.mark.parametrize("name", MOMENTS)
async def test_all_ends_within_a_second_and_is_never_done_again(
    name: str, provider: ProviderServer, places: Places
) -> None:
    moment, assistant, before = MOMENTS[name], Assistant(), asyncio.all_tasks()
    provider.add(*moment.replies)
    assert await stopped_at(moment, provider, assistant, places) < LIMIT_S
    for request in provider.requests:
        assert await asyncio.to_thread(request.over.wait, LIMIT_S)
    assert asyncio.all_tasks() == before
    assert places.stopped == places.asked.count("Slow")

    asked = list(places.asked)
    provider.reset(lambda request: ANSWER)
    agent = agent_on(provider, places)
    assert [event async for event in assistant.reply("And now?", agent=agent, turn_id="2")]
    [request] = provider.requests
    said = [(message["role"], message["content"]) for message in request.body["messages"][1:]]
    assert [role for role, _ in said] == ["user", "assistant", "user"]
    assert [said[0][1], said[2][1]] == ["Why?", "And now?"]
    assert said[1][1].endswith("[The user stopped the answer here.]")
    assert places.asked == asked
