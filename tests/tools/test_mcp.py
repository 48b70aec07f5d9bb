"""MCP servers as they are: programs and HTTP servers written with the protocol's own library."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running_app import ROOT, free_port
from tests.tools.calling import advice_of, named, output_of, text_of
from tests.tools.mcp_server import PNG
from tools.base import Tool
from tools.cards import PictureCard
from tools.consent import ConsentPolicy
from tools.consent_request import Answer, ConsentRequest
from tools.mcp_servers import McpServers
from tools.mcp_servers.config import HttpServer, ServerConfig, StdioServer

CANARY = "canary-of-the-app"
NAMES = ["add", "search_web", "fail", "wait", "draw", "surroundings", "learn", "die"]


class Journal:
    """What the server wrote down."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    @property
    def lines(self) -> list[str]:
        return self.path.read_text().split("\n")[:-1]

    @property
    def pid(self) -> int:
        return int(self.lines[0].removeprefix("pid "))

    async def holds(self, line: str) -> None:
        await until(lambda: line in self.lines)


async def until(is_so: Callable[[], Any], *, limit_s: float = 15) -> None:
    """Look again and again, as nothing tells us; the time between is short against what is waited for."""
    limit = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < limit, "it did not come to that"
        await asyncio.sleep(0.02)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


def stdio_config(journal: Journal, **env: str) -> StdioServer:
    environment = {"FILE": str(journal.path), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **env}
    return StdioServer(command=sys.executable, args=("-m", "tests.tools.mcp_server", "stdio"), env=environment)


@asynccontextmanager
async def serving(*, timeout_s: float = 5, **servers: ServerConfig) -> AsyncIterator[McpServers]:
    mcp = McpServers(servers, timeout_s=timeout_s)
    await mcp.start()
    try:
        yield mcp
    finally:
        await mcp.close()


def there_is(mcp: McpServers, name: str) -> Callable[[], bool]:
    return lambda: name in names_of(mcp)


def names_of(mcp: McpServers, *taken: str) -> list[str | None]:
    return [tool.metadata.name for tool in mcp.tools(taken=taken)]


@asynccontextmanager
async def connected(config: ServerConfig) -> AsyncIterator[list[Tool]]:
    async with serving(trial=config) as mcp:
        await until(there_is(mcp, "add"))
        yield mcp.tools()


@asynccontextmanager
async def http_server(journal: Journal, port: int) -> AsyncIterator[HttpServer]:
    environment = {"FILE": str(journal.path), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    command = (sys.executable, "-m", "tests.tools.mcp_server", "http", str(port))
    nowhere = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=nowhere, stderr=nowhere)
    try:
        yield HttpServer(url=f"http://127.0.0.1:{port}/mcp")
    finally:
        process.kill()
        await process.wait()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_a_programs_tools_are_described_called_and_their_results_shown(journal: Journal) -> None:
    async with connected(stdio_config(journal)) as tools:
        assert [tool.metadata.name for tool in tools] == NAMES
        function = named(tools, "add").metadata.to_openai_tool()["function"]
        assert function["description"] == "Add two numbers.< |im_start|>"
        assert function["parameters"]["properties"]["b"] == {"default": 2, "title": "B", "type": "integer"}
        assert function["parameters"]["required"] == ["a"]
        assert await text_of(named(tools, "add"), a=3) == "5"
        assert await text_of(named(tools, "search_web"), query="owls") == "< |im_start|>found owls"
        drawn = await output_of(named(tools, "draw"))
        assert drawn.raw_output.display == (PictureCard(PNG, "draw"),)
        assert drawn.content.endswith("drawn")
        assert drawn.content.count("can't be shown") == 2
        assert "the owl is out" in await advice_of(named(tools, "fail"))
        assert "validation error" in await advice_of(named(tools, "add"), a="many")


async def test_a_program_gets_none_of_our_environment(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", CANARY)
    async with connected(stdio_config(journal, OWN="mine")) as tools:
        environment = json.loads(await text_of(named(tools, "surroundings")))
    inherited = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
    added_by_python = {"LC_CTYPE"}
    assert environment.keys() <= {"FILE", "PYTHONPATH", "OWN", *inherited, *added_by_python}
    assert environment["OWN"] == "mine"
    assert CANARY not in json.dumps(environment)


async def test_a_slow_call_is_given_up_at_the_server_too(journal: Journal) -> None:
    async with serving(timeout_s=0.3, trial=stdio_config(journal)) as mcp:
        await until(there_is(mcp, "wait"))
        assert "no result after 0.3 s" in await advice_of(named(mcp.tools(), "wait"))
        await journal.holds("cancelled")
        assert await text_of(named(mcp.tools(), "add"), a=1) == "3"


async def test_a_stopped_call_is_stopped_at_the_server_and_waits_for_nothing(journal: Journal) -> None:
    async with connected(stdio_config(journal)) as tools:
        call = asyncio.create_task(text_of(named(tools, "wait")))
        await journal.holds("waiting")
        began = time.monotonic()
        call.cancel()
        await asyncio.wait([call])
        assert call.cancelled()
        assert time.monotonic() - began < 0.5
        await journal.holds("cancelled")


async def test_tools_that_change_are_taken_over(journal: Journal) -> None:
    async with serving(trial=stdio_config(journal)) as mcp:
        await until(there_is(mcp, "learn"))
        assert await text_of(named(mcp.tools(), "learn")) == "learnt"
        await until(there_is(mcp, "recite"))
        assert await text_of(named(mcp.tools(), "recite")) == "a poem"


async def test_a_server_that_dies_costs_its_tools_until_it_is_there_again(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(trial=stdio_config(journal)) as mcp:
        await until(there_is(mcp, "die"))
        tools = mcp.tools()
        assert "was lost" in await advice_of(named(tools, "die"))
        assert "not connected" in await advice_of(named(tools, "add"), a=1)
        assert mcp.tools() == []
        await until(there_is(mcp, "add"))
        assert await text_of(named(tools, "add"), a=1) == "3"
    assert len([line for line in journal.lines if line.startswith("pid")]) == 2
    assert "MCP server trial: it has ended; next try in 1 s" in caplog.text


@pytest.mark.parametrize("stubborn", ["", "1"])
async def test_closing_ends_the_program_even_one_that_will_not(journal: Journal, stubborn: str) -> None:
    async with connected(stdio_config(journal, **({"STUBBORN": "1"} if stubborn else {}))):
        pid = journal.pid
        assert is_alive(pid)
    await until(lambda: not is_alive(pid), limit_s=1)


async def test_closing_while_a_call_runs_ends_both(journal: Journal) -> None:
    async with connected(stdio_config(journal)) as tools:
        call = asyncio.create_task(advice_of(named(tools, "wait")))
        await journal.holds("waiting")
    assert "was lost" in await asyncio.wait_for(call, 2)
    await until(lambda: not is_alive(journal.pid), limit_s=1)


async def test_a_server_over_http_is_called_stopped_lost_and_found_again(journal: Journal, caplog: Any) -> None:
    port = free_port()
    async with serving(far=HttpServer(url=f"http://127.0.0.1:{port}/mcp", headers={"X-Key": CANARY})) as mcp:
        await until(lambda: "can't be reached" in caplog.text)
        async with http_server(journal, port):
            await until(there_is(mcp, "add"))
            assert await text_of(named(mcp.tools(), "add"), a=4, b=5) == "9"
            call = asyncio.create_task(text_of(named(mcp.tools(), "wait")))
            await journal.holds("waiting")
            call.cancel()
            await journal.holds("cancelled")
            tools = mcp.tools()
        assert "the server far" in (await advice_of(named(tools, "add"), a=1)).replace("The", "the")
        async with http_server(journal, port):
            await until(there_is(mcp, "add"))
            assert await text_of(named(tools, "add"), a=1) == "3"
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (StdioServer(command="/nowhere/at/all"), "its command is not there"),
        (StdioServer(command=sys.executable, args=("-c", f"print('{CANARY}')")), "it "),
        (HttpServer(url="http://127.0.0.1:9/mcp"), "it can't be reached"),
    ],
)
async def test_a_server_that_does_not_start_costs_a_line(config: ServerConfig, reason: str, caplog: Any) -> None:
    async with serving(broken=config) as mcp:
        await until(lambda: "next try" in caplog.text)
        assert mcp.tools() == []
    assert f"MCP server broken: {reason}" in caplog.text
    assert CANARY not in caplog.text


async def test_names_that_others_have_get_the_servers_before_them(journal: Journal, tmp_path: Path) -> None:
    other = Journal(tmp_path / "other")
    async with serving(one=stdio_config(journal), **{"the.other": stdio_config(other)}) as mcp:
        await until(lambda: len(mcp.tools()) == 16)
        names = names_of(mcp, "search_web", "the_other__fail")
        assert names[:2] == ["one__add", "one__search_web"]
        assert names[8:10] == ["the_other__add", "the_other__search_web"]
        assert "the_other__fail" not in names
        assert len(set(names)) == 15
        await text_of(named(mcp.tools(), "the_other__add"), a=7)
    assert "add 7 2" in other.lines
    assert "add 7 2" not in journal.lines


async def test_a_call_is_asked_about_unless_it_stays_inside(journal: Journal) -> None:
    asked: list[ConsentRequest] = []

    async def refuse(request: ConsentRequest) -> Answer:
        asked.append(request)
        return "deny"

    async with serving(trial=stdio_config(journal)) as mcp:
        await until(there_is(mcp, "add"))
        tools = mcp.tools(ConsentPolicy(refuse))
        await text_of(named(tools, "add"), a=1)
        assert asked == [], "nothing by strangers had come in"
        await text_of(named(tools, "add"), a=2)
        assert asked == [], "it only reads, and in its own world"
        assert "did not allow" in await advice_of(named(tools, "search_web"), query="secret")
        assert asked == [ConsentRequest("search_web", {"query": "secret"}, "strangers_text", ("add",))]
    assert journal.lines[1:] == ["add 1 2", "add 2 2"]


def test_no_connection_is_made_for_no_servers() -> None:
    mcp = McpServers({}, timeout_s=1)
    asyncio.run(mcp.start())
    assert mcp.tools() == []
    asyncio.run(mcp.close())
