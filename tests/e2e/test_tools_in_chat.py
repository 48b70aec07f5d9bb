"""Tools in the running app, over the socket: what they may reach, whom they ask, and what a chat keeps of them."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.app_with_tools import SECRET, AppWithTools, answer, app_with_tools, call, card, give, press
from tests.e2e.chat_client import ChatClient, chatting
from tests.provider.replies import stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

FOUND = "https://www.trams.example/museum"
UNKNOWN = "https://attacker.example/collect?what=all+that+was+said"
OTHER = "https://attacker.example/more"
ATTACKS: dict[str, tuple[str, dict[str, Any]]] = {
    "accounts": ("run_python", {"code": 'print(open("/etc/passwd").read())'}),
    "a secret": ("run_python", {"code": 'print(open("<<secret>>").read())'}),
    "a neighbour": ("run_python", {"code": 'print(open("<<neighbour>>").read())'}),
    "all chats": ("run_python", {"code": 'import os\nprint(os.listdir("<<chats>>"))'}),
    "environment": (
        "run_python",
        {"code": 'import os\nprint(os.environ)\nprint(open("/proc/<<server>>/environ").read())'},
    ),
    "network": (
        "run_python",
        {"code": 'import urllib.request as web\nprint(web.urlopen("<<services>>/reached", timeout=2))'},
    ),
    "programs": ("run_python", {"code": 'import subprocess\nprint(subprocess.run(["cat", "<<secret>>"]))'}),
    "planting": ("run_python", {"code": 'open("<<outside>>/planted", "w").write("x")'}),
    "read upwards": ("read_file", {"path": "../../../secret.txt"}),
    "read a neighbour": ("read_file", {"path": "<<neighbour>>"}),
    "read absolutely": ("read_file", {"path": "/etc/passwd"}),
    "write upwards": ("write_file", {"path": "../../planted", "content": "x"}),
    "write absolutely": ("write_file", {"path": "<<outside>>/planted", "content": "x"}),
    "query a path": ("query_data", {"sql": "SELECT * FROM read_csv('/etc/passwd', header=false)"}),
    "query a neighbour": ("query_data", {"sql": "SELECT content FROM read_text('<<neighbour>>')"}),
    "query an address": ("query_data", {"sql": "SELECT * FROM read_csv('<<services>>/reached')"}),
    "query into a file": ("query_data", {"sql": "COPY (SELECT 1) TO '<<outside>>/planted'"}),
}


@pytest.fixture(scope="module")
def home(shared_provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppWithTools]:
    with app_with_tools(tmp_path_factory.mktemp("tools"), shared_provider) as home:
        (home.app.data / "secret.txt").write_text(SECRET, "utf-8")
        yield home


@pytest.fixture(autouse=True)
def nothing_asked(home: AppWithTools) -> None:
    home.services.asked.clear()


def told(provider: ProviderServer, number: int = -1) -> str:
    """What the model was told last in a request."""
    return provider.requests[number].last_text


def seen(chat: ChatClient) -> str:
    """All that stands on the page."""
    return json.dumps([chat.page.steps, chat.page.elements], ensure_ascii=False)


def tool_steps(chat: ChatClient) -> list[dict[str, Any]]:
    return chat.page.of_type("tool")


async def over(chat: ChatClient) -> str:
    await asyncio.wait_for(chat.idle.wait(), 30)
    return chat.page.answers[-1] if chat.page.answers else ""


def files_called(name: str, *, below: Path) -> list[Path]:
    return [path for path in below.rglob(name) if path.is_file()]


@pytest.fixture
async def neighbour(home: AppWithTools, provider: ProviderServer) -> Path:
    """A file in another person's chat."""
    chats = home.app.data / "chats"
    if not files_called("private.md", below=chats):
        provider.add(call("write_file", path="private.md", content=SECRET), answer("Written."))
        async with chatting(home.url) as other:
            assert await other.ask("Write it down") == "Written."
        provider.reset()
    return files_called("private.md", below=chats)[0]


@pytest.mark.parametrize("name", ATTACKS)
async def test_what_is_outside_stays_outside(
    home: AppWithTools, provider: ProviderServer, neighbour: Path, name: str
) -> None:
    tool, arguments = ATTACKS[name]
    places = {
        "secret": home.app.data / "secret.txt",
        "neighbour": neighbour,
        "chats": home.app.data / "chats",
        "outside": home.app.data.parent,
        "server": home.app.process.pid,
        "services": home.services.base,
    }
    for mark, place in places.items():
        arguments = {key: value.replace(f"<<{mark}>>", str(place)) for key, value in arguments.items()}
    provider.add(call("write_file", path="own.csv", content="a\n1\n"))
    provider.add(call(tool, **arguments), answer("That did not work."), answer("Going on."))
    async with chatting(home.url) as chat:
        assert await chat.ask("Try it") == "That did not work."
        own, step = tool_steps(chat)
        assert not own["isError"]
        assert step["isError"]
        assert step["name"].endswith(" · did not work")
        assert len(step["output"].split()) > 5
        assert await chat.ask("And now?") == "Going on."
        for words in (seen(chat), json.dumps([request.body for request in provider.requests])):
            assert SECRET not in words
            assert "root:" not in words
            assert neighbour.parent.parent.name not in words or "neighbour" in name
    assert home.services.asked == []
    assert files_called("planted", below=home.app.data.parent) == []


async def test_a_no_keeps_a_call_from_being_made(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("As you wish."))
    async with chatting(home.url) as chat:
        await chat.send("What is new about trams?")
        props = await card(chat)
        assert ["url", UNKNOWN] in props["arguments"]
        assert "a web search" in props["why"]
        assert not chat.idle.is_set()
        await give(chat, "deny")
        assert await over(chat) == "As you wish."
        refused = tool_steps(chat)[-1]
        assert refused["name"] == f"Read {UNKNOWN} · not allowed by you"
        assert not refused["isError"]
        assert "did not allow this call" not in refused["output"]
        assert f"You did not allow: Read {UNKNOWN}" in [name for _, name in chat.page.story]
    assert home.pages_read() == []
    assert "did not allow this call of read_page" in told(provider)


async def test_a_yes_lets_exactly_this_call_be_made(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("It says little."))
    provider.add(call("read_page", url=OTHER), answer("Once more no."))
    async with chatting(home.url) as chat:
        await chat.send("What is new about trams?")
        await give(chat, "allow")
        assert await over(chat) == "It says little."
        assert home.pages_read() == [UNKNOWN]
        assert "Its text." in told(provider)
        await chat.send("More")
        await give(chat, "deny")
        await over(chat)
    assert home.pages_read() == [UNKNOWN]


async def test_always_is_for_this_tool_in_this_chat(home: AppWithTools, provider: ProviderServer) -> None:
    search = call("search_web", query="trams")
    provider.add(search, call("read_page", url=UNKNOWN), call("read_page", url=OTHER), answer("Read."))
    provider.add(search, call("read_page", url=OTHER), answer("Not read."))
    async with chatting(home.url) as chat, chatting(home.url) as another:
        await chat.send("What is new about trams?")
        await give(chat, "always")
        assert await over(chat) == "Read."
        assert home.pages_read() == [UNKNOWN, OTHER]
        await another.send("What is new about trams?")
        await give(another, "deny")
        assert await over(another) == "Not read."
    assert home.pages_read() == [UNKNOWN, OTHER]


async def test_calls_at_once_are_asked_about_one_after_another(home: AppWithTools, provider: ProviderServer) -> None:
    calls = [("read_page", {"url": UNKNOWN}), ("calculate", {"expression": "6*7"}), ("read_page", {"url": OTHER})]
    provider.add(call("search_web", query="trams"), answer("Found."))
    provider.add(stream(tool_calls=calls, finish="tool_calls"), stream("One of two."))
    async with chatting(home.url) as chat:
        await chat.ask("What is new about trams?")
        cookies, thread_id = chat.http.cookies, chat.thread["id"]
    async with chatting(home.url, cookies=cookies, thread=thread_id, profile="native") as chat:
        await chat.send("Read both")
        await give(chat, "deny")
        await give(chat, "allow")
        assert await over(chat) == "One of two."
        assert [step["isError"] for step in tool_steps(chat)] == [False, False, False]
        assert [step["name"].endswith("not allowed by you") for step in tool_steps(chat)] == [True, False, False]
    assert home.pages_read() == [OTHER]


async def test_stop_takes_the_question_away(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("Going on."))
    async with chatting(home.url) as chat:
        await chat.send("What is new about trams?")
        props = await card(chat)
        await chat.stop()
        await over(chat)
        assert chat.page.props_of("Consent") == []
        assert [step for step in chat.page.of_type("system_message") if step["metadata"].get("icon")] == []
        assert chat.page.of_type("undefined")[-1]["name"].startswith("Stopped after ")
        await press(chat, props, "allow")
        assert await chat.ask("Go on") == "Going on."
    assert home.pages_read() == []


async def test_addresses_that_were_given_are_read_without_a_question(
    home: AppWithTools, provider: ProviderServer
) -> None:
    mine = "https://mine.example/page?id=7"
    provider.add(call("search_web", query="trams"), call("read_page", url=FOUND), call("read_page", url=mine))
    provider.add(answer("All read."))
    async with chatting(home.url) as chat:
        assert await chat.ask(f"What is new about trams? See also {mine}.") == "All read."
        assert "Consent" not in {one["name"] for one in chat.page.elements.values()}
        assert not any(step["isError"] for step in tool_steps(chat))
    assert home.pages_read() == [FOUND, mine]


async def test_the_chat_s_setting_decides_what_is_asked(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), call("read_page", url=UNKNOWN), answer("Not asked."))
    provider.add(call("calculate", expression="6*7"), answer("42."))
    async with chatting(home.url) as chat:
        await chat.set(consent="none")
        assert await chat.ask("What is new about trams?") == "Not asked."
        assert home.pages_read() == [UNKNOWN]
        await chat.set(consent="all")
        await chat.send("What is 6*7?")
        props = await card(chat)
        assert props["arguments"] == [["expression", "6*7"]]
        assert props["why"] == "You chose to be asked before every tool."
        await give(chat, "allow")
        assert await over(chat) == "42."
    assert "42" in told(provider)


async def test_python_keeps_its_state_until_it_is_stopped(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("run_python", code="x = 1"), call("run_python", code="x + 1"), answer("Two."))
    provider.add(call("run_python", code="open('begun', 'w').close()\nwhile True: pass"))
    provider.add(call("run_python", code="x"), call("run_python", code="6 * 7"), answer("Anew."))
    async with chatting(home.url) as chat:
        assert await chat.ask("Count") == "Two."
        assert "Value: 2" in told(provider)
        await chat.send("Go on for ever")
        async with asyncio.timeout(20):
            while not await asyncio.to_thread(files_called, "begun", below=home.app.data):
                pass
        began = asyncio.get_running_loop().time()
        await chat.stop()
        await over(chat)
        assert asyncio.get_running_loop().time() - began < 3
        assert chat.page.of_type("undefined")[-1]["name"].startswith("Stopped after ")
        assert tool_steps(chat)[-1]["name"] == "Ran Python · stopped"
        assert await chat.ask("And x?") == "Anew."
    assert "NameError" in told(provider, -2)
    assert "Value: 42" in told(provider)


async def test_chats_do_not_see_each_other_s_files(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("write_file", path="notes.md", content="only mine"), answer("Written."))
    provider.add(call("list_files"), call("read_file", path="notes.md"))
    provider.add(call("run_python", code="import os; os.listdir()"), answer("Nothing."))
    async with chatting(home.url) as ada, chatting(home.url) as eve:
        assert await ada.ask("Write") == "Written."
        assert await eve.ask("Read") == "Nothing."
        assert "no files yet" in told(provider, -3)
        assert "Value: []" in told(provider)
        assert "only mine" not in seen(eve) + json.dumps([one.body for one in provider.requests[-4:]])


async def test_a_chat_that_is_gone_on_with_knows_what_came_before(home: AppWithTools, provider: ProviderServer) -> None:
    provider.add(call("search_web", query="trams"), call("write_file", path="notes.md", content="Free entry."))
    provider.add(answer("It is free [1]."))
    async with chatting(home.url) as chat:
        assert FOUND in await chat.ask("What does the museum cost?")
        cookies, thread_id = chat.http.cookies, chat.thread["id"]
    provider.add(call("read_file", path="notes.md"), call("read_page", url=FOUND), call("read_page", url=UNKNOWN))
    provider.add(answer("Free, as said [1]."))
    async with chatting(home.url, cookies=cookies, thread=thread_id) as again:
        await again.send("Sure?")
        props = await card(again)
        assert ["url", UNKNOWN] in props["arguments"]
        assert "a web search" in props["why"]
        assert home.pages_read() == [FOUND]
        await give(again, "deny")
        said = await over(again)
        assert f"[1]({FOUND} " in said
        assert [source["number"] for source in again.page.props_of("Citations")[-1]["sources"]] == [1]
        (path,) = [one["url"] for one in again.thread["elements"] if one["name"] == "notes.md"]
        assert (await again.http.get(path)).text == "Free entry."
        async with chatting(home.url) as stranger:
            assert (await stranger.http.get(path)).status_code in {401, 403, 404}
    assert "Free entry." in told(provider, -3)
