"""What is known about forty well-known models at their hosts, as a snapshot of all that differs from the defaults.

After a wanted change, look at the new snapshot and keep it: `python -m tests.llm.test_model_profiles`.
"""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from llm.model_profiles import ModelProfile, resolve_profile

SNAPSHOT = Path(__file__).parent / "samples" / "profiles.json"
DEFAULTS = asdict(ModelProfile(family=""))
PAIRS = [
    ("https://api.deepseek.com", "deepseek-flash"),
    ("https://api.deepseek.com/beta", "deepseek-v4-pro"),
    ("https://api.deepseek.com", "deepseek-v4-flash-vision-exp"),
    ("https://api.deepseek.com", "deepseek-pro"),
    ("https://api.deepseek.com", "deepseek-chat"),
    ("https://api.deepseek.com", "deepseek-reasoner"),
    ("https://openrouter.ai/api/v1", "deepseek/deepseek-flash"),
    ("https://openrouter.ai/api/v1", "deepseek/deepseek-r1-0528"),
    ("https://openrouter.ai/api/v1", "minimax/minimax-m2"),
    ("https://openrouter.ai/api/v1", "meta-llama/llama-4-maverick"),
    ("https://ark.cn-beijing.volces.com/api/v3", "deepseek-v4-pro-ga-260813"),
    ("https://api.siliconflow.cn/v1", "deepseek-ai/DeepSeek-V4-Pro"),
    ("https://api.siliconflow.cn/v1", "Pro/deepseek-ai/DeepSeek-V3.2"),
    ("https://api.together.xyz/v1", "deepseek-ai/DeepSeek-R1"),
    ("https://api.together.xyz/v1", "deepseek-ai/DeepSeek-V3.1"),
    ("https://api.fireworks.ai/inference/v1", "accounts/fireworks/models/deepseek-v3-0324"),
    ("https://integrate.api.nvidia.com/v1", "deepseek-ai/deepseek-v4-flash"),
    ("https://unit.services.ai.azure.com/openai/v1", "DeepSeek-R1-0528"),
    ("https://unit.services.ai.azure.com/openai/v1", "DeepSeek-V4-Pro"),
    ("https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "openai.gpt-oss-120b-1:0"),
    ("https://api.groq.com/openai/v1", "openai/gpt-oss-20b"),
    ("https://api.groq.com/openai/v1", "qwen/qwen3-32b"),
    ("https://api.groq.com/openai/v1", "gemma2-9b-it"),
    ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus"),
    ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-235b-a22b-thinking-2507"),
    ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-coder-plus"),
    ("https://api.moonshot.ai/v1", "kimi-k2-thinking"),
    ("https://api.moonshot.cn/v1", "kimi-k2.5"),
    ("https://api.moonshot.cn/v1", "kimi-k3"),
    ("https://api.moonshot.cn/v1", "kimi-k2-0905-preview"),
    ("https://api.z.ai/api/paas/v4", "glm-4.7"),
    ("https://open.bigmodel.cn/api/paas/v4", "glm-5.3"),
    ("https://api.minimax.io/v1", "MiniMax-M2"),
    ("https://api.mistral.ai/v1", "magistral-medium-latest"),
    ("https://api.mistral.ai/v1", "mistral-small-latest"),
    ("https://api.cerebras.ai/v1", "zai-glm-4.7"),
    ("https://api.openai.com/v1", "gpt-5.1"),
    ("https://api.openai.com/v1", "o4-mini"),
    ("https://api.x.ai/v1", "grok-4"),
    ("http://localhost:11434/v1", "deepseek-r1:8b"),
    ("http://localhost:11434/v1", "qwen3:8b"),
    ("http://127.0.0.1:1234/v1", "qwen/qwq-32b"),
    ("http://localhost:8000/v1", "Qwen/Qwen3-8B"),
    ("http://localhost:8080/v1", "qwen2.5-coder-1.5b-instruct"),
    ("https://llm.example.org/v1", "ride-1"),
]


def matrix() -> dict[str, dict[str, Any]]:
    """Per pair, the facts that differ from the defaults."""
    resolved = {f"{model} at {base}": asdict(resolve_profile(base, model)) for base, model in PAIRS}
    return {
        pair: {name: fact for name, fact in facts.items() if fact != DEFAULTS[name]} for pair, facts in resolved.items()
    }


def test_the_matrix_is_as_it_was_looked_at() -> None:
    assert matrix() == json.loads(SNAPSHOT.read_text())


def test_every_fact_says_why() -> None:
    source = Path(__file__).parents[2].joinpath("llm/model_profiles.py").read_text()
    body = source.split("class ModelProfile:")[1].split("def thinks")[0]
    after_field = [line.strip() for line in body.splitlines()]
    for field in fields(ModelProfile):
        line = next(i for i, text in enumerate(after_field) if text.startswith(f"{field.name}:"))
        assert after_field[line + 1].startswith('"""'), field.name


def test_overrides_win_and_must_be_facts() -> None:
    profile = resolve_profile("https://api.deepseek.com", "deepseek-flash", {"replay": "never", "context_window": 5})
    assert (profile.replay, profile.context_window, profile.family) == ("never", 5, "deepseek-v4")
    with pytest.raises(ValueError, match="speed"):
        resolve_profile(None, "m", {"speed": 1})


@pytest.mark.parametrize(
    ("model", "wish", "thinks"),
    [
        ("deepseek-flash", None, True),
        ("deepseek-flash", False, False),
        ("deepseek-v3.2", None, False),
        ("deepseek-v3.2", True, True),
        ("deepseek-r1", False, True),
        ("ride-1", True, False),
    ],
)
def test_whether_a_request_thinks(model: str, wish: bool | None, thinks: bool) -> None:
    assert resolve_profile(None, model).thinks(wish) is thinks


if __name__ == "__main__":
    SNAPSHOT.write_text(json.dumps(matrix(), indent=1) + "\n")
