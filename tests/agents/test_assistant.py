"""Turns as typed events: the real client, agent and workflow against a provider that replays a script."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from typing import Annotated

import pytest

from agents.assistant import Assistant
from agents.events import (
    AnswerDelta,
    EndReason,
    Retrying,
    RoundStarted,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnEvent,
    UsageReported,
)
from agents.history import PastTurn
from agents.react import ReasoningReActAgent
from llm.client import DeepSeek
from llm.errors import OutOfTokens, ServerFailed, StreamCut
from tests.provider.replies import Drop, Hold, Pause, Reply, error, stream
from tests.provider.server import ProviderServer
from tools.base import ToolError, ToolResult, as_tool

USAGE = UsageReported(prompt_tokens=40, cached_tokens=30, thinking_tokens=12, completion_tokens=20)


async def look_up(city: Annotated[str, "A city."]) -> ToolResult:
    """Look a city up."""
    if city == "Nowhere":
        raise ToolError("There is no such place.")
    if city == "Slow":
        await asyncio.sleep(60)
    return ToolResult(f"{city}: 12 °C", display=("a card",))


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


def agent_on(provider: ProviderServer, *, max_rounds: int = 5) -> ReasoningReActAgent:
    llm = DeepSeek(api_base=provider.api_base, api_key="x", max_retries=0)
    return ReasoningReActAgent(
        llm=llm, tools=[as_tool(look_up, touches="nothing", timeout_s=90)], max_rounds=max_rounds
    )


def call(city: str) -> Reply:
    return stream(f'Thought: Look.\nAction: look_up\nAction Input: {{"city": "{city}"}}', thinking="Hm.", size=400)


async def told(assistant: Assistant, agent: ReasoningReActAgent, question: str = "Hi") -> list[TurnEvent]:
    return [event async for event in assistant.reply(question, agent=agent, turn_id=question)]


def joined(events: list[TurnEvent]) -> list[TurnEvent]:
    """The story with neighbouring deltas of one kind made one, and times and ids left out."""
    story: list[TurnEvent] = []
    for event in events:
        match event, story[-1] if story else None:
            case ThinkingDelta(text), ThinkingDelta(before):
                story[-1] = ThinkingDelta(before + text)
            case ThoughtDelta(text), ThoughtDelta(before):
                story[-1] = ThoughtDelta(before + text)
            case AnswerDelta(text), AnswerDelta(before):
                story[-1] = AnswerDelta(before + text)
            case _:
                story.append(without_times(event))
    return story


def without_times(event: TurnEvent) -> TurnEvent:
    match event:
        case ThinkingEnded():
            return ThinkingEnded(0)
        case ToolStarted():
            return ToolStarted("id", event.name, event.arguments)
        case ToolFinished():
            return ToolFinished("id", event.text, 0, event.is_error, event.display)
        case TurnEnded():
            return TurnEnded(event.reason, 0, event.error)
    return event


async def test_a_turn_with_a_tool_is_told_in_order(provider: ProviderServer) -> None:
    provider.add(call("Oslo"), stream("Thought: I know.\nAnswer: It is 12 °C.", thinking="Good."))
    events = await told(Assistant(), agent_on(provider))
    assert joined(events) == [
        RoundStarted(1),
        ThinkingDelta("Hm."),
        ThinkingEnded(0),
        ThoughtDelta("Look."),
        ToolStarted("id", "look_up", {"city": "Oslo"}),
        ToolFinished("id", "Oslo: 12 °C", 0, display=("a card",)),
        RoundStarted(2),
        ThinkingDelta("Good."),
        ThinkingEnded(0),
        ThoughtDelta("I know."),
        AnswerDelta("It is 12 °C."),
        USAGE,
        TurnEnded("answered", 0),
    ]
    started, finished = (event for event in events if isinstance(event, ToolStarted | ToolFinished))
    assert started.call_id == finished.call_id


@pytest.mark.parametrize("size", [3, 7, 400])
async def test_text_that_turns_out_to_be_thinking_is_no_part_of_the_answer(provider: ProviderServer, size: int) -> None:
    provider.add(stream("The user greets me.\n</think>\n\nGood day!", size=size))
    events = joined(await told(Assistant(), agent_on(provider)))
    assert events[1:4] == [ThinkingDelta("The user greets me."), ThinkingEnded(0), AnswerDelta("Good day!")]


async def test_a_tools_error_is_a_finished_call(provider: ProviderServer) -> None:
    provider.add(call("Nowhere"), stream("Answer: I could not find it."))
    finished = [event for event in await told(Assistant(), agent_on(provider)) if isinstance(event, ToolFinished)]
    assert [(event.text, event.is_error) for event in finished] == [("There is no such place.", True)]


async def test_thinking_takes_the_time_from_its_first_to_its_last_token(provider: ProviderServer) -> None:
    provider.add(stream("Answer: Yes.", thinking="abcd" * 5, pause=0.1))
    ended = [event for event in await told(Assistant(), agent_on(provider)) if isinstance(event, ThinkingEnded)]
    assert len(ended) == 1
    assert 0.35 < ended[0].seconds < 0.8


@pytest.mark.parametrize(
    ("reply", "reason"), [(stream(""), "empty"), (stream("", thinking="Only this."), "thinking_only")]
)
async def test_a_useless_reply_is_asked_for_again(provider: ProviderServer, reply: Reply, reason: str) -> None:
    provider.add(reply, stream("Answer: Here I am."))
    events = await told(Assistant(), agent_on(provider))
    assert [event.reason for event in events if isinstance(event, Retrying)] == [reason]
    assert joined(events)[-3:] == [AnswerDelta("Here I am."), USAGE, TurnEnded("answered", 0)]


async def test_at_the_last_round_the_best_answer_so_far_is_given_and_marked(provider: ProviderServer) -> None:
    provider.add(call("Oslo"), call("Bergen"), stream("Answer: Oslo has 12 °C; I could not look further."))
    events = await told(Assistant(), agent_on(provider, max_rounds=2))
    assert joined(events)[-3:] == [
        AnswerDelta("Oslo has 12 °C; I could not look further."),
        USAGE,
        TurnEnded("gave_up", 0),
    ]
    assert sum(isinstance(event, ToolStarted) for event in events) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "kept"),
    [
        (error(500, "boom"), ServerFailed, ""),
        (stream("Answer: Half of", tail=[Pause(0.1), Drop()]), StreamCut, "Half of"),
        (stream("Answer: Half of", tail=[]), StreamCut, "Half of"),
    ],
)
async def test_a_failed_turn_keeps_what_came_and_says_why(
    provider: ProviderServer, reply: Reply, kind: type[Exception], kept: str
) -> None:
    provider.add(reply)
    events = await told(Assistant(), agent_on(provider))
    assert "".join(event.text for event in events if isinstance(event, AnswerDelta)) == kept
    assert isinstance(events[-1], TurnEnded)
    assert events[-1].reason == "failed"
    assert isinstance(events[-1].error, kind)


async def test_an_answer_that_hit_the_limit_says_so(provider: ProviderServer) -> None:
    provider.add(stream("Answer: And so on and", finish="length"))
    ended = (await told(Assistant(), agent_on(provider)))[-1]
    assert isinstance(ended, TurnEnded)
    assert ended.reason == "answered"
    assert isinstance(ended.error, OutOfTokens)


async def test_a_call_that_the_limit_cut_is_not_run(provider: ProviderServer) -> None:
    provider.add(stream("Action: look_up\nAction Input: Os", finish="length"), stream("Answer: Sorry."))
    events = await told(Assistant(), agent_on(provider))
    assert not [event for event in events if isinstance(event, ToolStarted)]
    assert [event.reason for event in events if isinstance(event, Retrying)] == ["unreadable"]


async def test_leaving_early_stops_the_model_and_is_remembered(provider: ProviderServer) -> None:
    provider.add(stream("Answer: As far as I", tail=[Hold()]), stream("Answer: Yes."))
    assistant, agent = Assistant(), agent_on(provider)
    async with aclosing(assistant.reply("Why?", agent=agent, turn_id="1")) as events:
        await anext(event async for event in events if isinstance(event, AnswerDelta))
    assert await asyncio.to_thread(provider.requests[0].over.wait, 1)
    assert provider.requests[0].client_left
    await told(assistant, agent)
    assert "[The user stopped the answer here.]" in provider.requests[1].body["messages"][2]["content"]


async def test_cancelling_stops_a_tool_at_once(provider: ProviderServer) -> None:
    provider.add(call("Slow"), stream("Answer: Yes."))
    assistant, agent = Assistant(), agent_on(provider)
    started = asyncio.Event()

    async def play() -> None:
        async for event in assistant.reply("Why?", agent=agent, turn_id="1"):
            if isinstance(event, ToolStarted):
                started.set()

    turn = asyncio.create_task(play())
    await asyncio.wait_for(started.wait(), 10)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(turn, 1)
    running = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not [task for task in running if "look_up" in str(task.get_stack())]
    await told(assistant, agent)
    assert len(provider.requests) == 2


async def test_an_edited_question_takes_the_place_of_its_turn_and_all_later_ones(provider: ProviderServer) -> None:
    provider.add(*[stream("Answer: ok")] * 4)
    assistant, agent = Assistant(), agent_on(provider)
    for turn_id in ("a", "b", "c"):
        await told(assistant, agent, turn_id)
    assert [event async for event in assistant.reply("b, better", agent=agent, turn_id="b")]
    questions = [m["content"] for m in provider.requests[3].body["messages"] if m["role"] == "user"]
    assert questions == ["a", "b, better"]


@pytest.mark.parametrize("ended", ["answered", "stopped"])
async def test_a_chat_goes_on_from_its_history(provider: ProviderServer, ended: EndReason) -> None:
    provider.add(stream("Answer: ok"))
    await told(Assistant([PastTurn("1", "My name is Ada", "Hello Ada", ended)]), agent_on(provider))
    assert provider.requests[0].body["messages"][1]["content"] == "My name is Ada"


async def test_turns_that_have_left_the_page_are_forgotten(provider: ProviderServer) -> None:
    provider.add(stream("Answer: ok"))
    past = [PastTurn(name, f"Question {name}", "Answer", "answered") for name in ("1", "2", "3")]
    assistant = Assistant(past)
    assistant.forget({"never begun", "2"})
    await told(assistant, agent_on(provider))
    told_of = [message["content"] for message in provider.requests[0].body["messages"] if message["role"] == "user"]
    assert told_of[:2] == ["Question 1", "Question 3"]
