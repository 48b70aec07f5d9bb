"""A key goes to the host it was set for, and nowhere else: not to other hosts, and not into words."""

import json

import pytest

from llm.client import DeepSeek
from llm.errors import KeyRefused, Unreachable
from tests.llm.asking import ASK, KEY, client, outcome
from tests.provider.replies import Reply, message, stream
from tests.provider.server import ProviderServer


@pytest.mark.parametrize("key", ["sk-ключ", "sk-line\nbreak-0123456789"])
async def test_a_key_that_can_not_be_one_is_refused_and_not_shown(key: str) -> None:
    with ProviderServer() as server:
        _, _, failure = await outcome(client(server, api_key=key))
    assert type(failure) is KeyRefused
    assert key[3:] not in f"{failure} {failure.facts}"
    assert not server.requests


async def test_a_key_does_not_follow_a_redirect_to_another_host() -> None:
    with ProviderServer(stream("Here")) as other:
        away = Reply((b"",), 307, {"location": f"{other.api_base}/chat/completions"})
        with ProviderServer(away) as server:
            assert await outcome(client(server)) == ("", "Here", None)
        assert "authorization" in server.requests[0].headers
        assert KEY not in json.dumps(other.requests[0].headers)


async def test_foreign_keys_in_the_environment_stay_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "belongs-to-another-host")
    with ProviderServer(stream("Here"), message("Here")) as server:
        llm = client(server, api_key=None)
        await outcome(llm)
        llm.chat(ASK)
        assert "belongs-to-another-host" not in json.dumps([request.headers for request in server.requests])


def test_the_key_is_not_in_what_the_client_says_about_itself() -> None:
    llm = DeepSeek(api_key=KEY)
    assert KEY not in f"{llm!r} {llm} {llm.to_dict()} {llm.to_payload()} {llm.model_dump_json()}"


async def test_what_an_address_hides_is_not_shown() -> None:
    _, _, failure = await outcome(DeepSeek(api_base="http://ann:secret@127.0.0.1:9/v1?token=hidden", max_retries=0))
    assert type(failure) is Unreachable
    assert failure.facts["address"] == "http://127.0.0.1:9/v1"
    assert "secret" not in f"{failure} {failure.facts}"
    assert "hidden" not in f"{failure} {failure.facts}"
