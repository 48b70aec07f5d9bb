"""Asking anew, over the real socket: an edit or a second try takes the place of all that came after the question."""

import asyncio
from typing import Any

import pytest

from tests.e2e.chat_client import ChatClient, chatting
from tests.e2e.running_app import RunningApp
from tests.provider.replies import DONE, Hold, chunk, error, stream
from tests.provider.server import ProviderServer, Request

pytestmark = pytest.mark.e2e

ANSWER = stream("Answer: Hello there, friend.", thinking="They greet me.")
OTHER = stream("Answer: Good day.", thinking="Once more.")


def told(request: Request) -> list[str]:
    """What the model was told after its system prompt."""
    return [message["content"] for message in request.body["messages"][1:]]


def buttons(chat: ChatClient, name: str = "try_again") -> list[dict[str, Any]]:
    return [button for button in chat.page.buttons if button["name"] == name]


async def finished(chat: ChatClient, message: str) -> str:
    """Send a question and wait for its end; returns its id."""
    message_id = await chat.send(message)
    await asyncio.wait_for(chat.idle.wait(), 15)
    return message_id


async def pressed(chat: ChatClient, button: dict[str, Any], provider: ProviderServer, *, requests: int) -> None:
    chat.idle.clear()
    assert await chat.press(button) == 200
    await asyncio.to_thread(provider.wait_for_request, requests)
    await asyncio.wait_for(chat.idle.wait(), 15)


async def test_a_second_try_takes_the_place_of_the_first(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, ANSWER, OTHER, ANSWER)
    async with chatting(app.url) as chat:
        await chat.ask("First")
        await chat.ask("Hello")
        await pressed(chat, buttons(chat)[0], provider, requests=3)
        assert chat.page.answers == ["Hello there, friend.", "Good day."]
        assert [step["output"] for step in chat.page.of_type("llm")] == ["They greet me.", "Once more."]
        await chat.ask("And?")
    assert told(provider.requests[2]) == ["First", "Hello there, friend.", "Hello"]
    assert told(provider.requests[3]) == ["First", "Hello there, friend.", "Hello", "Good day.", "And?"]


async def test_only_the_last_answer_has_buttons(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, OTHER)
    async with chatting(app.url) as chat:
        await chat.ask("Hello")
        first = {button["forId"] for button in chat.page.buttons if button["name"] != "check_connection"}
        await chat.ask("Again")
        second = {button["forId"] for button in chat.page.buttons if button["name"] != "check_connection"}
        labels = [button["label"] for button in chat.page.buttons if button["name"] != "check_connection"]
    assert len(first) == len(second) == 1
    assert first != second
    assert labels == ["Try again", "Without thinking", "Think harder", "Save"]


async def test_a_second_try_can_think_otherwise_and_the_next_question_does_not(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(*[ANSWER] * 4)
    async with chatting(app.url) as chat:
        await chat.ask("Hello")
        without = next(button for button in buttons(chat) if button["label"] == "Without thinking")
        await pressed(chat, without, provider, requests=2)
        harder = next(button for button in buttons(chat) if button["label"] == "Think harder")
        await pressed(chat, harder, provider, requests=3)
        assert [button["label"] for button in buttons(chat)] == ["Try again", "Without thinking"]
        await chat.ask("And?")
    bodies = [request.body for request in provider.requests]
    assert [body.get("thinking") for body in bodies] == [None, {"type": "disabled"}, None, None]
    assert [body.get("reasoning_effort") for body in bodies] == [None, None, "max", None]


async def test_a_failed_turn_can_be_tried_again(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(error(402, "Insufficient Balance"), ANSWER)
    async with chatting(app.url, language="zh-CN") as chat:
        assert "余额不足" in await chat.ask("你好")
        await pressed(chat, buttons(chat)[0], provider, requests=2)
        assert chat.page.answers == ["Hello there, friend."]


async def test_two_presses_answer_once(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, stream(thinking="Hm", tail=[Hold()]), OTHER)
    async with chatting(app.url) as chat:
        await chat.ask("Hello")
        button = buttons(chat)[0]
        await chat.press(button)
        await chat.until(lambda page: any(step["output"] == "Hm" for step in page.of_type("llm")))
        await pressed(chat, button, provider, requests=3)
        assert chat.page.answers == ["Good day."]
        assert [step["output"] for step in chat.page.of_type("llm")] == ["Once more."]
    assert provider.requests[1].client_left
    assert told(provider.requests[2]) == ["Hello"]


async def test_a_button_of_a_chat_that_is_gone_says_so(app: RunningApp, provider: ProviderServer) -> None:
    async with chatting(app.url) as chat:
        await chat.press({"name": "try_again", "payload": {"turn": "unknown"}, "label": "Try again"})
        await chat.until(lambda page: bool(page.toasts))
        assert "send it anew" in chat.page.toasts[0]["message"]
    assert provider.requests == []


async def test_an_edit_takes_later_turns_off_the_page_and_out_of_memory(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(ANSWER, ANSWER, OTHER, ANSWER)
    async with chatting(app.url) as chat:
        first = await finished(chat, "First")
        second = await finished(chat, "Second")
        await chat.edit(first, "First, better")
        await asyncio.to_thread(provider.wait_for_request, 3)
        await asyncio.wait_for(chat.idle.wait(), 15)
        assert chat.page.answers == ["Good day."]
        assert second not in chat.page.steps
        assert [step["output"] for step in chat.page.of_type("llm")] == ["Once more."]
        await chat.ask("And?")
    assert told(provider.requests[2]) == ["First, better"]
    assert told(provider.requests[3]) == ["First, better", "Good day.", "And?"]


async def test_an_edit_stops_the_turn_that_runs(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: As far as", thinking="Hm.", tail=[Hold()]), OTHER)
    async with chatting(app.url) as chat:
        question = await chat.send("Hello")
        await chat.until(lambda page: bool(page.answers))
        await chat.edit(question, "Hello, edited")
        await asyncio.to_thread(provider.wait_for_request, 2)
        assert provider.requests[0].over.wait(1)
        await chat.until(lambda page: page.answers == ["Good day."])
        await asyncio.wait_for(chat.idle.wait(), 15)
        assert chat.page.answers == ["Good day."]
        assert not any("Stopped" in name for _, name in chat.page.story)
    assert told(provider.requests[1]) == ["Hello, edited"]


async def test_an_edit_of_a_message_that_the_server_does_not_know_is_answered_in_its_place(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(ANSWER, OTHER)
    unknown = "0b0e6c4e-8f5f-4c39-9d0f-3a4f0c7b1d11"
    async with chatting(app.url) as chat:
        await chat.edit(unknown, "From before the restart")
        await asyncio.to_thread(provider.wait_for_request, 1)
        await asyncio.wait_for(chat.idle.wait(), 15)
        assert chat.page.answers == ["Hello there, friend."]
        run = next(step for step in chat.page.of_type("run") if step["name"] == "on_message")
        assert run["parentId"] == unknown
        await chat.edit(unknown, "Once more")
        await asyncio.to_thread(provider.wait_for_request, 2)
        await asyncio.wait_for(chat.idle.wait(), 15)
        assert chat.page.answers == ["Good day."]
    assert told(provider.requests[1]) == ["Once more"]


@pytest.mark.parametrize("wrong", ["no uuid", "", "../../etc"])
async def test_an_edit_that_makes_no_sense_changes_nothing(
    app: RunningApp, provider: ProviderServer, wrong: str
) -> None:
    provider.add(ANSWER)
    async with chatting(app.url) as chat:
        await chat.edit(wrong, "Hello")
        assert await chat.ask("Hello") == "Hello there, friend."
    assert len(provider.requests) == 1


async def test_a_stop_ends_a_second_try(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, stream(thinking="Hm", tail=[Hold()]), OTHER)
    async with chatting(app.url) as chat:
        await chat.ask("Hello")
        await chat.press(buttons(chat)[0])
        await chat.until(lambda page: any(step["output"] == "Hm" for step in page.of_type("llm")))
        await chat.stop()
        await asyncio.wait_for(chat.idle.wait(), 5)
        assert provider.requests[1].over.wait(1)
        assert await chat.ask("Go on") == "Good day."


async def test_the_page_stays_busy_while_the_second_of_two_quick_messages_is_answered(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(stream("Answer: One.", tail=[Hold()]), stream(thinking="Two", tail=[Hold()]))
    async with chatting(app.url) as chat:
        await chat.send("1?")
        await chat.until(lambda page: bool(page.answers))
        await chat.send("2?")
        provider.release()
        await asyncio.to_thread(provider.wait_for_request, 2)
        await chat.until(lambda page: any(step["output"] == "Two" for step in page.of_type("llm")))
        assert not chat.idle.is_set()
        await chat.stop()
        await asyncio.wait_for(chat.idle.wait(), 5)


async def test_the_text_to_copy_is_what_the_model_wrote(app: RunningApp, provider: ProviderServer) -> None:
    text = "See localhost:port and `a:b`, key:value, \\:x."
    provider.add(stream(f"Answer: {text}", thinking="Hm."))
    async with chatting(app.url) as chat:
        question = await finished(chat, "Where?")
        assert "localhost\\:port" in chat.page.answers[0]
        await chat.tell({"thinkglass": "copy", "turn": question})
        await chat.until(lambda page: bool(page.told))
        assert chat.page.told == [{"thinkglass": "copied", "turn": question, "text": text}]


async def test_an_edit_leaves_the_answer_alone_that_came_after_the_question_but_for_an_earlier_one(
    app: RunningApp, provider: ProviderServer
) -> None:
    held = stream("Answer: First", tail=[Hold(), chunk(finish="stop"), DONE])
    provider.add(held, OTHER, ANSWER, OTHER)
    async with chatting(app.url) as chat:
        await chat.send("One")
        await chat.until(lambda page: page.answers == ["First"])
        two = await chat.send("Two")
        await chat.until(lambda page: len(page.of_type("run")) == 3)
        provider.release()
        await chat.until(lambda page: page.answers == ["First", "Good day."])
        await asyncio.wait_for(chat.idle.wait(), 15)
        await chat.edit(two, "Two, rather")
        await chat.until(lambda page: page.answers == ["First", "Hello there, friend."])
        await asyncio.wait_for(chat.idle.wait(), 15)
        cookies, thread = chat.http.cookies, chat.thread["id"]
    async with chatting(app.url, cookies=cookies, thread=thread) as again:
        texts = [step["output"] for step in again.thread["steps"] if step["type"].endswith("_message")]
        assert texts == ["One", "First", "Two, rather", "Hello there, friend."]
        await again.ask("Three")
    assert told(provider.requests[3]) == ["One", "First", "Two, rather", "Hello there, friend.", "Three"]
