"""Facts about a model at a host, as one frozen value. The client branches on these fields and never on a name.

Facts come from three places, each laid over the one before: the model's family (`model_families.py`), the host
(`model_hosts.py`), and the user's own overrides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from llm.model_families import family_facts, short_name
from llm.model_hosts import host_facts

Replay: TypeAlias = Literal["never", "tool_turns", "always"]
ThinkingSwitch: TypeAlias = Literal["type", "enable_thinking", "template", "reasoning", "effort"]
EffortPlace: TypeAlias = Literal["reasoning_effort", "reasoning", "template"]
Effort: TypeAlias = Literal["low", "high", "max"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """What is known of one model at one host. The defaults are what is safe for an unknown server."""

    family: str
    """Models of one family may read each other's thinking; to any other it is foreign text and is not sent."""

    context_window: int = 32_768
    """Tokens that fit into one request and its reply. The default suits most small self-hosted models."""
    max_output_tokens: int | None = None
    """Most tokens of one reply, thinking included; a larger `max_tokens` is lowered to it. None: not known."""
    native_tools: bool = True
    """Whether `tools` in the request work. False for R1 (DeepSeek's guide of its time) and older Gemma."""

    always_thinks: bool = False
    """Whether thinking can't be switched off (R1, QwQ, Kimi K3, MiniMax M2)."""
    thinks_by_default: bool = False
    """Whether the model thinks when the request says nothing about it (DeepSeek V4, GLM 4.7, Kimi K2.5)."""
    thinks_only_in_streams: bool = False
    """Whether thinking without streaming is a 400 (Qwen3's open models at Model Studio); then a stream is collected."""
    opening_tag_may_be_missing: bool = False
    """Whether the chat template opens the thinking block itself, so that a server without a parser streams
    only its end (vLLM and SGLang without `--reasoning-parser`, Bedrock, Azure's R1)."""
    thinking_switch: ThinkingSwitch | None = None
    """How thinking is switched on and off: `thinking.type` (DeepSeek, Kimi, GLM, Ark), `enable_thinking`
    (DashScope, SiliconFlow), `chat_template_kwargs` (vLLM, SGLang, llama.cpp, NIM), `reasoning.enabled`
    (OpenRouter), effort `none` (Ollama); None: not at all."""
    effort_place: EffortPlace | None = None
    """Where the effort goes; None: the model has no such setting, and it is not sent."""
    effort_words: Mapping[Effort, str] | None = None
    """Other words for low, high and max; None: sent as they are (DeepSeek since Sep 2026)."""

    replay: Replay = "always"
    """Which earlier turns go back with their thinking. `never`: R1 (400 if present), OpenAI, models that do not think.
    `tool_turns`: Qwen, gpt-oss, whose templates read only these. `always`: DeepSeek from V3.2, Kimi, GLM, MiniMax."""
    replay_as: str | None = None
    """The key, or `tags`, under which thinking goes back, where it is not the one in which it came (Cerebras' GLM)."""
    placeholder: str | None = None
    """What stands for thinking that is not known, on tool turns that are refused without it. One space passes
    everywhere; the empty string and a dot were refused at some hosts (litellm #28045, oh-my-pi #897)."""
    placeholder_key: str = "reasoning_content"
    """The key of the placeholder, since nothing came in any key."""
    drops_empty_content: bool = False
    """Whether a tool turn without text goes without the `content` key (Kimi's own client does so).
    Elsewhere it is an empty string: null is refused by DeepSeek, Ollama and several gateways."""
    roles_must_alternate: bool = False
    """Whether two messages of one role in a row are refused (R1's guide; templates of Gemma and Mistral)."""
    accepts_developer_role: bool = False
    """Whether the role `developer` exists. Only at OpenAI; DeepSeek answers 422 unknown variant."""

    accepts_sampling: bool = True
    """False where temperature and top_p other than the fixed ones are refused (Kimi K2.5 and K3, OpenAI's o-series)."""
    accepts_sampling_while_thinking: bool = True
    """False where thinking makes the server ignore temperature and the penalties (DeepSeek's thinking guide)."""
    top_p_floor_while_thinking: float | None = None
    """The least top_p while thinking; less is raised to it (DeepSeek V4.1: clamped to 0.95 to 1)."""
    accepts_logprobs_while_thinking: bool = True
    """False where asking for logprobs while thinking is an error (DeepSeek R1 and V3.2)."""
    forces_tools: Literal["always", "without_thinking", "never"] = "always"
    """When `tool_choice` may be `required` or a name. DeepSeek and DashScope answer 400 while thinking,
    MiniMax always. Where it may not, the choice is left to the model."""
    accepts_json_schema: bool = True
    """False where `response_format: json_schema` is a 400 (DeepSeek's chat endpoint); then json_object is sent."""
    accepts_json_object: bool = True
    """False where `response_format` is refused altogether (R1)."""
    accepts_parallel_tool_calls: bool = False
    """Whether the host knows `parallel_tool_calls`; an unknown host may refuse it."""
    max_tokens_key: str = "max_tokens"
    """`max_completion_tokens` at OpenAI and MiniMax; DeepSeek ignores that one silently (pydantic-ai's recordings)."""
    accepts_stream_options: bool = True
    """Whether usage can be asked for in a stream. A 400 that names it is remembered for the host."""
    successor: str | None = None
    """The id to use instead, if the maker has withdrawn this one."""

    def thinks(self, wanted: bool | None) -> bool:
        """Whether a request with this wish (None: none) makes the model think."""
        if self.always_thinks:
            return True
        return self.thinks_by_default if wanted is None or self.thinking_switch is None else wanted


def resolve_profile(api_base: str | None, model: str, overrides: Mapping[str, Any] | None = None) -> ModelProfile:
    """The facts about `model` at `api_base`. Raises ValueError for an override that is no field."""
    known = {field.name for field in fields(ModelProfile)}
    if unknown := sorted(set(overrides or {}) - known):
        raise ValueError(f"not a fact about a model: {', '.join(unknown)}")
    of_family = {"family": short_name(model), **family_facts(model)}
    of_host = host_facts(api_base or "", of_family["family"])
    if family_facts(model):
        of_host = {name: fact for name, fact in of_host.items() if name not in _SETTINGS or of_family.get(name)}
    return ModelProfile(**{**of_family, **of_host, **(overrides or {})})


_SETTINGS = {"thinking_switch", "effort_place"}
"""A host says how these are set, but only for families that have them."""
