"""Turns over the real socket: the real app, the real client and agent, and a provider that replays a script."""

import asyncio
import json
import time

import pytest

from tests.e2e.chat_client import ChatClient, Page, chatting
from tests.e2e.running_app import RunningApp
from tests.provider.replies import Drop, Hold, Pause, Reply, error, json_reply, stream
from tests.provider.server import ProviderServer, Request

pytestmark = pytest.mark.e2e

ANSWER = stream("Thought: Easy.\nAnswer: Hello there, friend.", thinking="They greet me. I greet back.")


def call(tool: str, arguments: dict[str, object]) -> Reply:
    text = f"Thought: I need {tool}.\nAction: {tool}\nAction Input: {json.dumps(arguments)}"
    return stream(text, thinking=f"Let me use {tool}.")


def said(request: Request) -> str:
    """All that the model was told."""
    return "\n".join(message["content"] for message in request.body["messages"])


def kinds(page: Page) -> list[str]:
    """What stands on the page between the line about the model and the one that sums up the turn, by type."""
    return [kind for kind, _ in page.story[1:-1]]


async def test_hello_shows_thinking_thought_and_answer_in_order(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER)
    async with chatting(app.url) as chat:
        assert await chat.ask("Hello") == "Hello there, friend."
        assert kinds(chat.page) == ["llm", "undefined", "assistant_message"]
        thinking = chat.page.of_type("llm")[0]
    assert thinking["output"] == "They greet me. I greet back."
    assert thinking["name"] == "Thought for a moment"
    assert thinking["end"]


async def test_a_tool_round_shows_its_steps_in_time_order(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(call("calculate", {"expression": "23*19"}), stream("Thought: I have it.\nAnswer: It is 437."))
    async with chatting(app.url) as chat:
        assert await chat.ask("What is 23*19?") == "It is 437."
        assert kinds(chat.page) == ["llm", "undefined", "tool", "undefined", "assistant_message"]
        tool = chat.page.of_type("tool")[0]
    assert tool["name"] == "Calculated 23*19"
    assert json.loads(tool["input"]) == {"expression": "23*19"}
    assert "437" in tool["output"]
    assert "437" in provider.requests[1].last_text


async def test_a_tool_that_fails_is_shown_as_failed_and_told_to_the_model(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(call("get_weather", {"city": "Oslo"}), stream("Thought: No luck.\nAnswer: I could not look it up."))
    async with chatting(app.url) as chat:
        await chat.ask("Weather in Oslo?")
        tool = chat.page.of_type("tool")[0]
    assert tool["isError"]
    assert tool["name"] == "Weather: Oslo · did not work"
    assert "did not work" not in provider.requests[1].last_text
    assert "weather" in provider.requests[1].last_text.lower()


async def test_a_model_that_goes_on_after_its_tool_call_is_not_listened_to(
    app: RunningApp, provider: ProviderServer
) -> None:
    invented = 'Action: calculate\nAction Input: {"expression": "6*7"}\nObservation: 43\nAnswer: 43'
    provider.add(stream(invented, tail=[Hold()]), stream("Answer: It is 42."))
    async with chatting(app.url) as chat:
        assert await chat.ask("What is 6*7?") == "It is 42."
    assert provider.requests[0].over.wait(1)
    assert provider.requests[0].client_left
    assert "43" not in said(provider.requests[1])


async def test_the_second_turn_knows_the_first(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, ANSWER)
    async with chatting(app.url) as chat:
        await chat.ask("My name is Ada")
        await chat.ask("What is my name?")
    texts = [(m["role"], m["content"]) for m in provider.requests[1].body["messages"][1:]]
    assert texts == [
        ("user", "My name is Ada"),
        ("assistant", "Hello there, friend."),
        ("user", "What is my name?"),
    ]


async def test_many_people_at_once_get_their_own_answers(app: RunningApp, provider: ProviderServer) -> None:
    def answer(request: Request) -> Reply:
        return stream(f"Answer: for {request.question}", thinking=f"about {request.question}", pause=0.005)

    provider.reset(answer)

    async def person(number: int) -> list[str]:
        async with chatting(app.url) as chat:
            await chat.ask(f"person {number}")
            await chat.ask(f"person {number} again")
            return chat.page.answers + [step["output"] for step in chat.page.of_type("llm")]

    everything = await asyncio.gather(*(person(number) for number in range(8)))
    for number, texts in enumerate(everything):
        first, second = f"person {number}", f"person {number} again"
        assert texts == [f"for {first}", f"for {second}", f"about {first}", f"about {second}"]


async def test_thousands_of_tokens_at_full_speed_reach_the_page_whole_in_few_emits(
    app: RunningApp, provider: ProviderServer
) -> None:
    thinking = "".join(f"{number} is a number; " for number in range(2000))
    provider.add(stream("Answer: Done.", thinking=thinking, size=20))
    async with chatting(app.url) as chat:
        await chat.ask("Count")
        assert chat.page.of_type("llm")[0]["output"] == thinking
        assert chat.page.emits < 60


async def test_tokens_of_one_second_reach_the_page_while_they_come(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: " + "word " * 40, size=5, pause=0.02))
    async with chatting(app.url) as chat:
        await chat.send("Slowly")
        await chat.until(lambda page: "word" in "".join(page.answers))
        assert not chat.idle.is_set()
        assert len(chat.page.answers[-1]) < 100
        await asyncio.wait_for(chat.idle.wait(), 10)
        assert chat.page.answers[-1] == ("word " * 40).strip()


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (error(401, "Authentication Fails (governor)"), "does not accept the key"),
        (error(402, "Insufficient Balance"), "no balance left"),
        (error(429, "slow down", headers={"retry-after": "7"}), "Wait 7 seconds"),
        (error(500, "boom"), "problem of its own"),
        (error(503, "busy"), "overloaded"),
        (error(404, "Model Not Exist"), "no model named deepseek-flash"),
        (json_reply({"error": {"message": "no", "code": 500}}), "problem of its own"),
        (stream("", tail=[]), "broke off"),
    ],
)
async def test_an_error_is_a_sentence_with_a_remedy(
    app: RunningApp, provider: ProviderServer, reply: Reply, says: str
) -> None:
    provider.add(reply, ANSWER)
    async with chatting(app.url) as chat:
        shown = await chat.ask("Hello")
        assert says in shown
        assert "sk-test" not in shown
        assert "Traceback" not in shown
        assert await chat.ask("Once more") == "Hello there, friend."


async def test_errors_are_told_in_the_persons_language(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(ANSWER, error(402, "Insufficient Balance"))
    async with chatting(app.url, language="zh-HK,zh;q=0.9") as chat:
        await chat.ask("你好")
        assert chat.page.of_type("llm")[0]["name"] == "思考了片刻"
        assert "余额不足" in await chat.ask("再来")


@pytest.mark.parametrize("tail", [[Drop()], []], ids=["dropped", "ended early"])
async def test_what_had_arrived_of_a_broken_stream_is_kept(
    app: RunningApp, provider: ProviderServer, tail: list[Drop]
) -> None:
    provider.add(stream("Answer: The first half", thinking="Hm.", tail=[Pause(0.3), *tail]), ANSWER)
    async with chatting(app.url) as chat:
        await chat.ask("Hello")
        assert chat.page.answers[0] == "The first half"
        assert "broke off" in chat.page.answers[1]
        await chat.ask("Go on")
    assert "The first half\n\n[The answer broke off here" in said(provider.requests[1])


@pytest.mark.alone
class TestStop:
    """Stop ends model, agent and tool within one second, keeps what was seen, and the next turn works."""

    async def stopped(self, chat: ChatClient) -> float:
        began = time.monotonic()
        await chat.stop()
        await asyncio.wait_for(chat.idle.wait(), 5)
        return time.monotonic() - began

    async def test_while_thinking(self, app: RunningApp, provider: ProviderServer) -> None:
        provider.add(stream(thinking="I am thinking about it", tail=[Hold()]), ANSWER)
        async with chatting(app.url) as chat:
            await chat.send("Why?")
            await chat.until(lambda page: any("about it" in step["output"] for step in page.of_type("llm")))
            assert await self.stopped(chat) < 1
            assert provider.requests[0].over.wait(1)
            assert provider.requests[0].client_left
            thinking = chat.page.of_type("llm")[0]
            assert thinking["output"] == "I am thinking about it"
            assert thinking["name"] == "Thought for a moment"
            assert chat.page.story[-1] == ("undefined", "Stopped after 1 s")
            assert "manually" not in str(chat.page.story)
            assert await chat.ask("Again") == "Hello there, friend."
        assert "The user stopped the answer here" in said(provider.requests[1])

    async def test_while_answering(self, app: RunningApp, provider: ProviderServer) -> None:
        provider.add(stream("Answer: As far as I know", tail=[Hold()]), ANSWER)
        async with chatting(app.url) as chat:
            await chat.send("Why?")
            await chat.until(lambda page: "".join(page.answers).endswith("know"))
            assert await self.stopped(chat) < 1
            assert provider.requests[0].over.wait(1)
            assert chat.page.answers == ["As far as I know"]
            await chat.ask("Again")
        assert "As far as I know\n\n[The user stopped" in said(provider.requests[1])

    async def test_an_edited_message(self, app: RunningApp, provider: ProviderServer) -> None:
        provider.add(ANSWER, stream(thinking="Second thoughts", tail=[Hold()]))
        async with chatting(app.url) as chat:
            question = await chat.send("Hello")
            await asyncio.wait_for(chat.idle.wait(), 10)
            await chat.edit(question, "Hello, edited")
            await chat.until(lambda page: any("Second" in step["output"] for step in page.of_type("llm")))
            assert await self.stopped(chat) < 1
            assert provider.requests[1].over.wait(1)
        assert [m["content"] for m in provider.requests[1].body["messages"][1:]] == ["Hello, edited"]

    async def test_twice_and_with_nothing_to_stop(self, app: RunningApp, provider: ProviderServer) -> None:
        provider.add(stream("Answer: Hm", tail=[Hold()]), ANSWER)
        async with chatting(app.url) as chat:
            await chat.stop()
            await chat.send("Why?")
            await chat.until(lambda page: bool(page.answers))
            await chat.stop()
            await chat.stop()
            await asyncio.wait_for(chat.idle.wait(), 5)
            assert await chat.ask("Again") == "Hello there, friend."


async def test_an_edited_question_takes_the_place_of_the_old_one(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(*[ANSWER] * 3)
    async with chatting(app.url) as chat:
        await chat.ask("First")
        second = await chat.send("Second")
        await asyncio.wait_for(chat.idle.wait(), 10)
        await chat.edit(second, "Second, better")
        await chat.until(lambda page: len(provider.requests) == 3)
        await asyncio.wait_for(chat.idle.wait(), 10)
    questions = [m["content"] for m in provider.requests[2].body["messages"] if m["role"] == "user"]
    assert questions == ["First", "Second, better"]


async def test_two_quick_messages_are_answered_one_after_the_other(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: one", thinking="x" * 40, pause=0.02), stream("Answer: two"))
    async with chatting(app.url) as chat:
        await chat.send("First")
        await chat.send("Second")
        await chat.until(lambda page: page.answers == ["one", "two"])
    assert [r.question for r in provider.requests] == ["First", "Second"]


async def test_a_reply_with_nothing_in_it_is_asked_for_again(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream(""), ANSWER)
    async with chatting(app.url) as chat:
        assert await chat.ask("Hello") == "Hello there, friend."
        assert ("undefined", "The reply was empty; asking again") in chat.page.story


async def test_a_text_of_any_shape_stands_as_written(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Answer: key:value at localhost:port `a:b`", size=1))
    async with chatting(app.url) as chat:
        assert await chat.ask("Hello") == "key\\:value at localhost\\:port `a:b`"


async def test_a_message_that_is_far_too_long_is_refused_with_a_sentence(
    app: RunningApp, provider: ProviderServer
) -> None:
    provider.add(ANSWER)
    async with chatting(app.url) as chat:
        assert "too long" in await chat.ask("x" * 300_000)
        assert await chat.ask("Hello") == "Hello there, friend."


async def test_native_tools_look_the_same_and_run_side_by_side(app: RunningApp, provider: ProviderServer) -> None:
    calls = [("calculate", {"expression": "6*7"}), ("calculate", {"expression": "7*8"})]
    provider.add(stream(thinking="Two sums.", tool_calls=calls, finish="tool_calls"), stream("They are 42 and 56."))
    async with chatting(app.url, profile="native") as chat:
        assert await chat.ask("6*7 and 7*8?") == "They are 42 and 56."
        assert kinds(chat.page) == ["llm", "tool", "tool", "assistant_message"]
        assert {step["name"] for step in chat.page.of_type("tool")} == {"Calculated 6*7", "Calculated 7*8"}
    assert [m["role"] for m in provider.requests[1].body["messages"]] == ["system", "user", "assistant", "tool", "tool"]


async def test_a_plain_chat_offers_no_tools_and_no_format(app: RunningApp, provider: ProviderServer) -> None:
    provider.add(stream("Action: speaks louder than words.", thinking="A saying."))
    async with chatting(app.url, profile="plain") as chat:
        assert await chat.ask("A saying, please") == "Action: speaks louder than words."
    assert "tools" not in provider.requests[0].body
    assert "Thought:" not in said(provider.requests[0])
