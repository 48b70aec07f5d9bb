"""The client against a real llama.cpp server with the smallest real weights; a grammar decides what is said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from llama_index.core.llms import ChatMessage

from llm.client import DeepSeek, client_for
from llm.errors import ContextTooLong, KeyRefused, ThinkingOutOfTokens
from llm.local.server import Model, open_server
from llm.response import ReasoningChatResponse
from tests.llm.asking import outcome

pytestmark = pytest.mark.builtin

TEMPLATE = (Path(__file__).parents[2] / "llm" / "local" / "think.jinja").read_text("utf-8")
SAYS_SO = {"grammar": r'root ::= "I think." "\n</think>\n\n" "I say so."'}
ENDLESS = {"grammar": "root ::= [a-z ]{1900}"}
QUESTION = [ChatMessage(role="user", content="Well?")]


@pytest.fixture
async def client(tiny_model: Path, tmp_path: Path) -> AsyncIterator[DeepSeek]:
    model = Model(path=tiny_model, name="tiny", server="built-in", context_tokens=4096, chat_template=TEMPLATE)
    server = await open_server(model, tmp_path / "slots")
    yield client_for(server.endpoint, max_retries=0)
    await server.close()


def read(response: ReasoningChatResponse) -> tuple[str, str]:
    return response.reasoning_content.strip(), (response.message.content or "").strip()


async def test_thinking_text_and_usage_are_the_same_streamed_and_whole(client: DeepSeek) -> None:
    streamed = [r async for r in await client.astream_chat(QUESTION, extra_body=SAYS_SO, max_tokens=40)]
    whole = await client.achat(QUESTION, extra_body=SAYS_SO, max_tokens=40)
    assert isinstance(whole, ReasoningChatResponse)
    assert read(streamed[-1]) == read(whole) == ("I think.", "I say so.")
    assert "".join(r.thinking_delta for r in streamed).strip() == "I think."
    assert streamed[-1].finish_reason == whole.finish_reason == "stop"
    for response in (streamed[-1], whole):
        assert response.usage
        assert response.usage.prompt_tokens
        assert response.usage.completion_tokens


async def test_leaving_a_stream_frees_the_server(client: DeepSeek) -> None:
    async with aclosing(await client.astream_chat(QUESTION, extra_body=ENDLESS, max_tokens=3000)) as responses:
        await anext(response async for response in responses if response.thinking_delta)
    async with asyncio.timeout(10):  # the server has one slot, so an answer means that it is free
        assert read(await client.achat(QUESTION, extra_body=SAYS_SO, max_tokens=40)) == ("I think.", "I say so.")


async def test_a_limit_that_thinking_uses_up_is_an_error_with_what_came(client: DeepSeek) -> None:
    client.additional_kwargs["extra_body"] |= ENDLESS
    client.max_tokens = 12
    thinking, text, failure = await outcome(client)
    assert isinstance(failure, ThinkingOutOfTokens)
    assert thinking
    assert not text


async def test_a_chat_that_is_too_long_is_told_with_its_limit(client: DeepSeek) -> None:
    with pytest.raises(ContextTooLong) as caught:
        await client.achat([ChatMessage(role="user", content="word " * 6000)], max_tokens=5)
    assert "4096" in caught.value.user_message


async def test_a_wrong_key_is_told(client: DeepSeek) -> None:
    with pytest.raises(KeyRefused):
        await DeepSeek("tiny", api_base=client.api_base, api_key="wrong", max_retries=0).achat(QUESTION, max_tokens=5)
