"""Native tool calling: the real client, agent and workflow against a provider that replays a script."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context

from agents.assistant import Assistant
from agents.events import (
    AnswerDelta,
    Retrying,
    RoundStarted,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
)
from agents.native import ReasoningFunctionAgent
from agents.native.speech import LONGEST_REMARK, Speech
from agents.stream_events import NOTHING_TO_SAY
from llm.client import DeepSeek
from llm.errors import StreamCut
from tests.agents.native_turns import (
    COUNTS,
    LONG,
    Places,
    agent_on,
    as_tools,
    calling,
    calls_as_written,
    of_kind,
    tool_texts,
)
from tests.agents.scripted_llm import Say, ScriptedLLM
from tests.agents.test_assistant import joined, told
from tests.provider.replies import DONE, Hold, Reply, chunk, json_reply, message, pieces, stream
from tests.provider.server import ProviderServer


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def places() -> Places:
    return Places()


# The story


async def test_calls_of_one_reply_run_side_by_side(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Oslo", "Bergen", text="Let me look."), stream("Both 12 °C.", thinking="Good."))
    events = await told(Assistant(), agent_on(provider, places))
    untimed = [replace(event, seconds=0) if isinstance(event, ToolFinished) else event for event in events]
    tool_events = [event for event in untimed if isinstance(event, ToolStarted | ToolFinished)]
    assert tool_events == [
        ToolStarted("call_00", "look_up", {"city": "Oslo"}),
        ToolStarted("call_01", "look_up", {"city": "Bergen"}),
        ToolFinished("call_01", "Bergen: 12 °C", 0, display=("a card",)),
        ToolFinished("call_00", "Oslo: 12 °C", 0, display=("a card",)),
    ]
    started = [ToolStarted("id", "look_up", {"city": city}) for city in ("Oslo", "Bergen")]
    finished = [ToolFinished("id", f"{city}: 12 °C", 0, display=("a card",)) for city in ("Bergen", "Oslo")]
    assert joined(events) == [
        RoundStarted(1),
        ThinkingDelta("Hm."),
        ThinkingEnded(0),
        ThoughtDelta("Let me look."),
        COUNTS,
        *started,
        *finished,
        RoundStarted(2),
        ThinkingDelta("Good."),
        ThinkingEnded(0),
        AnswerDelta("Both 12 °C."),
        COUNTS,
        TurnEnded("answered", 0),
    ]


async def test_calls_that_need_each_other_follow_each_other(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen"), calling("Nowhere"), stream("Only Bergen is known."))
    events = await told(Assistant(), agent_on(provider, places))
    finished = of_kind(events, ToolFinished)
    assert [(one.text, one.is_error) for one in finished] == [
        ("Bergen: 12 °C", False),
        ("There is no such place.", True),
    ]
    assert tool_texts(provider, 2) == [
        '<tool_result source="look_up">\nBergen: 12 °C\n</tool_result>',
        '<tool_result source="look_up" kind="error">\nThere is no such place.\n</tool_result>',
    ]
    assert joined(events)[-1] == TurnEnded("answered", 0)


# Remark or answer


async def test_an_answer_streams_from_the_moment_it_is_too_long_for_a_remark(
    provider: ProviderServer, places: Places
) -> None:
    provider.add(stream(LONG[: LONGEST_REMARK + 1], tail=[Hold()]))
    async with aclosing(Assistant().reply("Hi", agent=agent_on(provider, places), turn_id="1")) as events:
        first = await anext(event async for event in events if isinstance(event, AnswerDelta))
        assert first.text == LONG[: LONGEST_REMARK + 1]
        assert not provider.requests[0].over.is_set()


async def test_without_tools_the_first_token_goes_on_at_once(provider: ProviderServer) -> None:
    provider.add(stream("Yes, gladly", size=3, tail=[Hold()]))
    agent = ReasoningFunctionAgent(llm=DeepSeek(api_base=provider.api_base, api_key="x"), tools=[])
    async with aclosing(Assistant().reply("Hi", agent=agent, turn_id="1")) as events:
        assert (await anext(event async for event in events if isinstance(event, AnswerDelta))).text.startswith("Yes")
    assert "tools" not in provider.requests[0].body
    assert "tool" not in provider.requests[0].body["messages"][0]["content"]


async def test_where_no_tool_is_offered_a_call_counts_for_nothing(provider: ProviderServer, places: Places) -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "look_up", "arguments": "{}"}}]}
    words = [chunk({"content": "Rain"}), chunk(call), chunk({"content": " it is."}), chunk(finish="stop"), DONE]
    provider.add(Reply(tuple(words)), Reply((words[1], words[0], *words[2:])))
    agent = agent_on(provider, places)
    agent.tools = []
    for turn in ("Hi", "Again"):
        events = await told(Assistant(), agent, turn)
        assert of_kind(events, ThoughtDelta, AnswerDelta, TurnEnded) == [
            AnswerDelta("Rain it is."),
            TurnEnded("answered", 0),
        ]


async def test_what_was_shown_as_answer_stays_and_goes_on_after_the_calls(
    provider: ProviderServer, places: Places
) -> None:
    provider.add(calling("Bergen", text=LONG.strip()), stream("And 12 °C."))
    assistant = Assistant()
    events = await told(assistant, agent_on(provider, places))
    assert [event.text for event in of_kind(events, AnswerDelta)] == [LONG.strip(), "\n\nAnd 12 °C."]
    assert of_kind(events, ThoughtDelta) == []
    assert provider.requests[1].body["messages"][2]["content"] == LONG.strip()


@settings(deadline=None, max_examples=200)
@example(before="Let me look.", after=LONG, has_call=True, size=7)
@given(before=st.text(max_size=400), after=st.text(max_size=400), has_call=st.booleans(), size=st.integers(1, 500))
def test_nothing_is_lost_and_no_chunking_changes_what_is_shown(
    before: str, after: str, has_call: bool, size: int
) -> None:
    def shown(size: int) -> tuple[str, str]:
        speech = Speech(may_call=True)
        parts = [speech.text(piece) for piece in pieces(before, size)]
        parts += [speech.call()] if has_call else []
        parts += [speech.text(piece) for piece in pieces(after, size)]
        parts.append(speech.end())
        return "".join(part.thought for part in parts), "".join(part.answer for part in parts)

    thought, answer = shown(size)
    assert (thought, answer) == shown(1)
    assert "".join((thought + answer).split()) == "".join((before + after).split())
    if has_call:
        assert bool(answer) == (len(before.lstrip().encode()) > LONGEST_REMARK)


@settings(deadline=None, max_examples=25)
@given(size=st.integers(1, 60), remark=st.sampled_from(["", "Let me look.", "我来查一下。\n\n", LONG]))
async def test_the_story_is_the_same_for_any_chunk_size(size: int, remark: str) -> None:
    with ProviderServer() as provider:
        provider.add(
            calling("Bergen", text=remark, thinking="Hm, so.", size=size), stream(LONG, thinking="Good.", size=size)
        )
        events = joined(await told(Assistant(), agent_on(provider, Places())))
    is_long = remark == LONG
    assert events == [
        RoundStarted(1),
        ThinkingDelta("Hm, so."),
        ThinkingEnded(0),
        *([AnswerDelta(remark)] if is_long else [ThoughtDelta(remark.strip())] if remark else []),
        COUNTS,
        ToolStarted("id", "look_up", {"city": "Bergen"}),
        ToolFinished("id", "Bergen: 12 °C", 0, display=("a card",)),
        RoundStarted(2),
        ThinkingDelta("Good."),
        ThinkingEnded(0),
        AnswerDelta("\n\n" + LONG if is_long else LONG),
        COUNTS,
        TurnEnded("answered", 0),
    ]


# Ending well


@pytest.mark.parametrize(
    ("reply", "reason", "note"),
    [
        (stream(""), "empty", "Your last reply was empty"),
        (stream(" \n\n "), "empty", "Your last reply was empty"),
        (stream("", thinking="Only this."), "thinking_only", "You have been thinking but wrote no answer"),
    ],
)
@pytest.mark.parametrize("has_tools", [True, False])
async def test_a_useless_reply_is_asked_for_again(
    provider: ProviderServer, places: Places, reply: Reply, reason: Any, note: str, has_tools: bool
) -> None:
    provider.add(reply, stream("Here I am."))
    agent = agent_on(provider, places)
    agent.tools = agent.tools if has_tools else []
    events = await told(Assistant(), agent)
    assert of_kind(events, Retrying, AnswerDelta) == [Retrying(reason), AnswerDelta("Here I am.")]
    _, question = provider.requests[1].body["messages"]
    assert question["role"] == "user"
    assert question["content"].startswith("Hi\n\n")
    assert note in question["content"]


async def test_at_the_last_round_the_best_answer_so_far_is_given_and_marked(
    provider: ProviderServer, places: Places
) -> None:
    provider.add(calling("Bergen"), calling("Slow", text="One more."), stream("Bergen has 12 °C; I know no more."))
    events = await told(Assistant(), agent_on(provider, places, max_rounds=2))
    assert joined(events)[-3:] == [
        AnswerDelta("Bergen has 12 °C; I know no more."),
        COUNTS,
        TurnEnded("gave_up", 0),
    ]
    assert places.calls == [("Bergen", 1)]
    closing = provider.requests[2].body
    assert "tools" not in closing
    assert [message["role"] for message in closing["messages"]] == ["system", "user", "assistant", "tool"]
    assert "You can use no more tools" in closing["messages"][-1]["content"]


async def test_the_last_allowed_reply_counts_if_it_is_an_answer(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen"), stream("12 °C."))
    assert joined(await told(Assistant(), agent_on(provider, places, max_rounds=2)))[-1] == TurnEnded("answered", 0)


async def test_the_same_call_in_vain_twice_ends_the_turn(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Nowhere", "Nowhere"), calling("Bergen"), calling("Nowhere"), stream("There is no Nowhere."))
    events = await told(Assistant(), agent_on(provider, places, max_rounds=9))
    assert [city for city, _ in places.calls] == ["Nowhere", "Nowhere", "Bergen", "Nowhere"]
    assert joined(events)[-3:] == [AnswerDelta("There is no Nowhere."), COUNTS, TurnEnded("gave_up", 0)]


async def test_a_call_that_is_refused_again_beside_good_ones_ends_the_turn(
    provider: ProviderServer, places: Places
) -> None:
    bad = ("fly", "{}")
    provider.add(*[calls_as_written(bad, ("look_up", f'{{"city": "{city}"}}')) for city in ("Bergen", "Turku")])
    provider.add(stream("12 °C in both."))
    assert joined(await told(Assistant(), agent_on(provider, places)))[-1] == TurnEnded("gave_up", 0)
    assert "tools" not in provider.requests[2].body


async def test_two_useless_replies_in_a_row_end_the_turn(provider: ProviderServer, places: Places) -> None:
    provider.add(calls_as_written(("fly", "{}")), stream(""), stream("I can't."))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, Retrying, AnswerDelta, TurnEnded) == [
        Retrying("unreadable"),
        AnswerDelta("I can't."),
        TurnEnded("gave_up", 0),
    ]


async def test_only_useless_replies_in_a_row_count(provider: ProviderServer, places: Places) -> None:
    bad = calls_as_written(("fly", "{}"))
    provider.add(bad, calling("Bergen"), stream(""), stream("12 °C."))
    assert joined(await told(Assistant(), agent_on(provider, places)))[-1] == TurnEnded("answered", 0)


@pytest.mark.parametrize("closing", [stream("", thinking="Hm."), calling("Bergen")])
async def test_a_turn_in_which_nothing_is_ever_said_ends_too(
    provider: ProviderServer, places: Places, closing: Reply
) -> None:
    provider.add(stream(""), closing)
    events = await told(Assistant(), agent_on(provider, places, max_rounds=1))
    assert of_kind(events, Retrying, AnswerDelta, ToolStarted, TurnEnded) == [TurnEnded("gave_up", 0)]
    assert len(provider.requests) == 2


async def test_a_run_without_a_word_has_a_response_all_the_same(provider: ProviderServer, places: Places) -> None:
    provider.add(stream(""), stream(""))
    workflow = AgentWorkflow(agents=[agent_on(provider, places, max_rounds=1)])
    assert str(await workflow.run(user_msg="Hi")) == NOTHING_TO_SAY


async def test_a_stream_that_breaks_off_keeps_what_came(provider: ProviderServer, places: Places) -> None:
    provider.add(stream("Half of", tail=[]))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, AnswerDelta) == [AnswerDelta("Half of")]
    assert isinstance(events[-1], TurnEnded)
    assert isinstance(events[-1].error, StreamCut)


async def test_a_small_window_holds_the_rounds_of_a_long_turn(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Long"), calling("Long"), stream("Wet."))
    await told(Assistant(), agent_on(provider, places, profile_overrides={"context_window": 2_000}))
    earlier, latest = tool_texts(provider, 2)
    assert len(earlier) < 1_000 < len(latest) < 15 * len(LONG) + 100
    assert all("[cut: " in text and text.endswith("\n</tool_result>") for text in (earlier, latest))


# Stop


async def test_leaving_early_stops_the_model(provider: ProviderServer, places: Places) -> None:
    provider.add(stream(LONG, tail=[Hold()]))
    async with aclosing(Assistant().reply("Why?", agent=agent_on(provider, places), turn_id="1")) as events:
        await anext(event async for event in events if isinstance(event, AnswerDelta))
    assert await asyncio.to_thread(provider.requests[0].over.wait, 1)
    assert provider.requests[0].client_left


async def test_cancelling_stops_all_tools_and_never_runs_them_again(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Slow", "Slow"), stream("Yes."))
    assistant, agent = Assistant(), agent_on(provider, places)
    turn = asyncio.create_task(told(assistant, agent))
    await asyncio.wait_for(places.started.wait(), 10)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(turn, 1)
    assert not [task for task in asyncio.all_tasks() if "look_up" in str(task.get_stack())]
    assert joined(await told(assistant, agent, "And now?"))[-1] == TurnEnded("answered", 0)
    assert places.calls == [("Slow", 1)] * 2
    assert len(provider.requests) == 2


# A drop-in for LlamaIndex's agent


async def test_in_a_workflow_of_ones_own_the_rounds_are_remembered(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen"), stream("12 °C."), stream("As I said."))
    memory = ChatMemoryBuffer.from_defaults(token_limit=10_000)
    workflow = AgentWorkflow(agents=[agent_on(provider, places)])
    result = await workflow.run(user_msg="Hi", memory=memory)
    assert str(result) == "12 °C."
    assert [message.role.value for message in memory.get_all()] == ["user", "assistant", "tool", "assistant"]
    await workflow.run(user_msg="Again?", memory=memory)
    sent = provider.requests[2].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert sent[2]["reasoning_content"] == "Hm."


async def test_a_nearer_limit_of_the_workflow_is_met_with_an_answer(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen"), calling("Slow"), stream("12 °C, so far."))
    workflow = AgentWorkflow(agents=[agent_on(provider, places, max_rounds=9)])
    result = await workflow.run(user_msg="Hi", max_iterations=2)
    assert (str(result), result.get("gave_up")) == ("12 °C, so far.", "rounds_used_up")


async def test_each_run_begins_anew_in_a_context_of_ones_own(provider: ProviderServer, places: Places) -> None:
    provider.add(stream("Hello."), calling("Bergen"), stream("12 °C."))
    workflow = AgentWorkflow(agents=[agent_on(provider, places, max_rounds=2)])
    context = Context(workflow)
    await workflow.run(user_msg="Hi", ctx=context)
    result = await workflow.run(user_msg="And Bergen?", ctx=context)
    assert (str(result), result.get("gave_up")) == ("12 °C.", None)


async def test_calls_in_the_closing_reply_are_not_remembered(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen"), calling("Bergen", text="I know no more."), stream("Yes."))
    memory = ChatMemoryBuffer.from_defaults(token_limit=10_000)
    workflow = AgentWorkflow(agents=[agent_on(provider, places, max_rounds=1)])
    result = await workflow.run(user_msg="Hi", memory=memory)
    assert (str(result), result.get("gave_up")) == ("I know no more.", "rounds_used_up")
    await workflow.run(user_msg="Sure?", memory=memory)
    assert all("tool_calls" not in message for message in provider.requests[2].body["messages"])


async def test_a_tool_can_give_the_answer_itself(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen"), stream("Yes."))
    agent = agent_on(provider, places)
    agent.tools = [FunctionTool.from_defaults(async_fn=places.look_up, name="look_up", return_direct=True)]
    memory = ChatMemoryBuffer.from_defaults(token_limit=10_000)
    workflow = AgentWorkflow(agents=[agent])
    assert str(await workflow.run(user_msg="Hi", memory=memory)) == "Bergen: 12 °C"
    await workflow.run(user_msg="Sure?", memory=memory)
    assert provider.requests[1].body["messages"][-2] == {"role": "assistant", "content": "Bergen: 12 °C"}


async def test_one_call_at_a_time_and_a_first_tool_can_be_demanded(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen", "Slow"), stream("12 °C."))
    agent = agent_on(provider, places, thinking=False)
    agent.allow_parallel_tool_calls, agent.initial_tool_choice = False, "look_up"
    await told(Assistant(), agent)
    assert places.calls == [("Bergen", 1)]
    assert len(provider.requests[1].body["messages"][2]["tool_calls"]) == 1
    demanded = {"type": "function", "function": {"name": "look_up"}}
    assert [request.body["tool_choice"] for request in provider.requests] == [demanded, "auto"]


async def test_it_can_be_asked_without_streaming(provider: ProviderServer, places: Places) -> None:
    function = {"name": "look_up", "arguments": '{"city": "Bergen"}'}
    called = {"content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    provider.add(
        json_reply({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": called}]}), message("12 °C.")
    )
    agent = agent_on(provider, places)
    agent.streaming = False
    assert str(await AgentWorkflow(agents=[agent]).run(user_msg="Hi")) == "12 °C."
    assert places.calls == [("Bergen", 1)]
    assert not any(request.body["stream"] for request in provider.requests)


async def test_any_function_calling_model_will_do(places: Places) -> None:
    def reply(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
        if messages[-1].role == MessageRole.TOOL:
            return ChatMessage("12 °C.", role=MessageRole.ASSISTANT)
        call = ToolCallBlock(tool_name="look_up", tool_kwargs={"city": "Bergen"})
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[TextBlock(text="Let me look."), call])

    agent = ReasoningFunctionAgent(llm=MockFunctionCallingLLM(response_generator=reply), tools=as_tools(places))
    events = await told(Assistant(), agent)
    assert of_kind(events, ThoughtDelta, AnswerDelta) == [ThoughtDelta("Let me look."), AnswerDelta("12 °C.")]
    assert places.calls == [("Bergen", 1)]
    assert all(event.call_id for event in events if isinstance(event, ToolStarted | ToolFinished))


async def test_without_tools_any_model_will_do() -> None:
    agent = ReasoningFunctionAgent(llm=ScriptedLLM(replies=[[Say("He"), Say("llo")]]), tools=[])
    assert of_kind(await told(Assistant(), agent), AnswerDelta) == [AnswerDelta("Hello")]
