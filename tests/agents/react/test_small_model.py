import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from agents.assistant import Assistant
from agents.events import AnswerDelta, RoundStarted, ThinkingDelta, ToolFinished, TurnEnded, TurnEvent
from agents.react import ReasoningReActAgent
from agents.react.guide import Guide
from agents.react.small_model import SmallModelGuide
from llm.client import DeepSeek
from llm.endpoint import Endpoint
from llm.local.server import EXTRA_BODY, EXTRA_HEADERS, Model, open_server
from tools.base import Tool, ToolResult, as_tool
from tools.calculate import calculate

TEMPLATE = (Path(__file__).parents[3] / "llm" / "local" / "think.jinja").read_text("utf-8")
NOON = datetime(2026, 3, 14, 12, 5)


async def paint(
    colour: Annotated[Literal["red", 'it\'s "blue"'], Field(description="Which.")],
    times: Annotated[int, Field(description="How often.")],
    places: Annotated[list[str], Field(description="Where.")],
    glossy: Annotated[bool, Field(description="Whether it shines.")] = False,
) -> ToolResult:
    """Paint things.

    Only what is there.
    """
    return ToolResult(f"painted {colour} {times} {places} {glossy}")


def tool(function: Any) -> Tool:
    return as_tool(function, touches="nothing", timeout_s=5)


TOOLS = [tool(calculate), tool(paint)]


def guide() -> SmallModelGuide:
    return SmallModelGuide(now=lambda: NOON)


def test_it_is_a_guide() -> None:
    assert isinstance(guide(), Guide)


def test_the_prompt_tells_each_tool_in_one_line() -> None:
    prompt = guide().system_prompt(TOOLS)
    assert '\n- calculate: Work out an arithmetic expression exactly. Input: {"expression": "..."}\n' in prompt
    assert '\n- paint: Paint things. Input: {"colour": "...", "times": "...", "places": "..."}\n' in prompt


def test_there_are_no_examples_of_tools_that_are_not_there() -> None:
    prompt = guide().system_prompt(TOOLS)
    assert "Action: calculate" in prompt
    assert "get_weather" not in prompt
    assert "Action:" not in guide().system_prompt([])


def test_the_prompt_stays_the_same_while_time_goes_on() -> None:
    later = SmallModelGuide(now=lambda: datetime(2027, 1, 1))
    assert guide().system_prompt(TOOLS) == later.system_prompt(TOOLS)


def test_the_markup_of_the_examples_is_balanced() -> None:
    """The template adds the outermost marks: the first opening and the last closing one."""
    prompt = guide().system_prompt(TOOLS)
    assert prompt.count("<|im_start|>") == prompt.count("<|im_end|>")
    assert prompt.count("<think>") == prompt.count("</think>")
    assert prompt.count("Action:") == prompt.count("Observation:")


def test_the_time_is_told_with_the_question_and_not_again() -> None:
    asked = guide().request_kwargs(TOOLS, observations=[])["extra_body"]
    assert asked["chat_template_kwargs"] == {"note": "The date is Saturday, 14 March 2026, the time is 12:05."}
    assert "chat_template_kwargs" not in guide().request_kwargs(TOOLS, observations=["1"])["extra_body"]


def root_of(tools: list[Tool], *observations: str) -> str:
    grammar = guide().request_kwargs(tools, observations=observations)["extra_body"]["grammar"]
    assert isinstance(grammar, str)
    return grammar.partition("\n")[0]


def test_a_call_has_what_the_tool_requires_in_the_form_that_its_schema_wants() -> None:
    root = root_of(TOOLS)
    assert r'"Action: calculate\nAction Input: {" "\"expression\": " string "}"' in root
    colours = " | ".join(json.dumps(json.dumps(colour)) for colour in ("red", 'it\'s "blue"'))
    assert f"({colours})" in root
    assert r'", " "\"times\": " integer ", " "\"places\": " value "}"' in root
    assert "glossy" not in root


@pytest.mark.parametrize(("tools", "observations"), [(TOOLS, ["1 = 1"]), ([], [])])
def test_with_a_result_or_without_tools_there_is_only_an_answer(tools: list[Tool], observations: list[str]) -> None:
    root = root_of(tools, *observations)
    assert "Action" not in root
    assert "answer" in root


@pytest.fixture
async def endpoint(tiny_model: Path, tmp_path: Path) -> AsyncIterator[Endpoint]:
    model = Model(path=tiny_model, name="tiny", server="built-in", context_tokens=4096, chat_template=TEMPLATE)
    server = await open_server(model, tmp_path)
    yield server.endpoint
    await server.close()


async def turn(endpoint: Endpoint, question: str) -> list[TurnEvent]:
    llm = DeepSeek(
        endpoint.model,
        api_base=endpoint.api_base,
        api_key=endpoint.api_key,
        default_headers=dict(EXTRA_HEADERS),
        additional_kwargs={"extra_body": dict(EXTRA_BODY)},
    )
    agent = ReasoningReActAgent(name="tiny", description="", tools=TOOLS, llm=llm, guide=guide())
    async with aclosing(Assistant().reply(question, agent=agent, turn_id="1")) as events:
        return [event async for event in events]


@pytest.mark.builtin
@pytest.mark.parametrize("question", ["Hi!", "What is 7*6?", "Paint the wall red.", "Explain ReAct: Thought, Action"])
async def test_the_smallest_of_models_keeps_the_form(endpoint: Endpoint, question: str) -> None:
    events = await turn(endpoint, question)
    assert any(isinstance(event, ThinkingDelta) for event in events)
    assert any(isinstance(event, AnswerDelta) for event in events)
    assert sum(isinstance(event, RoundStarted) for event in events) == 1 + sum(
        isinstance(event, ToolFinished) for event in events
    )
    last = events[-1]
    assert isinstance(last, TurnEnded)
    assert last.reason == "answered"
