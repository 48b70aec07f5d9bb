"""What is true of a host whatever model it serves: one row each. To support a new host, add its row.

A row is the end of the host's name (or `:port` for servers known by their usual port), and facts by the field names
of `ModelProfile`. Facts that hold for some families only stand in `_AT`, by host and family.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_PARALLEL = {"accepts_parallel_tool_calls": True}
_TEMPLATE = {"thinking_switch": "template", "effort_place": "template"}

_ROWS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("api.deepseek.com",), {}),  # the families hold DeepSeek's own facts
    (("api.openai.com",), {
        "accepts_developer_role": True, "max_tokens_key": "max_completion_tokens", "replay": "never", **_PARALLEL}),
    # openrouter.ai/docs: use-cases/reasoning-tokens
    (("openrouter.ai",), {"thinking_switch": "reasoning", "effort_place": "reasoning", **_PARALLEL}),
    # console.groq.com/docs/reasoning: the key reasoning_content is refused, reasoning is read
    (("api.groq.com",), {"placeholder_key": "reasoning", "replay_as": "reasoning", **_PARALLEL}),
    (("api.together.xyz", "api.together.ai"), {**_PARALLEL}),
    (("api.fireworks.ai",), {"effort_place": "reasoning_effort"}),  # reasoning_effort excludes thinking
    (("api.siliconflow.cn", "api.siliconflow.com"), {"thinking_switch": "enable_thinking", "effort_place": None}),
    # Azure Foundry: strict deployments refuse keys they don't know
    ((".services.ai.azure.com", ".openai.azure.com", ".models.ai.azure.com"), {
        "replay": "never", "placeholder": None, "thinking_switch": None, "effort_place": None}),
    ((".amazonaws.com",), {"replay": "never", "placeholder": None, "thinking_switch": None}),
    # build.nvidia.com: thinking goes through the template; a bare effort makes requests hang
    (("integrate.api.nvidia.com",), {**_TEMPLATE}),
    (("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"), {
        "thinking_switch": "enable_thinking", "effort_place": None, **_PARALLEL}),
    (("api.moonshot.cn", "api.moonshot.ai", "api.kimi.com"), {}),
    (("api.z.ai", "open.bigmodel.cn"), {}),
    (("api.minimax.io", "api.minimaxi.com", "api.minimax.chat"), {"max_tokens_key": "max_completion_tokens"}),
    (("api.mistral.ai",), {"replay_as": "list", **_PARALLEL}),
    ((".tencentcloudapi.com", ".tencent.com", ".tencentmaas.com"), {}),
    ((".volces.com", ".byteplusapi.com"), {}),
    (("api.cerebras.ai",), {"replay_as": "reasoning", "placeholder_key": "reasoning", **_PARALLEL}),
    (("api.githubcopilot.com",), {"replay": "never"}),
    (("api.deepinfra.com", ".baseten.co", "api.novita.ai", "router.huggingface.co"), {}),
    (("api.x.ai",), {"replay": "never", **_PARALLEL}),
    # Servers on one's own machine, by their usual port
    ((":11434",), {  # Ollama reads `reasoning` only, and refuses null content
        "replay_as": "reasoning", "placeholder_key": "reasoning", "thinking_switch": "effort",
        "effort_place": "reasoning_effort", "effort_words": {"low": "low", "high": "high", "max": "max"}}),
    ((":1234",), {}),  # LM Studio
    ((":8000", ":30000"), {**_TEMPLATE, **_PARALLEL}),  # vLLM, SGLang
    ((":8080",), {**_TEMPLATE}),  # llama.cpp's server, most likely: not enough to promise grammars
)  # fmt: skip

_AT: dict[tuple[str, str], dict[str, Any]] = {
    ("dashscope.aliyuncs.com", "qwen"): {"thinks_only_in_streams": True},
    ("dashscope-intl.aliyuncs.com", "qwen"): {"thinks_only_in_streams": True},
    ("api.cerebras.ai", "glm"): {"replay_as": "tags"},  # pydantic-ai's recordings
    ("api.groq.com", "gpt-oss"): {"effort_place": "reasoning_effort"},
    (".tencent.com", "deepseek-v4"): {"effort_place": None},
    ("api.fireworks.ai", "deepseek-r1"): {"effort_place": None},
}


def host_facts(api_base: str, family: str) -> Mapping[str, Any]:
    """The facts of the host at `api_base`, and those of the family at this host; none for an unknown one."""
    host = host_name(api_base).lower()
    for endings, facts in _ROWS:
        for ending in endings:
            if host.endswith(ending):
                return {**facts, **_AT.get((ending, family), {})}
    return {}


def host_name(api_base: str) -> str:
    """Host and port as a person reads them."""
    parts = urlsplit(api_base if "//" in api_base else f"//{api_base}")
    return parts.netloc.rsplit("@", 1)[-1] or api_base


def shown_address(api_base: str) -> str:
    """The address without a name and a password before the host, and without a query: both can hold secrets."""
    parts = urlsplit(api_base)
    return f"{parts.scheme}://{host_name(api_base)}{parts.path}" if parts.netloc else api_base
