"""Plays turns of the agent behind a real AgentWorkflow with a scripted model, and tells their story."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import AgentInput, AgentOutput, AgentWorkflow, ToolCall, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, TextBlock
from llama_index.core.tools import BaseTool
from llama_index.core.workflow import Event

from agents.react import ReasoningReActAgent
from agents.stream_events import GaveUp, ReActStream, RetryRequested
from tests.agents.react.tools import all_tools
from tests.agents.scripted_llm import Say, ScriptedLLM

ANSWER = [Say("Thought: I know.\nAns"), Say("wer: It is"), Say(" eleven.")]
CALL = [Say("Thought: to be looked up\nAction: look_up\n"), Say('Action Input: {"topic": "owls"}')]
USELESS = [Say('Thought: again\nAction: look_up\nAction Input: {"animal": "owls"}')]


def agent_of(llm: ScriptedLLM, tools: Sequence[BaseTool] | None = None, **options: Any) -> ReasoningReActAgent:
    return ReasoningReActAgent(name="agent", llm=llm, tools=list(all_tools() if tools is None else tools), **options)


def story_of(event: Event) -> list[tuple[Any, ...]]:
    """What one event tells, without its ids."""
    match event:
        case AgentInput():
            return [("asked",)]
        case ReActStream():
            told = [
                ("thinking", event.thinking_delta),
                ("thought", event.thought_delta),
                ("answer", event.answer_delta),
            ]
            return [one for one in told if one[1]]
        case RetryRequested(reason=reason):
            return [("retry", reason)]
        case GaveUp(reason=reason):
            return [("gave up", reason)]
        case ToolCall():
            return [("calls", event.tool_name, event.tool_kwargs)]
        case ToolCallResult():
            return [("result", event.tool_output.content)]
    return []


async def play(agent: ReasoningReActAgent, question: str = "How many?", **run: Any) -> tuple[list[Any], AgentOutput]:
    """A turn: its story, and what the workflow gives back. Every request on the way must be fit for any endpoint."""
    handler = AgentWorkflow(agents=[agent]).run(user_msg=question, **run)
    story = [one async for event in handler.stream_events() for one in story_of(event)]
    output = await handler
    assert isinstance(agent.llm, ScriptedLLM)
    for request in agent.llm.requests:
        assert_fit(request)
    return story, output


def assert_fit(request: list[ChatMessage]) -> None:
    roles = [message.role.value for message in request]
    assert roles == ["system", *["user", "assistant"] * len(roles)][: len(roles)]
    assert roles[-1] == "user"
    assert all([type(block) for block in message.blocks] == [TextBlock] for message in request)


def texts(request: list[ChatMessage]) -> list[str]:
    return [message.content or "" for message in request[1:]]
