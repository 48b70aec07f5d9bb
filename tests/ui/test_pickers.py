"""What can be picked for which model, what that sends, and what a person's settings mean."""

import asyncio
from typing import Any

import pytest

from llm.effort import ThinkingChoice, client_fields, more_effort, thinking_choices
from llm.endpoint import Endpoint, configured_endpoint, models_to_chat_with, with_model
from llm.errors import LLMError
from llm.model_profiles import resolve_profile
from tests.provider.replies import error, json_reply
from tests.provider.server import provider
from ui.chat_settings import ChatSettings, settings_from, settings_panel
from ui.pickers import ModelChoice, Picked, other_efforts, picked_from, thinking_fields
from ui.texts import CHINESE, ENGLISH

DEEPSEEK, OLLAMA, VLLM = "https://api.deepseek.com", "http://localhost:11434/v1", "http://localhost:8000/v1"

CHOICES: list[tuple[str, str, list[str]]] = [
    (DEEPSEEK, "deepseek-flash", ["auto", "off", "low", "high", "max"]),
    (DEEPSEEK, "deepseek-v3.2", ["auto", "on"]),
    ("https://api.together.xyz/v1", "deepseek-ai/DeepSeek-R1", ["auto"]),
    ("https://api.openai.com/v1", "gpt-5", ["auto", "low", "high"]),
    ("https://api.openai.com/v1", "gpt-4.1", ["auto"]),
    ("https://api.moonshot.cn/v1", "kimi-k2.5", ["auto", "off"]),
    ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus", ["auto", "off"]),
    (OLLAMA, "qwen3:8b", ["auto", "off"]),
    (OLLAMA, "llama3.2", ["auto"]),
    (VLLM, "Qwen/Qwen3-8B", ["auto", "off"]),
    ("https://example.org/v1", "never-heard-of-it", ["auto"]),
]


@pytest.mark.parametrize(("base", "model", "choices"), CHOICES, ids=[model for _, model, _ in CHOICES])
def test_only_what_the_model_can_do_is_offered(base: str, model: str, choices: list[str]) -> None:
    profile = resolve_profile(base, model)
    assert list(thinking_choices(profile)) == choices
    for choice in choices:
        assert bool(client_fields(choice, profile)) == (choice != "auto")  # type: ignore[arg-type]


FIELDS: list[tuple[str, str, ThinkingChoice, dict[str, Any]]] = [
    (DEEPSEEK, "deepseek-flash", "off", {"thinking": False}),
    (DEEPSEEK, "deepseek-flash", "max", {"effort": "max"}),
    (DEEPSEEK, "deepseek-flash", "on", {}),
    (DEEPSEEK, "deepseek-v3.2", "on", {"thinking": True}),
    (DEEPSEEK, "deepseek-v3.2", "high", {}),
    ("https://api.openai.com/v1", "gpt-5", "off", {}),
    ("https://api.openai.com/v1", "gpt-5", "low", {"effort": "low"}),
]


@pytest.mark.parametrize(("base", "model", "choice", "fields"), FIELDS)
def test_a_choice_becomes_what_the_client_is_told(
    base: str, model: str, choice: ThinkingChoice, fields: dict[str, Any]
) -> None:
    assert client_fields(choice, resolve_profile(base, model)) == fields


@pytest.mark.parametrize(
    ("model", "picked", "others", "more"),
    [
        ("deepseek-flash", "auto", ("off", "max"), "max"),
        ("deepseek-flash", "off", ("max",), "max"),
        ("deepseek-flash", "max", ("off",), None),
        ("deepseek-v3.2", "auto", ("on",), "on"),
        ("deepseek-v3.2", "on", (), None),
        ("kimi-k2.5", "auto", ("off",), None),
        ("kimi-k2.5", "off", (), None),
    ],
)
def test_a_second_try_can_only_do_what_the_model_can(
    model: str, picked: ThinkingChoice, others: tuple[str, ...], more: str | None
) -> None:
    endpoint = configured_endpoint(DEEPSEEK, None, model)
    assert other_efforts(endpoint, picked) == others
    assert more_effort(picked, resolve_profile(DEEPSEEK, model)) == more


def test_the_built_in_model_thinks_as_it_does() -> None:
    endpoint = Endpoint("http://127.0.0.1:1/v1", "key", "deepseek-r1", source="builtin", server="built-in")
    assert thinking_fields(endpoint, "off") == {}
    assert other_efforts(endpoint, "auto") == ()


@pytest.mark.parametrize(
    ("modes", "picked"),
    [
        (None, Picked()),
        ("max", Picked()),
        ({"model": 7, "effort": ["max"]}, Picked()),
        ({"effort": "boundless"}, Picked()),
        ({"model": "m", "effort": "max", "more": 1}, Picked("m", "max")),
    ],
)
def test_what_a_message_was_sent_with_is_read_whatever_it_is(modes: object, picked: Picked) -> None:
    assert picked_from(modes) == picked
    assert picked_from(picked.as_modes()) == picked


LISTING = {
    "data": [
        {"id": "other"},
        {"id": "mine"},
        {"id": "text-embedding-3-large"},
        {"id": "paints", "type": "image"},
        {"id": "draws", "architecture": {"output_modalities": ["image"]}},
        {"id": "sees", "architecture": {"output_modalities": ["text"]}, "type": "vlm"},
        {"id": "completes", "capabilities": {"completion_chat": False}},
        {"id": "chats", "capabilities": {"completion_chat": True}},
    ]
}


async def test_the_configured_model_comes_first_and_only_chat_models_follow() -> None:
    with provider() as server:
        server.models = json_reply(LISTING)
        endpoint = configured_endpoint(server.api_base, None, "mine")
        assert await models_to_chat_with(endpoint) == ("mine", "other", "sees", "chats")


async def test_a_list_that_was_read_for_the_first_model_is_not_asked_for_again() -> None:
    with provider() as server:
        server.models = ["a", "b"]
        endpoint = await with_model(configured_endpoint(server.api_base, None, None))
        assert await models_to_chat_with(endpoint) == ("a", "b")
    assert len(server.listings) == 1


class TestModelChoice:
    def choice(self, endpoint: Endpoint | LLMError) -> ModelChoice:
        async def source() -> Endpoint:
            if isinstance(endpoint, LLMError):
                raise endpoint
            return endpoint

        return ModelChoice(source)

    async def test_the_list_is_asked_for_once_and_again_after_a_failure(self) -> None:
        with provider() as server:
            server.models = error(500, "boom")
            choice = self.choice(configured_endpoint(server.api_base, None, "mine"))
            assert await choice.models() == ("mine",)
            server.models = ["mine", "other"]
            assert [await choice.models() for _ in range(3)] == [("mine", "other")] * 3
        assert len(server.listings) == 2

    async def test_many_chats_at_once_ask_once_even_for_a_single_model(self) -> None:
        with provider() as server:
            choice = self.choice(configured_endpoint(server.api_base, None, "deepseek-flash"))
            assert await asyncio.gather(*(choice.models() for _ in range(3))) == [("deepseek-flash",)] * 3
        assert len(server.listings) == 1

    @pytest.mark.parametrize("reply", [error(404, "no"), error(401, "no"), json_reply("x"), json_reply({"data": []})])
    async def test_a_list_that_cannot_be_had_is_no_error(self, reply: Any) -> None:
        with provider() as server:
            server.models = reply
            assert await self.choice(configured_endpoint(server.api_base, None, "mine")).models() == ("mine",)
        for key in (None, "kéy"):
            endpoint = configured_endpoint("http://127.0.0.1:9/v1", key, "mine")
            assert await self.choice(endpoint).models() == ("mine",)

    @pytest.mark.parametrize(("picked", "model"), [(None, "mine"), ("other", "other"), ("made-up", "mine")])
    async def test_only_a_listed_model_is_taken(self, picked: str | None, model: str) -> None:
        with provider() as server:
            server.models = ["mine", "other"]
            choice = self.choice(configured_endpoint(server.api_base, None, "mine"))
            await choice.models()
            assert (await choice.endpoint_for(Picked(picked))).model == model

    async def test_without_a_model_the_reason_comes_through(self) -> None:
        with pytest.raises(LLMError):
            await self.choice(LLMError("none")).models()


GOOD: list[tuple[dict[str, object], ChatSettings]] = [
    ({}, ChatSettings()),
    ({"temperature": "0,7", "max_tokens": "1000", "max_rounds": "3"},
     ChatSettings(temperature=0.7, max_tokens=1000, max_rounds=3)),
    ({"temperature": None, "max_tokens": "", "consent": "all", "thinking_shown": "hide"},
     ChatSettings(consent="all", thinking_shown="hide")),
    ({"temperature": 0, "max_rounds": 50}, ChatSettings(temperature=0.0, max_rounds=50)),
    ({"consent": "whenever", "unknown": 1}, ChatSettings()),
]  # fmt: skip


@pytest.mark.parametrize(("entries", "settings"), GOOD)
def test_good_entries_are_taken(entries: dict[str, object], settings: ChatSettings) -> None:
    assert settings_from(entries, ChatSettings(), texts=ENGLISH) == (settings, [])


@pytest.mark.parametrize(
    "entries",
    [
        {"temperature": "hot"}, {"temperature": "2.1"}, {"temperature": "-1"}, {"temperature": "nan"},
        {"temperature": "1e999"}, {"max_tokens": "0"}, {"max_tokens": "1.5"}, {"max_tokens": "9" * 5000},
        {"max_rounds": ""}, {"max_rounds": None}, {"max_rounds": "51"}, {"max_rounds": ["3"]},
    ],
)  # fmt: skip
def test_an_entry_that_is_no_good_gets_a_sentence_and_changes_nothing(entries: dict[str, object]) -> None:
    before = ChatSettings(temperature=0.3, max_tokens=500, max_rounds=7)
    after, complaints = settings_from({**entries, "consent": "all"}, before, texts=CHINESE)
    name = next(iter(entries))
    assert getattr(after, name) == getattr(before, name)
    assert after.consent == "all"
    assert len(complaints) == 1
    assert CHINESE.composer.settings[name].label in complaints[0]
    assert len(complaints[0]) < 120


def test_what_the_panel_shows_is_read_back_as_it_was() -> None:
    settings = ChatSettings(thinking_shown="open", temperature=0.25, max_tokens=12345, max_rounds=9, consent="none")
    for texts in (ENGLISH, CHINESE):
        panel = settings_panel(settings, texts)
        entries = {widget.id: widget.initial for widget in panel.inputs}
        assert settings_from(entries, ChatSettings(), texts=texts) == (settings, [])
        assert all(widget.description for widget in panel.inputs)
