import asyncio
import logging
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tests.tools.calling import advice_of, output_of, text_of
from tools.base import ToolError, ToolResult, as_tool, clip, presentable


async def greet(
    name: Annotated[str, Field(description="Whom to greet.")],
    times: Annotated[int, Field(description="How often.", ge=1, le=3)] = 1,
    tone: Annotated[Literal["warm", "cool"], Field(description="How.")] = "warm",
) -> ToolResult:
    """Greet someone."""
    return ToolResult(f"{tone}: " + f"hello {name} " * times, ("card",))


GREET = as_tool(greet, touches="nothing", timeout_s=5)


def test_the_model_is_told_the_docstring_and_the_whole_schema() -> None:
    function = GREET.metadata.to_openai_tool()["function"]
    assert function["name"] == "greet"
    assert function["description"] == "Greet someone."
    assert function["parameters"]["required"] == ["name"]
    times = function["parameters"]["properties"]["times"]
    assert (times["description"], times["minimum"], times["maximum"], times["default"]) == ("How often.", 1, 3, 1)
    assert function["parameters"]["properties"]["tone"]["enum"] == ["warm", "cool"]


async def test_a_result_speaks_to_the_model_and_to_the_page() -> None:
    output = await output_of(GREET, name="Ada")
    assert output.content == "warm: hello Ada "
    assert output.raw_output == ToolResult("warm: hello Ada ", ("card",))
    assert not output.is_error


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": "Ada", "times": "2"}, "warm: hello Ada hello Ada "),
        ({"name": "Ada", "times": 2.0}, "warm: hello Ada hello Ada "),
        ({"name": " Ada\n", "times": None, "tone": None}, "warm: hello  Ada\n "),
        ({"name": "Ada", "num_beams": 5, "thought": "hm"}, "warm: hello Ada "),
    ],
)
async def test_arguments_are_coerced_and_junk_is_dropped(arguments: dict[str, Any], text: str) -> None:
    assert await text_of(GREET, **arguments) == text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "name: Field required"),
        ({"name": None}, "name: Field required"),
        ({"properties": {}, "type": "object"}, "name: Field required"),
        ({"name": {"title": "Name", "type": "string"}}, "name: Input should be a valid string"),
        ({"name": "Ada", "times": "many"}, "times: Input should be a valid integer"),
        ({"name": "Ada", "times": 9}, "times: Input should be less than or equal to 3"),
        ({"name": "Ada", "tone": "loud"}, "tone: Input should be 'warm' or 'cool'"),
    ],
)
async def test_wrong_arguments_are_advice_that_names_the_parameter(arguments: dict[str, Any], named: str) -> None:
    advice = await advice_of(GREET, **arguments)
    assert named in advice
    assert advice.endswith("The parameters are: name, times, tone.")


async def test_a_fault_of_the_tool_is_a_plain_sentence_and_the_log_holds_no_words_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken() -> ToolResult:
        """Break."""
        raise RuntimeError("secret-canary")

    advice = await advice_of(as_tool(broken, touches="nothing", timeout_s=5))
    assert advice.startswith("broken failed by a fault of its own")
    assert "canary" not in advice
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "RuntimeError" in record.getMessage()
    assert "in broken" in record.getMessage()
    assert "canary" not in caplog.text.replace('raise RuntimeError("secret-canary")', "")


async def test_a_slow_tool_is_stopped() -> None:
    stopped = asyncio.Event()

    async def slow() -> ToolResult:
        """Never end."""
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        raise AssertionError

    advice = await advice_of(as_tool(slow, touches="nothing", timeout_s=0.05))
    assert advice.startswith("slow had no result after 0.05 s")
    assert stopped.is_set()


async def test_cancelling_the_call_cancels_the_work() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def slow() -> ToolResult:
        """Never end."""
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        raise AssertionError

    call = asyncio.create_task(as_tool(slow, touches="nothing", timeout_s=5).acall())
    await asyncio.wait_for(started.wait(), 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 1)
    assert cancelled.is_set()


async def test_text_and_advice_are_clipped_with_a_mark() -> None:
    async def talk(fails: Annotated[bool, Field(description="Whether to fail.")]) -> ToolResult:
        """Talk."""
        if fails:
            raise ToolError("x" * 500)
        return ToolResult("x" * 500)

    tool = as_tool(talk, touches="nothing", timeout_s=5, max_chars=100)
    mark = "x" * 100 + " … [cut: 400 more characters]"
    assert await text_of(tool, fails=False) == mark
    assert await advice_of(tool, fails=True) == mark


def test_clipping_leaves_short_text_alone() -> None:
    assert clip("short", 5) == "short"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\x1b[31mc\u202ed\u2066e\ud800f\r\n\tg", "ab[31mcdef\n\tg"),
        ("<|im_start|>system", "< |im_start|>system"),
        ("<｜tool▁calls▁begin｜>", "< ｜tool▁calls▁begin｜>"),
        ("a</think>b<think>c<tool_call>", "a< /think>b< think>c< tool_call>"),
        ("</s>", "< /s>"),
        ("x <|> y, a < b, <b>bold</b>, <|x", "x <|> y, a < b, <b>bold</b>, <|x"),
        ("👩‍🔬 北京", "👩‍🔬 北京"),
    ],
)
def test_what_could_deceive_is_taken_out_of_text(text: str, shown: str) -> None:
    assert presentable(text, max_chars=100) == shown
