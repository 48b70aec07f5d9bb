"""The client as LlamaIndex uses it: all ways to call, agents, structured answers, many at once."""

import asyncio
import json
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentInput, AgentStream, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent, LLMChatInProgressEvent
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel, Field, ValidationError

from llm.client import DeepSeek, ReasoningChatResponse, ReasoningStreamAdapter
from tests.provider.replies import DONE, Hold, Reply, chunk, message, stream
from tests.provider.server import ProviderServer, Request

ASK = [ChatMessage("How far is it?")]


def distance(start: str, end: str) -> str:
    """Kilometres by road between two towns."""
    return f"{start} to {end}: 463 km"


TOOL = FunctionTool.from_defaults(distance)
CALL = ("distance", {"start": "Oslo", "end": "Bergen"})


def test_it_is_a_drop_in_with_the_models_own_facts() -> None:
    llm = DeepSeek()
    assert isinstance(llm, OpenAILike)
    assert llm.model == "deepseek-flash"
    assert llm.api_base == "https://api.deepseek.com"
    assert llm.metadata.context_window == 1_000_000
    assert llm.metadata.is_chat_model
    assert llm.metadata.is_function_calling_model
    assert not DeepSeek("deepseek-r1:8b", api_base="http://localhost:11434/v1").metadata.is_function_calling_model


def test_what_the_user_sets_wins_over_the_facts() -> None:
    llm = DeepSeek(
        context_window=9000, is_function_calling_model=False, profile_overrides={"roles_must_alternate": True}
    )
    assert llm.metadata.context_window == 9000
    assert not llm.metadata.is_function_calling_model
    assert llm.profile.roles_must_alternate
    assert DeepSeek(profile_overrides={"context_window": 7}).metadata.context_window == 7
    assert DeepSeek(timeout=42).idle_timeout == 42
    with pytest.raises(ValueError, match="speed"):
        DeepSeek(profile_overrides={"speed": 3})
    with pytest.raises(ValidationError):
        DeepSeek(effort="ludicrous")


async def test_an_empty_reply_is_a_reply() -> None:
    with ProviderServer(Reply((DONE,)), Reply((DONE,))) as server:
        llm = DeepSeek(api_base=server.api_base)
        assert (await llm.achat(ASK)).message.content == ""
        assert [r.message.content async for r in await llm.astream_chat(ASK)] == [""]


async def test_thinking_that_only_streams_is_collected_where_a_whole_reply_was_asked_for() -> None:
    with ProviderServer(stream("Here", thinking="hm"), message("Here")) as server:
        llm = DeepSeek(
            "ride-6",
            api_base=server.api_base,
            profile_overrides={
                "thinks_only_in_streams": True,
                "thinks_by_default": True,
                "thinking_switch": "enable_thinking",
            },
        )
        response = llm.chat(ASK)
        assert (response.reasoning_content, response.message.content) == ("hm", "Here")
        llm.thinking = False
        assert (await llm.achat(ASK)).message.content == "Here"
        assert [request.body["stream"] for request in server.requests] == [True, False]


async def test_the_parents_own_settings_keep_their_meaning() -> None:
    with ProviderServer(*[stream("Here")] * 3) as server:
        for setting in ({"reasoning_effort": "medium"}, {"reasoning_effort": "none"}, {"reuse_client": False}):
            llm = DeepSeek(api_base=server.api_base, max_tokens=9, **setting)
            _ = [r async for r in await llm.astream_chat(ASK)]
        bodies = [request.body for request in server.requests]
    assert [body.get("reasoning_effort") for body in bodies] == ["high", None, None]
    assert [body.get("thinking") for body in bodies] == [None, {"type": "disabled"}, None]
    assert {body["max_tokens"] for body in bodies} == {9}


async def test_all_eight_ways_to_complete_and_chat() -> None:
    with ProviderServer(*[stream("Here", thinking="hm"), message("Here", thinking="hm")] * 4) as server:
        llm = DeepSeek(api_base=server.api_base, api_key="k")
        assert [r async for r in await llm.astream_chat(ASK)][-1].message.content == "Here"
        assert (await llm.achat(ASK)).message.content == "Here"
        assert list(llm.stream_chat(ASK))[-1].message.content == "Here"
        assert llm.chat(ASK).message.content == "Here"
        assert list(llm.stream_complete("How far?"))[-1].text == "Here"
        assert llm.complete("How far?").text == "Here"
        assert [r async for r in await llm.astream_complete("How far?")][-1].text == "Here"
        assert (await llm.acomplete("How far?")).text == "Here"
        assert [request.body["stream"] for request in server.requests] == [True, False] * 4


async def test_extra_body_and_other_keywords_reach_the_body() -> None:
    with ProviderServer(stream("Here")) as server:
        llm = DeepSeek(api_base=server.api_base, additional_kwargs={"seed": 7, "extra_body": {"user_id": "u1"}})
        call = await llm.astream_chat(
            ASK, extra_body={"grammar": 'root ::= "a"'}, stop=["\n"], extra_headers={"x-a": "b"}
        )
        _ = [response async for response in call]
        assert server.requests[0].body == {
            "model": "deepseek-flash",
            "messages": [{"role": "user", "content": "How far is it?"}],
            "stream": True,
            "stream_options": {"include_usage": True},
            "seed": 7,
            "stop": ["\n"],
            "user_id": "u1",
            "grammar": 'root ::= "a"',
        }
        assert server.requests[0].headers["x-a"] == "b"


async def test_thinking_reaches_the_events_of_stock_agents() -> None:
    answers = [stream("Thought: I know.\nAnswer: 463 km", thinking="By road"), stream("463 km", thinking="By road")]
    with ProviderServer(*answers) as server:
        llm = DeepSeek(api_base=server.api_base)
        for agent in (ReActAgent(tools=[TOOL], llm=llm), FunctionAgent(tools=[TOOL], llm=llm)):
            adapter, run = ReasoningStreamAdapter(), agent.run("How far?")
            events = [event async for event in run.stream_events()]
            seen = [response for event in events if (response := adapter.read(event))]
            thinking = "".join(event.thinking_delta or "" for event in events if isinstance(event, AgentStream))
            assert thinking == adapter.reasoning_content == seen[-1].reasoning_content == "By road"
            assert seen[-1].message.content.endswith("463 km")


def test_the_adapter_begins_anew_with_each_call_of_the_model() -> None:
    adapter = ReasoningStreamAdapter()
    rounds = []
    for words in (["By ", "road"], ["463"]):
        assert adapter.read(AgentInput(input=[], current_agent_name="a")) is None
        for word in words:
            event = AgentStream(delta="", response="", current_agent_name="a", thinking_delta=word)
            rounds.append((adapter.read(event), adapter.reasoning_content))
    assert [(r.reasoning_content, r.thinking_delta, now) for r, now in rounds if r] == [
        ("By ", "By ", "By "),
        ("By road", "road", "By road"),
        ("463", "463", "463"),
    ]


async def test_a_function_agents_tool_turn_goes_back_with_its_thinking() -> None:
    with ProviderServer(
        stream(thinking="Ask the tool", tool_calls=[CALL], finish="tool_calls"), stream("463")
    ) as server:
        agent = FunctionAgent(tools=[TOOL], llm=DeepSeek(api_base=server.api_base))
        assert str(await agent.run("How far?")) == "463"
        turn, result = server.requests[1].body["messages"][1:]
    assert turn == {
        "role": "assistant",
        "content": "",
        "reasoning_content": "Ask the tool",
        "tool_calls": [
            {"id": "call_00", "type": "function", "function": {"name": "distance", "arguments": json.dumps(CALL[1])}}
        ],
    }
    assert result == {"role": "tool", "content": "Oslo to Bergen: 463 km", "tool_call_id": "call_00"}


class Trip(BaseModel):
    """A trip."""

    town: str = Field(description="Where to")
    km: int


@pytest.mark.parametrize("thinking", [None, True, False])
async def test_structured_answers_force_the_tool_only_where_that_is_allowed(thinking: bool | None) -> None:
    call = stream(tool_calls=[("Trip", {"town": "Bergen", "km": 463})], finish="tool_calls")
    with ProviderServer(responder=lambda request: call if request.body["stream"] else whole_call()) as server:
        llm = DeepSeek(api_base=server.api_base, thinking=thinking)
        ask = PromptTemplate("Plan a trip to {town}")
        trip = Trip(town="Bergen", km=463)
        assert llm.structured_predict(Trip, ask, town="Bergen") == trip
        assert await llm.astructured_predict(Trip, ask, town="Bergen") == trip
        assert (await llm.as_structured_llm(Trip).achat(ASK)).raw == trip
        assert list(llm.stream_structured_predict(Trip, ask, town="Bergen"))[-1] == trip
        choices = [request.body["tool_choice"] for request in server.requests]
        assert choices == (["required"] * 3 + ["auto"] if thinking is False else ["auto"] * 4)


def whole_call() -> Reply:
    function = {"name": "Trip", "arguments": '{"town": "Bergen", "km": 463}'}
    call = {"id": "c1", "type": "function", "function": function}
    body: dict[str, Any] = {"role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [call]}
    reply = {"id": "r", "choices": [{"index": 0, "message": body, "finish_reason": "tool_calls"}]}
    return Reply((json.dumps(reply).encode(),), 200, {"content-type": "application/json"})


async def test_with_tools_forms_carry_calls_and_selections() -> None:
    calls = [CALL, ("distance", {"start": "Bergen", "end": "Voss"})]
    with ProviderServer(*[stream(tool_calls=calls, finish="tool_calls")] * 2) as server:
        llm = DeepSeek(api_base=server.api_base)
        replies = [list(llm.stream_chat_with_tools([TOOL], "How far?"))[-1]]
        replies += [[r async for r in await llm.astream_chat_with_tools([TOOL], "How far?")][-1]]
    for reply in replies:
        chosen = llm.get_tool_calls_from_response(reply)
        assert [(one.tool_name, one.tool_kwargs) for one in chosen] == calls


async def test_two_hundred_streams_do_not_wait_for_each_other() -> None:
    served: list[Request] = []

    def respond(request: Request) -> Reply:
        served.append(request)
        if len(served) == 200:
            server.release()
        return stream("Here", tail=[Hold(), chunk(finish="stop"), DONE])

    with ProviderServer(responder=respond) as server:
        llm = DeepSeek(api_base=server.api_base)

        async def one() -> str:
            responses = [r async for r in await llm.astream_chat(ASK)]
            return str(responses[-1].message.content)

        async with asyncio.timeout(60):
            answers = await asyncio.gather(*[one() for _ in range(200)])
    assert answers == ["Here"] * 200


class Listener(BaseEventHandler):
    events: list[Any] = Field(default_factory=list)
    dumps: list[Any] = Field(default_factory=list)

    def handle(self, event: Any, **kwargs: Any) -> None:
        if isinstance(event, LLMChatInProgressEvent | LLMChatEndEvent):
            self.events.append(event.response.message.content)
            self.dumps.append(event.model_dump())


async def test_observers_see_the_events_they_know() -> None:
    listener = Listener()
    get_dispatcher().add_event_handler(listener)
    with ProviderServer(stream("Here", thinking="hm")) as server:
        _ = [r async for r in await DeepSeek(api_base=server.api_base).astream_chat(ASK)]
    get_dispatcher().event_handlers.remove(listener)
    assert listener.events[-1] == "Here"
    assert listener.dumps[-1]["response"]["message"]["blocks"][1]["text"] == "Here"


def test_a_response_can_be_dumped_copied_and_compared() -> None:
    with ProviderServer(stream("Here", thinking="hm")) as server:
        last = list(DeepSeek(api_base=server.api_base).stream_chat(ASK))[-1]
    assert isinstance(last, ReasoningChatResponse)
    dump = last.model_dump()
    assert [block["block_type"] for block in dump["message"]["blocks"]] == ["thinking", "text"]
    assert last.model_copy(deep=True).message == last.message
    again = ReasoningChatResponse.model_validate(dump)
    assert (again.reasoning_content, again.message.content, again.usage) == ("hm", "Here", last.usage)


def test_one_client_serves_one_loop_after_another() -> None:
    async def ask() -> str:
        return str((await llm.achat(ASK)).message.content)

    with ProviderServer(*[message("Here")] * 2) as server:
        llm = DeepSeek(api_base=server.api_base)
        assert [asyncio.run(ask()), asyncio.run(ask())] == ["Here", "Here"]
