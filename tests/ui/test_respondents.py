"""Who answers a turn, and whether it may be asked to name the chat."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from llama_index.core.tools import BaseTool

from agents.chat_profiles import load_profiles
from agents.react.small_model import SmallModelGuide
from llm.endpoint import Endpoint, configured_endpoint
from tests.provider.replies import message
from tests.provider.server import provider
from tools import TOOL_NAMES
from ui.chat_settings import ChatSettings, Consent
from ui.pickers import ModelChoice, Picked
from ui.respondents import Respondents
from ui.session import Respondent

PROFILE = load_profiles(tool_names=TOOL_NAMES)[0]
HERE = "http://127.0.0.1:9/v1"


class NoTools:
    async def for_turn(self, *, consent: Consent) -> Sequence[BaseTool]:
        return ()


async def respondent_at(
    endpoint: Endpoint, title: Literal["model", "words"] = "model", picked: Picked | None = None
) -> Respondent:
    async def source() -> Endpoint:
        return endpoint

    makers = Respondents(ModelChoice(source), guide=SmallModelGuide(), client={}, prices=None, title=title)
    return await makers.respondent(PROFILE, NoTools(), picked or Picked(), ChatSettings())


@pytest.mark.parametrize(
    ("base", "model", "may"),
    [
        ("https://api.deepseek.com", "deepseek-flash", True),
        ("https://api.deepseek.com", "deepseek-v3.2", True),
        ("https://api.together.xyz/v1", "deepseek-ai/DeepSeek-R1", False),
        ("https://api.openai.com/v1", "gpt-5", False),
        ("https://api.openai.com/v1", "gpt-4.1", True),
        ("https://api.moonshot.cn/v1", "kimi-k2.5", True),
        ("https://api.moonshot.cn/v1", "kimi-k3", False),
        ("http://localhost:11434/v1", "qwq:32b", False),
        ("http://localhost:11434/v1", "qwen3:8b", True),
        ("http://localhost:11434/v1", "gpt-oss:20b", False),
        ("http://localhost:11434/v1", "llama3.2", True),
    ],
)
async def test_only_a_model_that_need_not_think_names_chats(base: str, model: str, *, may: bool) -> None:
    endpoint = configured_endpoint(base, None, model)
    assert bool((await respondent_at(endpoint)).title) is may
    assert bool((await respondent_at(endpoint, picked=Picked(effort="max"))).title) is may
    assert (await respondent_at(endpoint, title="words")).title is None


async def test_the_built_in_model_names_no_chat() -> None:
    found = configured_endpoint(HERE, None, "qwen2.5-coder-1.5b")
    assert (await respondent_at(found)).title
    assert (await respondent_at(replace(found, source="builtin", needs_guide=True))).title is None
    assert (await respondent_at(replace(found, source="builtin"))).title is None


async def test_a_title_is_asked_for_once_and_without_thinking() -> None:
    with provider(message("**Trams**")) as server:
        endpoint = configured_endpoint(server.api_base, "k", "deepseek-flash")
        respondent = await respondent_at(endpoint, picked=Picked(effort="max"))
        assert respondent.title
        assert await respondent.title("Trams?", "Yes.") == "Trams"
        (asked,) = server.requests
    assert asked.body["thinking"] == {"type": "disabled"}
    assert asked.body["max_tokens"] == 30
    assert "reasoning_effort" not in asked.body
