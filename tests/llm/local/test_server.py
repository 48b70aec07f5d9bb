import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from llm.local.errors import EngineFailed
from llm.local.server import EXTRA_BODY, EXTRA_HEADERS, EngineServer, Model, open_server, require_engine
from tests.llm.local.site import LIMIT_S

pytestmark = pytest.mark.builtin

ROOT = Path(__file__).parents[3]
TEMPLATE = (ROOT / "llm" / "local" / "think.jinja").read_text("utf-8")
GRAMMAR = r"""root ::= "I think." "\n</think>\n\n" "I say so." """
ENDLESS = r"""root ::= [a-z ]+ "\n</think>" """
LONG = "word " * 3500


@pytest.fixture
async def server(tiny_model: Path, tmp_path: Path) -> AsyncIterator[EngineServer]:
    model = Model(path=tiny_model, name="tiny", server="built-in", context_tokens=4096, chat_template=TEMPLATE)
    server = await open_server(model, tmp_path / "slots")
    yield server
    await server.close()


@pytest.fixture
async def client(server: EngineServer) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {server.endpoint.api_key}", **EXTRA_HEADERS}
    base = server.endpoint.api_base.removesuffix("/v1")
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=LIMIT_S, trust_env=False) as client:
        yield client


def request(text: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    return {"messages": messages, "stream": True, "max_tokens": 3000, **EXTRA_BODY, **more}


async def chunks(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in response.aiter_lines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def joined(deltas: list[dict[str, Any]], field: str) -> str:
    return "".join(delta.get(field) or "" for delta in deltas)


def arguments_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text("utf-8")


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def seconds_until_idle(client: httpx.AsyncClient) -> float:
    """The next request waits for the slot, so how long a tiny one takes tells when the slot was free."""
    began = time.monotonic()
    body = {"messages": [{"role": "user", "content": "a"}], "max_tokens": 1}
    (await client.post("/v1/chat/completions", json=body)).raise_for_status()
    return time.monotonic() - began


async def test_thinking_and_answer_come_apart(client: httpx.AsyncClient) -> None:
    async with client.stream("POST", "/v1/chat/completions", json=request("Hi", grammar=GRAMMAR)) as response:
        deltas = [choice["delta"] async for chunk in chunks(response) for choice in chunk["choices"]]
    assert joined(deltas, "reasoning_content") == "I think.\n"
    assert joined(deltas, "content") == "I say so."


async def test_requests_in_a_row_never_meet_a_closed_connection(client: httpx.AsyncClient) -> None:
    for _ in range(40):
        async with client.stream("POST", "/v1/chat/completions", json=request("Hi", max_tokens=1)) as response:
            assert [chunk async for chunk in chunks(response)]


async def test_nobody_without_the_key_is_answered(server: EngineServer) -> None:
    async with httpx.AsyncClient(base_url=server.endpoint.api_base, trust_env=False) as stranger:
        response = await stranger.post("/chat/completions", json=request("Hi"))
    assert response.status_code == 401


async def test_neither_the_key_nor_the_model_path_is_shown(server: EngineServer, client: httpx.AsyncClient) -> None:
    key = server.endpoint.api_key
    assert key
    assert key not in repr(server.endpoint)
    assert key not in arguments_of(server.pid)
    listed = (await client.get("/v1/models")).json()["data"]
    assert [model["id"] for model in listed] == [server.endpoint.model] == ["tiny"]


async def test_a_closed_stream_frees_the_slot_while_it_generates(client: httpx.AsyncClient) -> None:
    async with client.stream("POST", "/v1/chat/completions", json=request("Hi", grammar=ENDLESS)) as response:
        async for chunk in chunks(response):
            if chunk["choices"] and chunk["choices"][0]["delta"].get("reasoning_content"):
                break
    assert await seconds_until_idle(client) < 2


async def test_a_closed_stream_frees_the_slot_while_the_prompt_is_read(client: httpx.AsyncClient) -> None:
    async with client.stream("POST", "/v1/chat/completions", json=request(LONG)) as response:
        first = await anext(chunks(response))
    progress = first["prompt_progress"]
    assert progress["processed"] < progress["total"]
    assert await seconds_until_idle(client) < 4


async def test_closing_ends_the_process_at_once(server: EngineServer, client: httpx.AsyncClient) -> None:
    async with client.stream("POST", "/v1/chat/completions", json=request("Hi", grammar=ENDLESS)) as response:
        await anext(chunks(response))
        began = time.monotonic()
        await server.close()
        assert time.monotonic() - began < 1
    assert not is_running(server.pid)


async def test_a_crash_is_noticed_and_told(server: EngineServer) -> None:
    os.kill(server.pid, signal.SIGSEGV)
    error = await asyncio.wait_for(server.ended(), LIMIT_S)
    assert "-11" in error.detail
    assert "Ask again" in error.user_message


@pytest.mark.parametrize("content", [b"", b"GGUF but broken", b"no model at all"])
async def test_a_broken_file_is_a_plain_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    model = Model(path=path, name="broken", server="llama.cpp", context_tokens=512)
    with pytest.raises(EngineFailed):
        await open_server(model, tmp_path / "slots")


async def test_the_engine_is_there() -> None:
    await require_engine()


APP = """
import asyncio, os, sys
from pathlib import Path
from llm.local.server import Model, open_server

def show_children():
    print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)

async def main(path, folder, moment):
    model = Model(path=Path(path), name="tiny", server="built-in", context_tokens=512)
    if moment == "loading":
        asyncio.get_running_loop().call_later(0.2, show_children)
    server = await open_server(model, Path(folder))
    if moment == "ready":
        show_children()
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("moment", ["loading", "ready"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_engine_ends_with_the_app(tiny_model: Path, tmp_path: Path, moment: str, how: signal.Signals) -> None:
    command = [sys.executable, "-c", APP, str(tiny_model), str(tmp_path), moment]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as app:
        assert app.stdout
        engine = os.pidfd_open(int(app.stdout.readline()))
        assert not has_ended(engine, within_s=0)
        app.send_signal(how)
        assert has_ended(engine, within_s=5)
    os.close(engine)


def has_ended(process: int, *, within_s: float) -> bool:
    return bool(select.select([process], [], [], within_s)[0])
