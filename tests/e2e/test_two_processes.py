"""Two processes behind nginx on one PostgreSQL, as `deploy/` has it: the same chats and files, also when one is killed.

Over each whole test nginx has nothing to answer that begins with a 5.
"""

import asyncio
import contextlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.e2e.chat_client import chatting
from tests.e2e.running_app import ROOT, RunningApp, free_port, running_app
from tests.e2e.tabs import IN_THINKING, Browser, Tab, button_names, is_at_its_hold
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer, Request
from tests.ui.data_layer import postgres
from ui.texts import ENGLISH

pytestmark = pytest.mark.e2e


@dataclass(frozen=True, slots=True)
class Cluster:
    """The address in front, and the processes behind it."""

    url: str
    apps: tuple[RunningApp, RunningApp]


@pytest.fixture
def cluster(provider: ProviderServer, tmp_path: Path) -> Iterator[Cluster]:
    programs, nginx = postgres.programs(), shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
    if programs is None or nginx is None:
        pytest.skip("TWO PROCESSES ARE NOT TESTED: PostgreSQL or nginx is not installed here")
    with contextlib.ExitStack() as running:
        database = running.enter_context(postgres.running(programs)).emptied_database()
        settings = {
            "LLM_API_BASE": provider.api_base, "LLM_API_KEY": "k", "LLM_MODEL": "deepseek-flash", "MAX_RETRIES": "0",
            "DATABASE_URL": database, "CHAINLIT_AUTH_SECRET": "the same for both " * 3,
            "THINKGLASS_DATA": str(tmp_path / "shared"),
        }  # fmt: skip
        first, second = (running.enter_context(running_app(_made(tmp_path / name), **settings)) for name in "ab")
        port = free_port()
        running.enter_context(in_front(nginx, tmp_path, port, first, second))
        yield Cluster(f"http://127.0.0.1:{port}", (first, second))
        answers = re.findall(r'" (\d{3}) ', (tmp_path / "access.log").read_text("utf-8"))
        assert answers
        assert not [status for status in answers if status.startswith("5")]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@contextlib.contextmanager
def in_front(nginx: str, folder: Path, port: int, first: RunningApp, second: RunningApp) -> Iterator[None]:
    """nginx with the configuration that people are given, but for the ports."""
    conf = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    own = {"127.0.0.1:8001": f"127.0.0.1:{first.port}", "127.0.0.1:8002": f"127.0.0.1:{second.port}"}
    for given, ours in {**own, "listen 80;": f"listen 127.0.0.1:{port};"}.items():
        assert given in conf
        conf = conf.replace(given, ours)
    kinds = ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    path = folder / "nginx.conf"
    path.write_text(f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{}}\n"
                    f"http {{ access_log {folder}/access.log; {temporary}\n{conf}\n}}\n", "utf-8")  # fmt: skip
    process = subprocess.Popen([nginx, "-c", str(path)], stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health")
        yield
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(url: str) -> None:
    transport = httpx.HTTPTransport(retries=8)
    with httpx.Client(transport=transport) as client:
        assert client.get(url, timeout=10).status_code == 200


async def test_people_keep_their_chats_when_a_process_is_killed(cluster: Cluster, provider: ProviderServer) -> None:
    def answer(request: Request) -> object:
        return stream(f"Answer: for {request.question}")

    provider.reset(answer)
    people = [f"person {number}" for number in range(6)]

    async def first_visit(name: str) -> tuple[httpx.Cookies, str]:
        async with chatting(cluster.url) as chat:
            assert await chat.ask(name) == f"for {name}"
            kept = await chat.http.post("/project/threads", json={"pagination": {"first": 20}, "filter": {}})
            assert [thread["name"] for thread in kept.json()["data"]] == [name]
            return chat.http.cookies, str(chat.thread["id"])

    visits = [await first_visit(name) for name in people]
    cluster.apps[0].process.kill()
    await asyncio.to_thread(cluster.apps[0].process.wait, 10)
    for name, (cookies, thread_id) in zip(people, visits, strict=True):
        async with chatting(cluster.url, cookies=cookies, thread=thread_id) as again:
            texts = [step["output"] for step in again.thread["steps"] if step["type"].endswith("_message")]
            assert texts == [name, f"for {name}"]
            assert await again.ask(f"{name} again") == f"for {name} again"
            assert (await again.http.get(f"/project/thread/{thread_id}")).status_code == 200
    for request in provider.requests[len(people) :]:
        said = [message["content"] for message in request.body["messages"][1:]]
        assert said[2] == f"{said[0]} again"
    assert "Traceback" not in cluster.apps[1].printed()


async def test_a_turn_that_another_process_runs_is_not_taken_for_dead(
    cluster: Cluster, provider: ProviderServer
) -> None:
    provider.add(IN_THINKING)
    first, second = cluster.apps
    here = Browser(first)
    tab = await here.open()
    await tab.send("First?")
    await tab.until(lambda page: is_at_its_hold(page, IN_THINKING))
    there = Browser(second)
    other = await there.open_again(tab)
    assert ENGLISH.turn.elsewhere in names(other)
    assert ENGLISH.turn.interrupted_sometime not in names(other)
    first.process.kill()
    await asyncio.to_thread(first.process.wait, 10)
    other = await there.reload(other)
    assert ENGLISH.turn.elsewhere not in names(other)
    assert ENGLISH.turn.interrupted_sometime in names(other)
    await other.until(lambda _: {"go_on", "try_again"} <= set(button_names(other)))
    await there.close()
    await here.close()


def names(tab: Tab) -> list[str]:
    return [step["name"] for step in tab.page.of_type("undefined")]


FILE = b"city,visitors\nBergen,19\nOslo,23\n"
LOOKS = {
    "list": ("list_files", {}, "visitors.csv"),
    "query": ("query_data", {"sql": "SELECT sum(visitors) FROM visitors"}, "42"),
    "read": ("read_file", {"path": "visitors.csv"}, "Bergen,19"),
}


def look_into_files(request: Request) -> Reply:
    """Call the tool that the question names, and say that it is done."""
    if request.last_text.startswith("Observation") or request.question not in LOOKS:
        return stream("Answer: Done.")
    tool, arguments, _ = LOOKS[request.question]
    return stream(f"Thought: I look.\nAction: {tool}\nAction Input: {json.dumps(arguments)}", size=40)


async def test_files_outlive_the_process_that_took_them(cluster: Cluster, provider: ProviderServer) -> None:
    provider.reset(look_into_files)

    async def first_visit() -> tuple[httpx.Cookies, str]:
        async with chatting(cluster.url) as chat:
            file = await chat.upload("visitors.csv", FILE, "text/csv")
            await chat.send("Here it is.", files=[file])
            await chat.until(lambda page: page.answers == ["Done."])
            return chat.http.cookies, str(chat.thread["id"])

    visits = [await first_visit() for _ in range(6)]
    served = [app.get("/metrics").text for app in cluster.apps]
    assert all('turns_total{outcome="answered"}' in text for text in served)
    cluster.apps[0].process.kill()
    await asyncio.to_thread(cluster.apps[0].process.wait, 10)
    for cookies, thread_id in visits:
        async with chatting(cluster.url, cookies=cookies, thread=thread_id) as again:
            (file,) = again.thread["elements"]
            assert (file["name"], (await again.http.get(file["url"])).content) == ("visitors.csv", FILE)
            for question, (_, _, found) in LOOKS.items():
                await again.ask(question)
                assert found in provider.requests[-1].last_text
    assert "Traceback" not in cluster.apps[1].printed()


async def test_both_processes_get_people_and_each_stays_with_its_own(
    cluster: Cluster, provider: ProviderServer
) -> None:
    provider.reset(lambda request: stream("Answer: hello"))
    async with contextlib.AsyncExitStack() as open_chats:
        chats = [await open_chats.enter_async_context(chatting(cluster.url)) for _ in range(12)]
        await asyncio.gather(*(chat.ask("hello") for chat in chats))
        served = [app.get("/metrics").text for app in cluster.apps]
        counts = [float(re.findall(r'turns_total\{outcome="answered"\} (\S+)', text)[0]) for text in served]
        assert sum(counts) == 12
        assert min(counts) > 0
        for chat in chats:
            assert (await chat.press({**ACTION, "forId": chat.sent[-1]["id"]})) == 200


ACTION = {"id": "x", "name": "export_answer", "payload": {"turn": "x"}, "label": "", "tooltip": "", "icon": ""}
