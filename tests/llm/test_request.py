"""Whole request bodies, per family and host: what goes back of earlier turns, and what becomes of each wish."""

import json
from typing import Any

import pytest
from llama_index.core.base.llms.types import (
    ChatMessage,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from llm.learned import Lessons
from llm.model_profiles import resolve_profile
from llm.request import Wishes, request_body

DEEPSEEK = "https://api.deepseek.com"
UNKNOWN = "https://llm.example.org/v1"
GROQ = "https://api.groq.com/openai/v1"
DASHSCOPE = "https://dashscope.aliyuncs.com/compatible-mode/v1"
OPENROUTER = "https://openrouter.ai/api/v1"
NVIDIA = "https://integrate.api.nvidia.com/v1"
OLLAMA = "http://localhost:11434/v1"
VLLM = "http://localhost:8000/v1"
MINIMAX = "https://api.minimax.io/v1"
OPENAI = "https://api.openai.com/v1"
MOONSHOT = "https://api.moonshot.ai/v1"
ZAI = "https://api.z.ai/api/paas/v4"
FUNCTION = {"name": "distance", "description": "Kilometres", "parameters": {"type": "object"}}
TOOL = {"type": "function", "function": {**FUNCTION, "strict": False}}
SENT_TOOL = {"type": "function", "function": FUNCTION}
OTHER_TOOL = {"type": "function", "function": {"name": "weather"}}
CALL = ToolCallBlock(tool_call_id="c1", tool_name="distance", tool_kwargs='{"to": "Bergen"}')
SENT_CALL = {"id": "c1", "type": "function", "function": {"name": "distance", "arguments": '{"to": "Bergen"}'}}
RESULT = {"role": "tool", "content": "463 km", "tool_call_id": "c1"}


def thought(family: str, field: str = "reasoning_content", **more: Any) -> ThinkingBlock:
    return ThinkingBlock(content="Hm.", additional_information={"family": family, "field": field, **more})


def assistant(*blocks: Any, **more: Any) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=list(blocks), additional_kwargs=more)


def history(thinking: ThinkingBlock | None) -> list[ChatMessage]:
    """A question, a tool turn, its result, an answer, another question."""
    before = [thinking] if thinking else []
    return [
        ChatMessage("How far?"),
        assistant(*before, TextBlock(text=""), CALL),
        ChatMessage(role=MessageRole.TOOL, content="463 km", additional_kwargs={"tool_call_id": "c1"}),
        assistant(*before, TextBlock(text="463 km.")),
        ChatMessage("And by rail?"),
    ]


def body(
    base: str, model: str, messages: list[ChatMessage], lessons: Lessons | None = None, **wishes: Any
) -> dict[str, Any]:
    profile = resolve_profile(base, model)
    return request_body(Wishes(model, messages, **wishes), profile, lessons or Lessons())


def sent(tool_turn: dict[str, Any], answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "How far?"},
        {"role": "assistant", **tool_turn, "tool_calls": [SENT_CALL]},
        RESULT,
        {"role": "assistant", **answer},
        {"role": "user", "content": "And by rail?"},
    ]


BOTH = ({"content": "", "reasoning_content": "Hm."}, {"content": "463 km.", "reasoning_content": "Hm."})
NONE: tuple[dict[str, Any], dict[str, Any]] = ({"content": ""}, {"content": "463 km."})
AS_REASONING = ({"content": "", "reasoning": "Hm."}, {"content": "463 km.", "reasoning": "Hm."})
PLACEHOLDER = ({"content": "", "reasoning_content": " "}, {"content": "463 km."})
TAGS = ({"content": "<think>\nHm.\n</think>\n\n"}, {"content": "<think>\nHm.\n</think>\n\n463 km."})
DETAILS = [{"type": "reasoning.text", "text": "Hm.", "signature": "s"}]
AS_DETAILS = ({"content": "", "reasoning_details": DETAILS}, {"content": "463 km.", "reasoning_details": DETAILS})
THOUGHT_PART = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
LIST = ({"content": [THOUGHT_PART]}, {"content": [THOUGHT_PART, {"type": "text", "text": "463 km."}]})

REPLAYS = [
    # host, model, the thinking that is stored, what goes back with the tool turn and with the answer
    (DEEPSEEK, "deepseek-flash", thought("deepseek-v4"), BOTH),
    (DEEPSEEK, "deepseek-flash", None, PLACEHOLDER),
    (DEEPSEEK, "deepseek-flash", thought("kimi"), PLACEHOLDER),
    (DEEPSEEK, "deepseek-flash", ThinkingBlock(content="Hm."), PLACEHOLDER),
    (UNKNOWN, "deepseek-ai/DeepSeek-V4-Pro", thought("deepseek-v4", "reasoning"), AS_REASONING),
    (UNKNOWN, "deepseek-v3.2", thought("deepseek-v3.2"), BOTH),
    (UNKNOWN, "deepseek-v3.1", thought("deepseek-v3.1"), NONE),
    (UNKNOWN, "deepseek-r1-0528", thought("deepseek-r1"), NONE),
    (UNKNOWN, "DeepSeek-R1-Distill-Qwen-7B", thought("deepseek-r1", "tags"), NONE),
    (MOONSHOT, "kimi-k2.5", thought("kimi"), ({"reasoning_content": "Hm."}, BOTH[1])),
    (MOONSHOT, "kimi-k2.5", None, ({"reasoning_content": " "}, NONE[1])),
    (ZAI, "glm-4.7", thought("glm"), BOTH),
    (ZAI, "glm-4.7", None, PLACEHOLDER),
    (MINIMAX, "MiniMax-M2", thought("minimax", "tags"), TAGS),
    (MINIMAX, "MiniMax-M2", thought("minimax", "reasoning_details", details=DETAILS), AS_DETAILS),
    ("https://api.cerebras.ai/v1", "zai-glm-4.7", thought("glm", "reasoning"), TAGS),
    ("https://api.mistral.ai/v1", "magistral-medium-latest", thought("mistral", "list"), LIST),
    (OPENROUTER, "z-ai/glm-4.7", thought("glm", "reasoning", details=DETAILS), AS_DETAILS),
    (GROQ, "openai/gpt-oss-120b", thought("gpt-oss", "reasoning"), (AS_REASONING[0], NONE[1])),
    (OLLAMA, "qwen3:8b", thought("qwen", "reasoning"), (AS_REASONING[0], NONE[1])),
    (OPENAI, "gpt-5.1", thought("gpt", "reasoning"), NONE),
    ("https://x.openai.azure.com/openai/v1", "deepseek-v4-pro", thought("deepseek-v4"), NONE),
    (UNKNOWN, "ride-1", thought("ride-1", "reasoning"), AS_REASONING),
    (UNKNOWN, "ride-1", thought("ride-2"), NONE),
]  # fmt: skip


@pytest.mark.parametrize(("base", "model", "thinking", "turns"), REPLAYS)
def test_thinking_goes_back_as_each_family_wants_it(
    base: str, model: str, thinking: ThinkingBlock | None, turns: Any
) -> None:
    assert body(base, model, history(thinking))["messages"] == sent(*turns)


def test_without_thinking_no_placeholder_is_needed() -> None:
    assert body(DEEPSEEK, "deepseek-flash", history(None), thinking=False)["messages"] == sent(*NONE)


def test_lessons_win_over_the_profile() -> None:
    refused, demanded = Lessons(wants_thinking_back=False), Lessons(wants_thinking_back=True)
    assert body(DEEPSEEK, "deepseek-flash", history(thought("deepseek-v4")), refused)["messages"] == sent(*NONE)
    assert body(UNKNOWN, "deepseek-r1", history(thought("deepseek-r1")), demanded)["messages"] == sent(*BOTH)


def test_thinking_that_others_stored_beside_the_message_obeys_the_same_rule() -> None:
    calls = [SENT_CALL]
    old = [ChatMessage("How far?"), assistant(tool_calls=calls, reasoning_content="Hm.")]
    assert body(UNKNOWN, "deepseek-r1", old)["messages"][1] == {"role": "assistant", "content": "", "tool_calls": calls}
    assert body(DEEPSEEK, "deepseek-flash", old)["messages"][1]["reasoning_content"] == "Hm."


def test_roles_are_those_the_host_knows() -> None:
    asked = [ChatMessage(role=MessageRole.DEVELOPER, content="Be brief."), ChatMessage("How far?")]
    assert [m["role"] for m in body(DEEPSEEK, "deepseek-flash", asked)["messages"]] == ["system", "user"]
    assert [m["role"] for m in body(OPENAI, "gpt-5", asked)["messages"]] == ["developer", "user"]


def test_roles_alternate_where_the_template_needs_it() -> None:
    asked = [
        ChatMessage("One."),
        ChatMessage("Two."),
        assistant(TextBlock(text="A.")),
        assistant(TextBlock(text="B.")),
        ChatMessage("C?"),
    ]
    joined = [
        {"role": "user", "content": "One.\n\nTwo."},
        {"role": "assistant", "content": "A.\n\nB."},
        {"role": "user", "content": "C?"},
    ]
    assert body(UNKNOWN, "deepseek-r1", asked)["messages"] == joined
    assert len(body(DEEPSEEK, "deepseek-flash", asked)["messages"]) == 5


def test_arguments_and_content_are_never_null_or_blank() -> None:
    bare = ToolCallBlock(tool_call_id="c1", tool_name="now", tool_kwargs="")
    message = body(UNKNOWN, "ride-1", [ChatMessage("?"), assistant(bare)])["messages"][1]
    call = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    assert message == {"role": "assistant", "content": "", "tool_calls": [call]}


ASK = [ChatMessage("How far?")]
WIRE = [{"role": "user", "content": "How far?"}]
SAMPLING = {"temperature": 0.2, "top_p": 0.5, "presence_penalty": 1}
JSON = {"type": "json_object"}
LOGPROBS = {"logprobs": True, "top_logprobs": 2}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "Trip", "schema": {}}}
NAMED = {"type": "function", "function": {"name": "distance"}}
ON, OFF = {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}

WISHES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    # host, model, wishes, what the body says beside model, messages and stream
    (DEEPSEEK, "deepseek-flash", {}, {}),
    (DEEPSEEK, "deepseek-flash", {"params": SAMPLING}, {"top_p": 0.95}),
    (DEEPSEEK, "deepseek-flash", {"params": {"top_p": 0.97}, "thinking": True}, {"top_p": 0.97, **ON}),
    (DEEPSEEK, "deepseek-flash", {"params": SAMPLING, "thinking": False}, {**SAMPLING, **OFF}),
    (DEEPSEEK, "deepseek-flash", {"effort": "max", "thinking": True}, {"reasoning_effort": "max", **ON}),
    (DEEPSEEK, "deepseek-flash", {"effort": "low"}, {"reasoning_effort": "low"}),
    (DEEPSEEK, "deepseek-flash", {"effort": "low", "thinking": False}, OFF),
    (DEEPSEEK, "deepseek-flash", {"params": {"max_tokens": 9_999_999}}, {"max_tokens": 393_216}),
    (DEEPSEEK, "deepseek-flash", {"params": {"max_completion_tokens": 50}}, {"max_tokens": 50}),
    (DEEPSEEK, "deepseek-flash", {"params": {"response_format": SCHEMA}}, {"response_format": JSON}),
    (DEEPSEEK, "deepseek-flash", {"params": {"tools": [TOOL], "tool_choice": "required", "parallel_tool_calls": True}},
     {"tools": [SENT_TOOL], "tool_choice": "auto"}),
    (DEEPSEEK, "deepseek-flash", {"params": {"tools": [TOOL], "tool_choice": NAMED}, "thinking": False},
     {"tools": [SENT_TOOL], "tool_choice": NAMED, **OFF}),
    (DEEPSEEK, "deepseek-flash", {"params": {"tools": [TOOL, OTHER_TOOL], "tool_choice": NAMED}},
     {"tools": [SENT_TOOL], "tool_choice": "auto"}),
    (DEEPSEEK, "deepseek-flash", {"params": {"tools": [], "tool_choice": "auto", "parallel_tool_calls": False}}, {}),
    (DEEPSEEK, "deepseek-flash", {"params": LOGPROBS}, LOGPROBS),
    (UNKNOWN, "deepseek-v3.2", {"params": LOGPROBS, "thinking": True}, ON),
    (UNKNOWN, "deepseek-r1", {"params": {"response_format": JSON, **SAMPLING}, "thinking": True}, SAMPLING),
    (MOONSHOT, "kimi-k2.5", {"params": SAMPLING, "thinking": False}, OFF),
    (MOONSHOT, "kimi-k3", {"params": SAMPLING, "thinking": False}, {}),
    (DASHSCOPE, "qwen3-32b", {"thinking": False, "params": SAMPLING}, {"enable_thinking": False, **SAMPLING}),
    (DASHSCOPE, "qwen-plus", {"params": {"tools": [TOOL], "tool_choice": "required"}},
     {"tools": [SENT_TOOL], "tool_choice": "auto"}),
    (OPENROUTER, "deepseek/deepseek-flash", {"thinking": True, "effort": "high"},
     {"reasoning": {"enabled": True, "effort": "high"}}),
    (NVIDIA, "deepseek-ai/deepseek-v4-flash", {"thinking": True, "effort": "high"},
     {"chat_template_kwargs": {"thinking": True, "enable_thinking": True, "reasoning_effort": "high"}}),
    (OLLAMA, "qwen3:8b", {"thinking": False}, {"reasoning_effort": "none"}),
    (VLLM, "Qwen/Qwen3-8B", {"thinking": False},
     {"chat_template_kwargs": {"thinking": False, "enable_thinking": False}}),
    (GROQ, "openai/gpt-oss-20b", {"effort": "max"}, {"reasoning_effort": "high"}),
    (MINIMAX, "MiniMax-M2", {"params": {"max_tokens": 100, "tools": [TOOL], "tool_choice": "required"}},
     {"max_completion_tokens": 100, "tools": [SENT_TOOL], "tool_choice": "auto"}),
    (OPENAI, "gpt-5", {"params": {**SAMPLING, "max_tokens": 100, "parallel_tool_calls": False, "tools": [TOOL]}},
     {"max_completion_tokens": 100, "parallel_tool_calls": False, "tools": [SENT_TOOL]}),
    (UNKNOWN, "ride-1",
     {"params": {**SAMPLING, "response_format": SCHEMA, "seed": 7, "stop": None}, "thinking": True, "effort": "max"},
     {**SAMPLING, "response_format": SCHEMA, "seed": 7}),
    (UNKNOWN, "ride-1", {"extra_body": {"grammar": "g", "temperature": 2}, "params": {"temperature": 1}},
     {"grammar": "g", "temperature": 2}),
    (UNKNOWN, "deepseek-v4-pro", {"extra_body": {"thinking": {"budget": 9}}, "thinking": True},
     {"thinking": {"type": "enabled", "budget": 9}}),
]  # fmt: skip


@pytest.mark.parametrize(("base", "model", "wishes", "more"), WISHES)
def test_each_wish_is_sent_clamped_or_dropped(
    base: str, model: str, wishes: dict[str, Any], more: dict[str, Any]
) -> None:
    assert body(base, model, ASK, **wishes) == {"model": model, "messages": WIRE, "stream": False, **more}


def test_usage_is_asked_for_in_streams_unless_it_was_refused() -> None:
    wanted = {"stream": True, "stream_options": {"include_usage": True}}
    assert body(UNKNOWN, "ride-1", ASK, stream=True) == {"model": "ride-1", "messages": WIRE, **wanted}
    refused = body(UNKNOWN, "ride-1", ASK, Lessons(refuses_stream_options=True), stream=True)
    assert refused == {"model": "ride-1", "messages": WIRE, "stream": True}


def test_half_characters_of_a_browser_do_not_break_the_request() -> None:
    picture = ImageBlock(url="https://pictures.example/a.png")
    asked = [ChatMessage("Hi \ud83d"), ChatMessage(blocks=[TextBlock(text="\ude86 there"), picture])]
    sent_messages = body(DEEPSEEK, "deepseek-flash", asked)["messages"]
    assert json.dumps(sent_messages, ensure_ascii=False).encode()
    assert sent_messages[0]["content"] == "Hi \ufffd"
    assert [part["type"] for part in sent_messages[1]["content"]] == ["text", "image_url"]
