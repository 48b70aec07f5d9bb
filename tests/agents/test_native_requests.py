"""What goes back to the model after native calls, and endpoints that have none."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from agents.assistant import Assistant
from agents.events import TurnEnded
from agents.native import NoNativeTools
from llm.errors import LLMError, RequestRefused
from llm.model_profiles import resolve_profile
from tests.agents.native_turns import SYSTEM, Places, agent_on, calling
from tests.agents.test_assistant import told
from tests.provider.replies import error, stream
from tests.provider.server import ProviderServer

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Look a city up.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"description": "A city.", "title": "City", "type": "string"},
                    "days": {"default": 1, "description": "How many.", "title": "Days", "type": "integer"},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def places() -> Places:
    return Places()


def conversation(first: str, **thinking: Any) -> list[dict[str, Any]]:
    """The messages of the second request: `thinking` is what the assistant's message holds beside its calls."""
    calls = [
        {"id": f"call_0{i}", "type": "function", "function": {"name": "look_up", "arguments": f'{{"city": "{city}"}}'}}
        for i, city in enumerate(["Oslo", "Bergen"])
    ]
    results = [
        {
            "role": "tool",
            "tool_call_id": f"call_0{i}",
            "content": f'<tool_result source="look_up">\n{text}\n</tool_result>',
        }
        for i, text in enumerate(["Oslo: 12 °C", "Bergen: 12 °C"])
    ]
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": first},
        {"role": "assistant", **thinking, "tool_calls": calls},
        *results,
    ]


@pytest.mark.parametrize(
    ("base", "model", "field", "assistant", "more"),
    [
        ("https://api.deepseek.com", "deepseek-flash", "reasoning_content",
         {"content": "", "reasoning_content": "Hm."}, {"thinking": {"type": "enabled"}}),
        ("https://api.moonshot.cn/v1", "kimi-k2.5", "reasoning_content",
         {"reasoning_content": "Hm."}, {"thinking": {"type": "enabled"}}),
        ("http://localhost:8000/v1", "deepseek-v4-flash", "reasoning",
         {"content": "", "reasoning": "Hm."},
         {"parallel_tool_calls": True, "chat_template_kwargs": {"thinking": True, "enable_thinking": True}}),
        ("http://localhost:11434/v1", "qwen3:8b", "reasoning", {"content": "", "reasoning": "Hm."}, {}),
    ],
    ids=["DeepSeek", "Kimi", "vLLM", "Ollama"],
)  # fmt: skip
async def test_thinking_goes_back_with_the_calls_as_the_model_demands(
    provider: ProviderServer, places: Places, base: str, model: str, field: str, assistant: Any, more: Any
) -> None:
    facts = asdict(resolve_profile(base, model))
    provider.add(calling("Oslo", "Bergen", field_name=field), stream("Both 12 °C.", field_name=field))
    await told(Assistant(), agent_on(provider, places, model=model, profile_overrides=facts, thinking=True))
    assert provider.requests[1].body == {
        "model": model,
        "messages": conversation("Hi", **assistant),
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": TOOLS,
        "tool_choice": "auto",
        **more,
    }


async def test_a_model_that_reads_no_thinking_gets_none_back(provider: ProviderServer, places: Places) -> None:
    provider.add(stream("Hello.", thinking="Hm."), stream("Yes."))
    assistant, agent = Assistant(), agent_on(provider, places, model="deepseek-r1")
    agent.tools = []
    for question in ("Hi", "Well?"):
        await told(assistant, agent, question)
    system = "You are kind.\n\nToday is Monday, 30 November 2026.\n\n" + SYSTEM.rpartition("\n\n")[2]
    assert provider.requests[1].body == {
        "model": "deepseek-r1",
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Well?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_a_model_without_tool_calling_is_not_asked(provider: ProviderServer, places: Places) -> None:
    agent = agent_on(provider, places, model="deepseek-r1")
    ended = (await told(Assistant(), agent))[-1]
    assert isinstance(ended, TurnEnded)
    assert isinstance(ended.error, NoNativeTools)
    assert ended.error.user_message == (
        "deepseek-r1 can't call tools by itself here. Choose the ReAct profile: it works everywhere."
    )
    assert provider.requests == []


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (400, "registry.example/library/gemma:2b does not support tools", NoNativeTools),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', NoNativeTools),
        (500, "tools param requires --jinja flag", NoNativeTools),
        (404, "No endpoints found that support tool use.", NoNativeTools),
        (400, "Function calling is not enabled for this model", NoNativeTools),
        (422, "`tools` is not supported in this model", NoNativeTools),
        (400, "This model does not support function calling", NoNativeTools),
        (400, "tool_calls[0].function.arguments is not valid JSON", RequestRefused),
        (400, "messages with role 'tool' must be a response to a preceding message with 'tool_calls'", RequestRefused),
        (400, "temperature is not supported", RequestRefused),
    ],
)
async def test_an_endpoint_that_refuses_tools_is_told_apart(
    provider: ProviderServer, places: Places, status: int, words: str, kind: type[LLMError]
) -> None:
    provider.add(error(status, words))
    ended = (await told(Assistant(), agent_on(provider, places)))[-1]
    assert isinstance(ended, TurnEnded)
    assert type(ended.error) is kind
