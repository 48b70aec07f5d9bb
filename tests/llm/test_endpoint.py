"""Which model is asked for where none is set."""

from typing import Any

import pytest

from llm.endpoint import configured_endpoint, with_model
from llm.errors import KeyMissing, KeyRefused, LLMError, ModelNotNamed, RateLimited, ServerFailed, Stalled, Unreachable
from tests.provider.replies import Hold, Reply, error, json_reply, raw
from tests.provider.server import provider

KEY = "sk-4f7a1c9d2e8b6035-fjord"


def listed(*names: str) -> list[dict[str, str]]:
    return [{"id": name} for name in names]


LISTS: list[tuple[Any, str]] = [
    ({"object": "list", "data": listed("a", "b")}, "a"),
    (listed("a", "b"), "a"),
    ({"models": [{"name": "a"}, {"name": "b"}]}, "a"),
    ({"data": listed("a"), "models": [{"name": "b"}]}, "a"),
    ({"data": [None, "x", {}, {"id": 7}, {"id": ""}, {"id": "a"}]}, "a"),
    ({"data": listed("text-embedding-3", "bge-reranker", "whisper-1", "a")}, "a"),
    ({"data": listed("nomic-embed-text")}, "nomic-embed-text"),
]


@pytest.mark.parametrize(("listing", "model"), LISTS)
async def test_the_first_model_to_chat_with_is_taken_from_any_shape_of_list(listing: Any, model: str) -> None:
    with provider() as server:
        server.models = json_reply(listing)
        endpoint = configured_endpoint(f"{server.api_base}/", f" {KEY} ", None)
        assert (await with_model(endpoint)).model == model
    assert [(r.path, r.headers["authorization"]) for r in server.listings] == [("/v1/models", f"Bearer {KEY}")]


async def test_a_model_that_is_set_needs_no_list() -> None:
    with provider() as server:
        endpoint = configured_endpoint(server.api_base, None, "mine")
        assert await with_model(endpoint) is endpoint
    assert server.listings == []


async def test_without_a_key_none_is_sent() -> None:
    with provider() as server:
        await with_model(configured_endpoint(server.api_base, None, None))
    assert "authorization" not in server.listings[0].headers


FAULTS: list[tuple[Reply, type[LLMError]]] = [
    (json_reply({"data": []}), ModelNotNamed),
    (json_reply({"data": None}), ModelNotNamed),
    (json_reply("models"), ModelNotNamed),
    (json_reply({"detail": "Not Found"}, status=404), ModelNotNamed),
    (error(404, "The model `models` does not exist"), ModelNotNamed),
    (error(405, "no"), ModelNotNamed),
    (raw(b"<html>Welcome</html>"), ModelNotNamed),
    (raw(b"\xff\xfe"), ModelNotNamed),
    (raw(b"[" * 100_000), ModelNotNamed),
    (error(401, f"bad key {KEY}"), KeyRefused),
    (error(429, "slow down"), RateLimited),
    (error(500, "boom"), ServerFailed),
    (Reply((Hold(),)), Stalled),
]


@pytest.mark.parametrize(("reply", "kind"), FAULTS)
async def test_what_goes_wrong_is_an_error_of_ours_without_the_key(reply: Reply, kind: type[LLMError]) -> None:
    with provider() as server:
        server.models = reply
        with pytest.raises(LLMError) as caught:
            await with_model(configured_endpoint(server.api_base, KEY, None), timeout_s=0.5)
    assert type(caught.value) is kind
    assert KEY not in f"{caught.value!s}{caught.value.facts}"
    assert "{" not in caught.value.user_message


async def test_a_missing_key_and_nobody_there_are_told_apart() -> None:
    with provider() as server:
        server.models = error(401, "who are you")
        with pytest.raises(KeyMissing):
            await with_model(configured_endpoint(server.api_base, None, None))
    with pytest.raises(Unreachable):
        await with_model(configured_endpoint("http://127.0.0.1:9/v1", None, None))


@pytest.mark.parametrize("key", ["sk-\nfjord", "sk-fjörd", "密钥"])
async def test_a_key_that_no_request_can_carry_is_refused_before_it_is_sent(key: str) -> None:
    with provider() as server, pytest.raises(KeyRefused):
        await with_model(configured_endpoint(server.api_base, key, None))
    assert server.listings == []


async def test_a_password_in_the_address_is_not_told() -> None:
    with pytest.raises(LLMError) as caught:
        await with_model(configured_endpoint("http://ada:lovelace@127.0.0.1:9/v1", None, None))
    assert "lovelace" not in f"{caught.value!s}{caught.value.facts}"
