"""Chats that are kept: over the real socket, with the real database, over reloads, restarts and crashes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.chat_client import ChatClient, Late, chatting
from tests.e2e.running_app import RunningApp, running_app
from tests.provider.replies import Hold, stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

SHOWN = ("id", "type", "name", "output", "input", "isError", "language", "parentId")
THOUGHT = "They ask for a product. key:value and `code:x` stay."
CALL = 'Thought: I calculate.\nAction: calculate\nAction Input: {"expression": "23*19"}'
ANSWER = "Thought: Done.\nAnswer: It is 437: see host:port and \\(x\\)."


def settings(provider: ProviderServer) -> dict[str, str]:
    return {
        "SHUTDOWN_PATIENCE": "0.5",
        "LLM_API_BASE": provider.api_base,
        "LLM_API_KEY": "k",
        "LLM_MODEL": "deepseek-flash",
        "MAX_RETRIES": "0",
    }


def shown(steps: Any) -> list[dict[str, Any]]:
    """What people see of the steps, but for the lines about the model, which are of the moment."""
    seen = [{key: step.get(key) or None for key in SHOWN} for step in steps]
    first = next(index for index, step in enumerate(seen) if step["type"] == "user_message")
    return [step for step in seen[first:] if step["type"] != "run"]


async def threads_of(chat: ChatClient, search: str = "") -> list[str]:
    """The names in the sidebar."""
    body = {"pagination": {"first": 20}, "filter": {"search": search}}
    response = await chat.http.post("/project/threads", json=body)
    return [thread["name"] for thread in response.json()["data"]]


async def test_a_chat_comes_back_as_it_was_and_is_gone_on_with(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream(CALL, thinking=THOUGHT), stream(ANSWER), stream("Answer: Yes."))
    async with chatting(app.url) as chat:
        await chat.ask("What is 23*19?")
        before = shown([*chat.sent, *(step for step in chat.page.steps.values() if step["parentId"])])
        cookies, thread_id = chat.http.cookies, chat.thread["id"]
    async with chatting(app.url, cookies=cookies, thread=thread_id) as again:
        assert shown(again.thread["steps"]) == before
        assert [step["metadata"]["icon"] for step in again.thread["steps"] if step["type"] == "tool"] == ["calculator"]
        assert await again.ask("Sure?") == "Yes."
    told = [(m["role"], m["content"]) for m in provider.requests[-1].body["messages"][1:]]
    assert told == [
        ("user", "What is 23*19?"),
        ("assistant", "It is 437: see host:port and \\(x\\).\n\n[Tools used: calculate]"),
        ("user", "Sure?"),
    ]


async def test_each_browser_sees_its_own_chats_only(app: RunningApp, provider: ProviderServer) -> None:
    provider.reset(lambda request: stream(f"Answer: for {request.question}"))
    async with chatting(app.url) as ada, chatting(app.url) as eve:
        await ada.ask("Ada's question about 蒸汽机")
        await eve.ask("Eve's question")
        assert await threads_of(ada) == ["Ada's question about 蒸汽机"]
        assert await threads_of(eve) == ["Eve's question"]
        assert await threads_of(ada, "汽机") == ["Ada's question about 蒸汽机"]
        assert await threads_of(eve, "Ada") == []
        path = f"/project/thread/{ada.thread['id']}"
        assert (await eve.http.get(path)).status_code in (401, 403, 404)
        assert (await eve.http.request("DELETE", "/project/thread", json={"threadId": ada.thread["id"]})).is_error
        assert (await ada.http.get(path)).status_code == 200


async def test_a_thumb_is_for_ones_own_answers(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: Fine."))
    async with chatting(app.url) as ada, chatting(app.url) as eve:
        await ada.ask("How are you?")
        run = ada.page.of_type("run")[-1]["id"]
        thumb = {"feedback": {"forId": run, "value": 1, "comment": "good"}, "sessionId": "x"}
        assert (await eve.http.put("/feedback", json=thumb)).status_code == 404
        kept = await ada.http.put("/feedback", json=thumb)
        assert kept.status_code == 200
        taken = {"feedbackId": kept.json()["feedbackId"]}
        assert (await eve.http.request("DELETE", "/feedback", json=taken)).status_code == 404
        assert (await ada.http.request("DELETE", "/feedback", json=taken)).status_code == 200


async def test_what_an_edit_replaced_does_not_come_back(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: old", thinking="old thoughts"), stream("Answer: new", thinking="new thoughts"))
    async with chatting(app.url) as chat:
        question = await chat.send("first try")
        await asyncio.wait_for(chat.idle.wait(), 20)
        await chat.edit(question, "second try")
        await asyncio.wait_for(chat.idle.wait(), 20)
        cookies, thread_id = chat.http.cookies, chat.thread["id"]
    async with chatting(app.url, cookies=cookies, thread=thread_id) as again:
        texts = json.dumps(again.thread["steps"])
    assert "old" not in texts
    assert "new thoughts" in texts
    assert "second try" in texts


async def test_a_deleted_chat_takes_its_files_with_it(app: RunningApp, provider: ProviderServer) -> None:
    call = 'Thought: I write.\nAction: write_file\nAction Input: {"path": "a.md", "content": "# secret"}'
    provider.add(stream(call), stream("Answer: Written."))
    async with chatting(app.url) as chat:
        await chat.ask("Write it")
        assert files_with(app.data, b"# secret")
        body = {"threadId": chat.thread["id"]}
        assert (await chat.http.request("DELETE", "/project/thread", json=body)).status_code == 200
        assert await threads_of(chat) == []
    assert not files_with(app.data, b"# secret")


def files_with(folder: Path, content: bytes) -> list[Path]:
    """All kept files that hold exactly this; what Chainlit serves to an open page is in `files`."""
    kept = [path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0] != "files"]
    return [path for path in kept if path.read_bytes() == content]


@pytest.mark.parametrize("is_kill", [False, True], ids=["SIGTERM", "SIGKILL"])
async def test_a_server_that_ends_in_the_midst_loses_neither_question_nor_what_was_read(
    provider: ProviderServer, tmp_path: Path, *, is_kill: bool
) -> None:
    provider.add(stream("Answer: " + "word " * 100, size=5, pause=0.05, tail=[Hold()]))
    with running_app(tmp_path, **settings(provider)) as app:
        async with chatting(app.url) as chat:
            await chat.send("Tell me much")
            await chat.until(lambda page: page.answers and page.answers[-1].count("word") > 50)
            seen = chat.page.answers[-1]
            cookies, thread_id = chat.http.cookies, chat.thread["id"]
            app.process.kill() if is_kill else app.process.terminate()
            await asyncio.to_thread(app.process.wait, 30)
    provider.add(stream("Answer: On it goes."))
    with running_app(tmp_path, **settings(provider)) as app:
        async with chatting(app.url, cookies=cookies, thread=thread_id) as again:
            steps = again.thread["steps"]
            assert [step["output"] for step in steps if step["type"] == "user_message"] == ["Tell me much"]
            (answer,) = [step["output"] for step in steps if step["type"] == "assistant_message"]
            assert seen.startswith(answer.strip()[:-1]) or answer.startswith(seen)
            assert answer.count("word") > (5 if is_kill else 40)
            await again.until(lambda page: any(button["name"] == "go_on" for button in page.buttons))
            again.idle.clear()
            await again.press(next(button for button in again.page.buttons if button["name"] == "go_on"))
            await again.until(lambda page: page.answers[-1:] == ["On it goes."])
    told = provider.requests[-1].body["messages"]
    assert "word word" in told[2]["content"]
    assert "the server was restarted" in told[2]["content"]
    assert told[3]["content"] == "Please go on where you broke off."


@pytest.mark.parametrize("gone", ["deleted", "somebody else's"])
async def test_who_comes_for_a_chat_that_is_not_there_gets_a_new_one_which_is_kept(
    app: RunningApp, provider: ProviderServer, gone: str
) -> None:
    provider.reset(lambda _: stream("Answer: Yes."))
    async with chatting(app.url) as chat:
        await chat.ask("Hello")
        thread_id, cookies = chat.thread["id"], chat.http.cookies
        if gone == "deleted":
            await chat.http.request("DELETE", "/project/thread", json={"threadId": thread_id})
    late = Late(app.url, cookies=cookies if gone == "deleted" else None, thread=thread_id)
    await late.connect()
    assert await late.ask("Is anybody here?") == "Yes."
    assert late.thread["id"] != thread_id
    async with chatting(app.url, cookies=late.http.cookies, thread=late.thread["id"]) as again:
        assert [m["output"] for m in again.thread["steps"] if m["type"] == "user_message"] == ["Is anybody here?"]
    await late.close()
