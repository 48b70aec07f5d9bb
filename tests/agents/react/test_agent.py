"""Whole turns of the agent behind a real AgentWorkflow, with a scripted model: the story it tells, and how it ends."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.agent.react.formatter import ReActChatFormatter
from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.agent.workflow.agent_context import SimpleAgentContext
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import BaseTool, FunctionTool

from tests.agents.react.tools import all_tools
from tests.agents.react.turns import ANSWER, CALL, USELESS, agent_of, play, texts
from tests.agents.scripted_llm import Item, Say, ScriptedLLM, Stall, Think


async def test_a_turn_with_a_call_tells_its_story_in_order() -> None:
    llm = ScriptedLLM(replies=[[Think("Hm."), *CALL], ANSWER])
    story, output = await play(agent_of(llm))
    assert story == [
        ("asked",),
        ("thinking", "Hm."),
        ("thought", "to be looked up"),
        ("calls", "look_up", {"topic": "owls"}),
        ("result", "3 pages about owls"),
        ("asked",),
        ("thought", "I know."),
        ("answer", "It is"),
        ("answer", " eleven."),
    ]
    assert output.response.content == "It is eleven."
    assert output.get("gave_up") is None


async def test_the_rounds_go_back_to_the_model_in_the_form_it_was_asked_for() -> None:
    call = 'Thought: x\nAction: `look_up`\nAction Input: {\'topic\': "Eule\'s «Nest»", "limit": "2", "mood": 1}'
    llm = ScriptedLLM(replies=[[Say(call)], ANSWER])
    await play(agent_of(llm))
    assert texts(llm.requests[1]) == [
        "How many?",
        'Thought: x\nAction: look_up\nAction Input: {"topic": "Eule\'s «Nest»", "limit": 2}',
        'Observation: <tool_result source="look_up">\n2 pages about Eule\'s «Nest»\n</tool_result>\n'
        "(look_up has no parameter mood; it was left out.)",
    ]


async def test_the_model_is_not_listened_to_beyond_a_complete_call() -> None:
    invented = [Say("\nObservation: none"), Say("\nAnswer: none")]
    llm = ScriptedLLM(replies=[[*CALL, *invented], ANSWER])
    story, _ = await play(agent_of(llm))
    assert llm.said == [len(CALL), len(ANSWER)]
    assert ("answer", "none") not in story


async def test_the_stream_of_a_complete_call_is_closed_before_the_tool_runs() -> None:
    llm = ScriptedLLM(replies=[[*CALL, Stall()], ANSWER])
    closed = []

    async def look_up(topic: str) -> str:
        closed.append(llm.closed.is_set())
        return topic

    await play(agent_of(llm, [FunctionTool.from_defaults(async_fn=look_up)]))
    assert closed == [True]


async def test_thinking_is_never_read_as_a_reply() -> None:
    llm = ScriptedLLM(replies=[[Think("Action: read_clock\nAction Input: {}\nAnswer: no"), *ANSWER]])
    story, output = await play(agent_of(llm))
    assert [one[0] for one in story] == ["asked", "thinking", "thought", "answer", "answer"]
    assert output.response.content == "It is eleven."


async def test_think_tags_in_the_text_of_any_model_are_thinking() -> None:
    llm = ScriptedLLM(replies=[[Say("<thi"), Say("nk>Hm.</think>\nThought: ok\nAnswer: Yes.")]])
    story, _ = await play(agent_of(llm))
    assert story == [("asked",), ("thinking", "Hm."), ("thought", "ok"), ("answer", "Yes.")]


@pytest.mark.parametrize(
    ("bad", "reason", "sent_back"),
    [
        ([], "empty", []),
        ([Say(" \n")], "empty", []),
        ([Think("Hm.")], "thinking_only", []),
        ([Say("Thought: hm")], "thinking_only", ["Thought: hm"]),
        (
            [Say("Thought: hm\nAction: phone\nAction Input: {}")],
            "unreadable",
            ["Thought: hm\nAction: phone\nAction Input: {}"],
        ),
    ],
)
async def test_a_useless_reply_is_asked_for_again(bad: list[Item], reason: str, sent_back: list[str]) -> None:
    llm = ScriptedLLM(replies=[CALL, bad, ANSWER])
    story, output = await play(agent_of(llm))
    assert [one for one in story if one[0] == "retry"] == [("retry", reason)]
    assert output.response.content == "It is eleven."
    question, call, *rest = texts(llm.requests[2])
    assert question == "How many?"
    assert call.startswith("Thought: to be looked up")
    assert rest[1:-1] == sent_back
    assert len(rest) == len(sent_back) * 2 + 1


async def test_the_advice_names_the_tools_and_their_parameters() -> None:
    llm = ScriptedLLM(replies=[[Say("Thought: x\nAction: phone\nAction Input: {}")], ANSWER])
    await play(agent_of(llm))
    advice = texts(llm.requests[1])[-1]
    assert "'phone'" in advice
    assert "look_up(topic: string, limit: integer, optional)" in advice


async def test_cancelling_ends_the_models_stream_at_once() -> None:
    llm = ScriptedLLM(replies=[[Say("Thought: one"), Stall()]])
    handler = AgentWorkflow(agents=[agent_of(llm)]).run(user_msg="How many?")
    await asyncio.wait_for(llm.stalled.wait(), 5)
    await handler.cancel_run()
    await asyncio.wait_for(llm.closed.wait(), 1)


async def test_a_second_turn_sees_the_first_as_question_and_answer() -> None:
    llm = ScriptedLLM(replies=[CALL, ANSWER, ANSWER])
    agent, memory = agent_of(llm), ChatMemoryBuffer.from_defaults(token_limit=4_000)
    await play(agent, memory=memory)
    await play(agent, "And now?", memory=memory)
    assert texts(llm.requests[2]) == ["How many?", "It is eleven.", "And now?"]


async def test_what_a_failed_turn_left_in_a_store_does_not_reach_the_next() -> None:
    llm = ScriptedLLM(replies=[CALL, ANSWER])
    agent, context, memory = agent_of(llm), SimpleAgentContext(), ChatMemoryBuffer.from_defaults(token_limit=4_000)
    for _ in llm.replies:
        await agent.take_step(context, [ChatMessage(role="user", content="How many?")], all_tools(), memory)
    assert texts(llm.requests[1]) == ["How many?"]


async def test_it_works_alone_and_without_streaming() -> None:
    llm = ScriptedLLM(replies=[CALL, ANSWER])
    output = await agent_of(llm, streaming=False).run(user_msg="How many?")
    assert output.response.content == "It is eleven."


async def test_a_formatter_of_llama_index_does_too() -> None:
    llm = ScriptedLLM(replies=[CALL, USELESS, ANSWER])
    agent = agent_of(llm, formatter=ReActChatFormatter.from_defaults(), system_prompt="Be {brief}.")
    _, output = await play(agent)
    assert output.response.content == "It is eleven."
    assert (llm.requests[0][0].content or "").count("Be {brief}.") == 1


async def test_system_messages_become_one() -> None:
    llm = ScriptedLLM(replies=[ANSWER])
    history = [ChatMessage(role="system", content="Be kind."), ChatMessage(role="user", content="Hello")]
    await play(agent_of(llm, system_prompt='Be {"brief": 1}.'), chat_history=history)
    assert (llm.requests[0][0].content or "").startswith('Be {"brief": 1}.\n\nBe kind.\n\nToday is ')
    assert texts(llm.requests[0]) == ["Hello\n\nHow many?"]


async def test_the_result_of_a_direct_tool_is_the_answer() -> None:
    def look_up(topic: str) -> str:
        return f"All about {topic}"

    llm = ScriptedLLM(replies=[CALL])
    tool = FunctionTool.from_defaults(look_up, return_direct=True)
    memory = ChatMemoryBuffer.from_defaults(token_limit=4_000)
    _, output = await play(agent_of(llm, [tool]), memory=memory)
    assert output.response.content == "All about owls"
    assert (await memory.aget())[-1].content == "All about owls"


class _RecordingGuide:
    """Asks for a grammar that depends on what is known by then."""

    tools = frozenset({"search"})

    def system_prompt(self, tools: Sequence[BaseTool]) -> str:
        return f"{len(tools)} tools"

    def request_kwargs(self, tools: Sequence[BaseTool], *, observations: Sequence[str]) -> dict[str, Any]:
        return {"grammar": (len(tools), tuple(observations))}


async def test_a_guide_writes_the_prompt_and_adds_to_each_call() -> None:
    llm = ScriptedLLM(replies=[CALL, USELESS, USELESS, ANSWER])
    await play(agent_of(llm, guide=_RecordingGuide()))
    found = ("3 pages about owls",)
    assert llm.kwargs == [
        {"grammar": (5, ())},
        {"grammar": (5, found)},
        {"grammar": (5, found)},
        {"grammar": (0, found)},
    ]
    assert [request[0].content for request in llm.requests] == ["5 tools", "5 tools", "5 tools", "0 tools"]
