"""What holds for every tool of the registry, with and without keys."""

import asyncio
import inspect
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.tools import FunctionTool

from tests.tools.calling import advice_of, named, output_of, reached, tools_of
from tests.tools.services import Services
from tools import TOOL_NAMES, ToolConfig
from tools.base import MAX_CHARS, Tool, ToolResult
from tools.sandbox import Sandbox, user_for
from tools.workspace import Workspace

CANARY = "canary-key-7f3a"
NAMES = list(TOOL_NAMES)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "search_web": {"query": "trams"},
    "read_page": {"url": "https://a.example/"},
    "get_weather": {"city": "Paris"},
    "calculate": {"expression": "23*19"},
    "write_file": {"path": "notes.md", "content": "# Notes"},
    "read_file": {"path": "sales.csv"},
    "list_files": {"folder": ""},
    "query_data": {"sql": "SELECT sum(n) AS total FROM sales"},
    "run_python": {"code": "import pathlib\nprint('made')\npathlib.Path('out.txt').write_text('x')"},
}
ONLINE = ["search_web", "read_page", "get_weather"]
TOUCHES = {"calculate": "nothing"} | dict.fromkeys(ONLINE, "network")
SHOWS_CARDS = [*ONLINE, "write_file", "query_data", "run_python"]
NEEDS_ARGUMENTS = [name for name in NAMES if name != "list_files"]
SERVICES = [("search_web", True), ("read_page", True), ("get_weather", True), ("get_weather", False)]
"""Tools and whether with keys. Without them, the other two ask the internet itself and have tests of their own."""


@pytest.fixture
async def keyed(config: ToolConfig, tmp_path: Path) -> AsyncIterator[list[Tool]]:
    """All tools, in a chat that has a table."""
    folder, box = tmp_path / "chat", Sandbox()
    workspace = Workspace(folder, owner_uid=user_for(folder))
    workspace.write("sales.csv", b"city,n\nOslo,3\nLima,4\n")
    confinement = await box.probe()
    if confinement.mode is None:
        pytest.skip(confinement.reason)
    yield tools_of(with_keys(config), folder=folder, python=box.session(workspace.files_folder))
    await box.close()


def with_keys(config: ToolConfig) -> ToolConfig:
    return replace(config, tavily_api_key=CANARY, openweather_api_key=CANARY)


def tool_from(config: ToolConfig, name: str, *, has_key: bool) -> Tool:
    return named(tools_of(with_keys(config) if has_key else config), name)


def test_the_registry_is_the_same_with_and_without_keys(config: ToolConfig, keyed: list[Tool]) -> None:
    assert [tool.metadata.name for tool in tools_of(config)] == NAMES[:-1], "without confinement no code is offered"
    assert [tool.metadata.name for tool in keyed] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_described_and_each_parameter_typed(keyed: list[Tool], name: str) -> None:
    tool = named(keyed, name)
    assert isinstance(tool, FunctionTool)
    assert inspect.iscoroutinefunction(tool.async_fn)
    assert tool.touches == TOUCHES.get(name, "workspace")
    function = tool.metadata.to_openai_tool()["function"]
    assert 40 < len(function["description"]) <= 1_024
    assert function["parameters"]["properties"]
    for parameter in function["parameters"]["properties"].values():
        assert len(parameter["description"]) > 15
        assert "type" in parameter or "anyOf" in parameter


@pytest.mark.parametrize("name", NAMES)
async def test_a_good_call_gives_short_text_and_cards(keyed: list[Tool], name: str) -> None:
    output = await output_of(named(keyed, name), **ARGUMENTS[name])
    assert isinstance(output.raw_output, ToolResult)
    assert output.content == output.raw_output.text
    assert 5 < len(output.content) < MAX_CHARS + 100
    assert bool(output.raw_output.display) == (name in SHOWS_CARDS)
    assert CANARY not in repr(output)


@pytest.mark.parametrize("name", NEEDS_ARGUMENTS)
@pytest.mark.parametrize("arguments", [{}, {"input": "x"}, {"kwargs": {"a": 1}}])
async def test_missing_arguments_are_advice(keyed: list[Tool], name: str, arguments: dict[str, Any]) -> None:
    advice = await advice_of(named(keyed, name), **arguments)
    assert "Field required" in advice
    assert next(iter(ARGUMENTS[name])) in advice


@pytest.mark.parametrize(("name", "has_key"), SERVICES)
@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 429, 432, 433, 500, 502, 503])
async def test_a_refusal_is_one_honest_line_without_secrets(
    services: Services, config: ToolConfig, caplog: pytest.LogCaptureFixture, *, name: str, has_key: bool, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    services.status = status
    advice = await advice_of(tool_from(config, name, has_key=has_key), **ARGUMENTS[name])
    assert "\n" not in advice
    assert "could not be" in advice
    assert "Tell the user so" in advice
    assert CANARY not in advice + caplog.text
    assert services.base not in advice


@pytest.mark.parametrize(("name", "has_key"), SERVICES)
@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'"text"', b"<html>", b'{"results": 1}', b"\xff\xfe", b'[{"a": 1}]', b"[" * 9_999]
)
async def test_an_unreadable_answer_is_one_honest_line(
    services: Services, config: ToolConfig, *, name: str, has_key: bool, body: bytes
) -> None:
    services.raw = body
    advice = await advice_of(tool_from(config, name, has_key=has_key), **ARGUMENTS[name])
    assert "\n" not in advice
    assert "could not be" in advice or "was found" in advice


@pytest.mark.parametrize(("name", "has_key"), SERVICES)
async def test_no_connection_is_one_honest_line(config: ToolConfig, *, name: str, has_key: bool) -> None:
    nowhere = "http://127.0.0.1:9/"
    lost = replace(config, tavily_api_base=nowhere, openweather_api_base=nowhere, open_meteo_geocoding_api_base=nowhere)
    advice = await advice_of(tool_from(lost, name, has_key=has_key), **ARGUMENTS[name])
    assert "can't be reached from here. Tell the user so" in advice


@pytest.mark.parametrize(("name", "has_key"), SERVICES)
async def test_a_service_that_hangs_is_given_up(
    services: Services, config: ToolConfig, caplog: pytest.LogCaptureFixture, *, name: str, has_key: bool
) -> None:
    services.hang = True
    quick = replace(config, timeout_s=0.3)
    advice = await advice_of(tool_from(quick, name, has_key=has_key), **ARGUMENTS[name])
    assert "no result after 0.3 s" in advice or "took too long to answer" in advice
    assert caplog.records == []


@pytest.mark.parametrize(("name", "has_key"), SERVICES)
async def test_a_cancelled_call_ends_within_a_second(
    services: Services, config: ToolConfig, *, name: str, has_key: bool
) -> None:
    services.hang = True
    call = asyncio.create_task(tool_from(config, name, has_key=has_key).acall(**ARGUMENTS[name]))
    await reached(services.reached)
    cancelled_at = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - cancelled_at < 1


@pytest.mark.parametrize("name", NAMES)
async def test_the_loop_is_never_blocked(keyed: list[Tool], name: str) -> None:
    await output_of(named(keyed, name), **ARGUMENTS[name])  # what is made once is made
    loop = asyncio.get_running_loop()
    blocked: list[float] = []
    call = asyncio.create_task(named(keyed, name).acall(**ARGUMENTS[name]))
    while not call.done():
        turn_began = loop.time()
        await asyncio.sleep(0)
        blocked.append(loop.time() - turn_began)
    assert max(blocked) < 0.2


def test_a_key_is_not_shown_by_the_configuration(config: ToolConfig) -> None:
    assert CANARY not in repr(replace(config, tavily_api_key=CANARY))
