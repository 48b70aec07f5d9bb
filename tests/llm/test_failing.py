"""Every abnormal end is an error of our own, with a remedy, the facts, what had arrived, and no key."""

from typing import Any

import pytest

from llm.client import DeepSeek, ReasoningChatResponse
from llm.errors import (
    ContextTooLong,
    Filtered,
    KeyMissing,
    KeyRefused,
    LLMError,
    ModelRetired,
    ModelUnknown,
    NoBalance,
    RateLimited,
    RequestRefused,
    RequestTooLarge,
    ServerBusy,
    ServerFailed,
    StreamCut,
    Unreachable,
    UnreadableReply,
    WrongAddress,
)
from tests.llm.asking import ASK, KEY, client, outcome
from tests.provider.replies import DONE, Drop, Reply, chunk, error, json_reply, message, stream
from tests.provider.server import ProviderServer


def bare(status: int, body: Any, **headers: str) -> Reply:
    return json_reply(body, status=status, headers=headers)


TOO_LONG = (
    "This model's maximum context length is 65536 tokens. However, you requested 70210 tokens "
    "(62210 in the messages, 8000 in the completion)."
)
TOO_LONG_HERE = "request (9001 tokens) exceeds the available context size (8192 tokens)"
WRONG_VALUE = {"detail": [{"loc": ["body", "top_p"], "msg": "not a number"}]}
WRONG_HERE = {"code": 20015, "message": "The parameter is invalid.", "data": None}
REFUSALS: list[tuple[Reply, type[LLMError], dict[str, object]]] = [
    (error(400, TOO_LONG), ContextTooLong, {"limit": 65_536, "tokens": 70_210}),
    (bare(400, {"error": {"code": 400, "message": TOO_LONG_HERE}}), ContextTooLong, {"limit": 8192, "tokens": 9001}),
    (error(400, "Please reduce the length of the messages or completion."), ContextTooLong, {"limit": 1_000_000}),
    (error(400, "prompt is too long: 21000 tokens > 20000 maximum"), ContextTooLong, {"limit": 20_000}),
    (error(400, "Your request exceeded model token limit: 8192"), ContextTooLong, {"limit": 8192}),
    (error(400, "The prompt is longer than the maximum model length of 4096."), ContextTooLong, {"limit": 4096}),
    (error(400, "输入长度超过模型最大上下文长度"), ContextTooLong, {}),
    (error(404, "No endpoints found for x."), ModelUnknown, {}),
    (error(404, "Not found the model x or Permission denied"), ModelUnknown, {}),
    (error(400, "No models loaded"), ModelUnknown, {}),
    (error(404, "No endpoints found that support image input"), RequestRefused, {}),
    (error(400, "The model does not support image input"), RequestRefused, {}),
    (error(400, "API key not valid. Please pass a valid API key."), KeyRefused, {}),
    (bare(403, {"code": 30001, "message": "Sorry, your account balance is insufficient"}), NoBalance, {}),
    (error(400, "Please make sure your account is in good standing."), NoBalance, {}),
    (error(400, "系统检测到可能包含不安全或敏感内容"), Filtered, {}),
    (error(403, "Rate limit exceeded"), RateLimited, {}),
    (error(400, "Invalid temperature value"), RequestRefused, {"reason": "Invalid temperature value"}),
    (error(400, "Model Not Exist"), ModelUnknown, {"model": "deepseek-flash"}),
    (error(401, f"Authentication Fails, Your api key: {KEY} is invalid"), KeyRefused, {}),
    (error(401, "Authentication Fails, Your api key: ****jord is invalid"), KeyRefused, {}),
    (error(403, "Forbidden"), KeyRefused, {}),
    (error(402, "Insufficient Balance"), NoBalance, {}),
    (error(400, "Content Exists Risk"), Filtered, {}),
    (bare(403, {"error": {"message": "Your input was flagged", "code": 403}}), Filtered, {}),
    (bare(400, {"error": {"code": "data_inspection_failed", "message": "Input may be unfit"}}), Filtered, {}),
    (error(429, "You exceeded your current quota", headers={"retry-after": "0"}), NoBalance, {}),
    (error(404, "The model `x` does not exist"), ModelUnknown, {}),
    (bare(404, {"detail": "Not Found"}), WrongAddress, {}),
    (Reply((b"<html>nginx</html>",), 404, {"content-type": "text/html"}), WrongAddress, {}),
    (Reply((b"",), 405), WrongAddress, {}),
    (error(413, "Request Entity Too Large"), RequestTooLarge, {}),
    (bare(422, WRONG_VALUE), RequestRefused, {"reason": "top_p: not a number"}),
    (bare(400, WRONG_HERE), RequestRefused, {"reason": "The parameter is invalid"}),
    (error(429, "slow down", headers={"retry-after": "7"}), RateLimited, {"seconds": 7}),
    (error(429, "slow down"), RateLimited, {"seconds": 30}),
    (error(500, "Internal Server Error"), ServerFailed, {}),
    (bare(500, [{"error": {"message": "boom"}}]), ServerFailed, {}),
    (Reply((b"upstream gone",), 502, {"content-type": "text/plain"}), ServerBusy, {}),
    (bare(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}), ServerBusy, {}),
    (error(529, "overloaded"), ServerBusy, {}),
    (bare(200, {"error": {"message": "Insufficient credits", "code": 402}}), NoBalance, {}),
    (bare(200, {"error": "model is overloaded"}), ServerBusy, {}),
    (bare(200, {"id": "c", "choices": None}), UnreadableReply, {}),
    (bare(200, {"id": "c", "choices": []}), UnreadableReply, {}),
    (Reply((b"not json",), 200), UnreadableReply, {}),
    (Reply((b"<!doctype html><p>Hello",), 200), WrongAddress, {}),
    (Reply((), 200), StreamCut, {}),
    (Reply((Drop(),), 200), StreamCut, {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "kind", "facts"), REFUSALS, ids=[f"{r[1].__name__}-{i}" for i, r in enumerate(REFUSALS)]
)
@pytest.mark.parametrize("streams", [True, False])
async def test_a_refusal_is_a_typed_error_without_the_key(
    reply: Reply, kind: type[LLMError], facts: dict[str, object], streams: bool
) -> None:
    with ProviderServer(reply) as server:
        llm = client(server)
        with pytest.raises(LLMError) as caught:
            _ = [r async for r in await llm.astream_chat(ASK)] if streams else await llm.achat(ASK)
    failure = caught.value
    assert type(failure) is kind
    assert failure.facts.items() >= facts.items()
    assert "{" not in failure.user_message
    assert failure.user_message.endswith(".")
    shown = f"{failure} {failure.facts} {failure.detail} {failure!r} {failure.__cause__!r}"
    assert KEY not in shown
    assert "jord" not in shown
    assert len(server.requests) == 1


async def test_a_retired_model_is_named_with_its_successor() -> None:
    for model in ("deepseek-chat", "deepseek-reasoner"):
        with ProviderServer(error(404, "Not Found"), error(400, "Model Not Exist")) as server:
            for _ in range(2):
                _, _, failure = await outcome(client(server, model=model))
                assert isinstance(failure, ModelRetired)
                assert failure.user_message == f"{model} has been retired. Use deepseek-flash instead."


async def test_a_missing_key_is_told_from_a_wrong_one() -> None:
    with ProviderServer(error(401, "no key")) as server:
        _, _, failure = await outcome(client(server, api_key=None))
    assert type(failure) is KeyMissing
    assert "authorization" not in server.requests[0].headers


CUTS: list[tuple[tuple[Any, ...], type[LLMError]]] = [
    ((Drop(),), StreamCut),
    ((), StreamCut),
    ((DONE[:7],), StreamCut),
    ((b'data: {"id": "c1", "choi',), StreamCut),
    ((chunk(finish="insufficient_system_resource"), DONE), ServerBusy),
    ((chunk(finish="content_filter"), DONE), Filtered),
    ((chunk(finish="PROHIBITED_CONTENT"), DONE), Filtered),
    ((chunk(finish="malformed_function_call"), DONE), ServerFailed),
    ((b'data: {"error": {"message": "out of memory"}}\n\n', DONE), ServerFailed),
    ((b'data: {"object": "error", "message": "boom", "code": 500}\n\n',), ServerFailed),
    ((b"data: {oops}\n\n", DONE), UnreadableReply),
]


@pytest.mark.parametrize(("tail", "kind"), CUTS)
async def test_what_had_arrived_is_given_out_and_kept_before_the_error(
    tail: tuple[Any, ...], kind: type[LLMError]
) -> None:
    with ProviderServer(stream("About 463 km", thinking="By train", tail=tail)) as server:
        thinking, text, failure = await outcome(client(server, max_retries=3))
    assert (thinking, text, type(failure)) == ("By train", "About 463 km", kind)
    assert failure
    assert isinstance(failure.partial, ReasoningChatResponse)
    assert failure.partial.message.content == "About 463 km"
    assert failure.partial.reasoning_content == "By train"
    assert len(server.requests) == 1  # nothing is asked again once a person has seen a part


async def test_a_finish_without_the_rest_is_not_a_cut() -> None:
    with ProviderServer(stream("About 463 km", tail=(chunk(finish="stop"), Drop()))) as server:
        assert await outcome(client(server)) == ("", "About 463 km", None)


async def test_an_answer_cut_by_the_limit_is_kept_and_says_so() -> None:
    with ProviderServer(stream("About", finish="length"), message("About", finish="length")) as server:
        streamed = [r async for r in await client(server).astream_chat(ASK)][-1]
        whole = client(server).chat(ASK)
    for response in (streamed, whole):
        assert response.message.content == "About"
        assert response.finish_reason == "length"
        assert "limit of tokens" in response.shortfall.user_message


async def test_an_unreachable_address_is_named() -> None:
    with ProviderServer() as server:
        base = server.api_base
    _, _, failure = await outcome(DeepSeek(api_base=base, max_retries=0))
    assert type(failure) is Unreachable
    assert failure.user_message.startswith(f"{base} can't be reached")
