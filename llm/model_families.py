"""What is true of a family of models wherever it runs: one row each, the first that matches counts.

A row is a pattern for the last part of the model's id, and facts by the field names of `ModelProfile`, which say
what each means. Names that are dated, prefixed or sized by resellers match too.
"""

import re
from collections.abc import Mapping
from typing import Any

_V32 = {
    "replay": "always", "placeholder": " ", "forces_tools": "without_thinking",
    "accepts_sampling_while_thinking": False, "accepts_logprobs_while_thinking": False,
    "thinking_switch": "type", "accepts_json_schema": False,
}  # fmt: skip
_V4 = {
    **_V32, "family": "deepseek-v4", "context_window": 1_000_000, "max_output_tokens": 393_216,
    "thinks_by_default": True, "effort_place": "reasoning_effort", "top_p_floor_while_thinking": 0.95,
    "accepts_logprobs_while_thinking": True,
}  # fmt: skip
_KIMI = {
    "family": "kimi", "context_window": 262_144, "placeholder": " ", "drops_empty_content": True,
    "forces_tools": "without_thinking",
}  # fmt: skip
_THINKLESS = {"replay": "never", "thinking_switch": None}
_TEMPLATE_OPENS = {"always_thinks": True, "opening_tag_may_be_missing": True}
_GPT_WORDS = {"low": "low", "high": "high", "max": "high"}
_OPENAI_REASONING = {
    "replay": "never", "always_thinks": True, "accepts_sampling": False, "effort_place": "reasoning_effort",
    "effort_words": _GPT_WORDS, "accepts_logprobs_while_thinking": False,
}  # fmt: skip

_ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    # DeepSeek: api-docs.deepseek.com, guides thinking_mode and (of its time) reasoning_model, change log
    (r"deepseek[-_.]?r1|^r1-1776", {
        "family": "deepseek-r1", "context_window": 65_536, "max_output_tokens": 32_768, "native_tools": False,
        **_TEMPLATE_OPENS, "replay": "never", "roles_must_alternate": True, "accepts_logprobs_while_thinking": False,
        "accepts_json_schema": False, "accepts_json_object": False, "forces_tools": "never"}),
    (r"^deepseek-reasoner$", {**_V4, "replay": "never", "placeholder": None, "successor": "deepseek-flash"}),
    (r"^deepseek-chat$", {
        **_V4, "thinks_by_default": False, "replay": "never", "placeholder": None, "successor": "deepseek-flash"}),
    (r"deepseek.?v3[._-]?2", {
        **_V32, "family": "deepseek-v3.2", "context_window": 131_072, "max_output_tokens": 65_536}),
    (r"deepseek.?v3[._-]?1", {
        "family": "deepseek-v3.1", "context_window": 131_072, "replay": "never", "thinking_switch": "type",
        "forces_tools": "without_thinking", "accepts_sampling_while_thinking": False}),
    (r"deepseek.?v3", {"family": "deepseek-v3", "context_window": 65_536, **_THINKLESS}),
    (r"deepseek.?v[4-9]|^deepseek-(?:flash|pro)", _V4),
    # Moonshot: docs on thinking models; kimi-cli's provider; K2.5 and later refuse any temperature but 1
    (r"kimi-k3", {**_KIMI, "always_thinks": True, "accepts_sampling": False}),
    (r"kimi-k2[._-]?thinking", {**_KIMI, "always_thinks": True}),
    (r"kimi-(?:k2[._-][5-9]|latest)", {
        **_KIMI, "thinks_by_default": True, "thinking_switch": "type", "accepts_sampling": False}),
    (r"kimi|moonshot", {"family": "kimi-k2", "context_window": 131_072, **_THINKLESS}),
    # Zhipu: docs.z.ai, thinking mode
    (r"glm-?(?:5[._-][3-9])", {
        "family": "glm", "context_window": 204_800, "thinks_by_default": True, "thinking_switch": "type",
        "effort_place": "reasoning_effort", "placeholder": " ", "forces_tools": "never"}),
    (r"glm-?(?:4[._-][6-9]|5|z)", {
        "family": "glm", "context_window": 204_800, "thinks_by_default": True, "thinking_switch": "type",
        "placeholder": " ", "forces_tools": "never"}),
    (r"glm-?4[._-]5", {
        "family": "glm", "context_window": 131_072, "thinks_by_default": True, "thinking_switch": "type",
        "placeholder": " ", "forces_tools": "never"}),
    # MiniMax: its OpenAI-compatible API page; the weights' template opens the block
    (r"minimax", {
        "family": "minimax", "context_window": 204_800, **_TEMPLATE_OPENS, "forces_tools": "never"}),
    # Qwen: Model Studio, deep thinking; templates read the thinking of the current tool loop only
    (r"qwq|qwen.*thinking", {
        "family": "qwen", "context_window": 131_072, **_TEMPLATE_OPENS, "replay": "tool_turns",
        "forces_tools": "without_thinking"}),
    (r"qwen.?3.*(?:instruct|coder)", {"family": "qwen-instruct", "context_window": 262_144, **_THINKLESS}),
    (r"qwen.?3|qwen-(?:plus|max|flash|turbo)", {
        "family": "qwen", "context_window": 131_072, "replay": "tool_turns", "thinks_by_default": True,
        "thinking_switch": "enable_thinking", "forces_tools": "without_thinking"}),
    (r"qwen", {"family": "qwen-instruct", "context_window": 32_768, **_THINKLESS}),
    # Mistral: docs.mistral.ai, reasoning
    (r"magistral", {"family": "mistral", "context_window": 131_072, "always_thinks": True}),
    (r"mistral|ministral|devstral|codestral|pixtral", {
        "family": "mistral", "context_window": 131_072, "effort_place": "reasoning_effort",
        "effort_words": _GPT_WORDS}),
    # OpenAI: platform docs, reasoning
    (r"gpt-oss", {
        "family": "gpt-oss", "context_window": 131_072, "replay": "tool_turns", "always_thinks": True,
        "effort_place": "reasoning_effort", "effort_words": _GPT_WORDS}),
    (r"^gpt-5", {"family": "gpt", "context_window": 400_000, **_OPENAI_REASONING}),
    (r"^o[1-9](?:-|$)", {"family": "gpt", "context_window": 200_000, **_OPENAI_REASONING}),
    (r"^gpt-4\.1", {"family": "gpt", "context_window": 1_047_576, **_THINKLESS}),
    (r"^gpt-", {"family": "gpt", "context_window": 128_000, **_THINKLESS}),
    # Others
    (r"gemma", {"family": "gemma", "context_window": 32_768, **_THINKLESS, "roles_must_alternate": True,
                "native_tools": False}),
    (r"llama", {"family": "llama", "context_window": 131_072, **_THINKLESS}),
    (r"grok", {"family": "grok", "context_window": 131_072, "replay": "never"}),
    (r"seed-oss|doubao", {
        "family": "seed", "context_window": 262_144, "thinks_by_default": True, "thinking_switch": "type"}),
    (r"hy3|hunyuan", {"family": "hunyuan", "context_window": 262_144, "thinking_switch": "type"}),
    (r"nemotron", {"family": "nemotron", "context_window": 131_072, "thinking_switch": "template"}),
)  # fmt: skip


def family_facts(model: str) -> Mapping[str, Any]:
    """The facts of the family that `model` belongs to; none for an unknown one."""
    name = short_name(model)
    return next((facts for pattern, facts in _ROWS if re.search(pattern, name)), {})


def short_name(model: str) -> str:
    """The model's name without its maker's prefix, in lower case: resellers prefix and date the ids."""
    return model.lower().rstrip("/").rsplit("/", 1)[-1]
