"""Builds the body of a chat request: the caller's wishes, sent, clamped or dropped as the profile says. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.base.llms.types import ChatMessage

from llm.learned import Lessons
from llm.messages import wire_messages
from llm.model_profiles import Effort, ModelProfile

_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty")
_IGNORED_WHILE_THINKING = ("temperature", "presence_penalty", "frequency_penalty")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller wants of one call. `params` are body parameters as the OpenAI SDK names them."""

    model: str
    messages: Sequence[ChatMessage]
    stream: bool = False
    thinking: bool | None = None
    effort: Effort | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """What goes to the SDK and not into the body: `extra_headers`, `extra_query`, `timeout`."""


def request_body(wishes: Wishes, profile: ModelProfile, lessons: Lessons) -> dict[str, Any]:
    """The JSON body. `extra_body` is laid over it untouched: who gives it knows what they do."""
    thinks = profile.thinks(wishes.thinking)
    params = {name: value for name, value in wishes.params.items() if value is not None}
    _fit_sampling(params, profile, thinks=thinks)
    _fit_tools(params, profile, thinks=thinks)
    _fit_format(params, profile)
    _fit_length(params, profile)
    body = {
        "model": wishes.model,
        "messages": wire_messages(wishes.messages, profile, lessons=lessons, thinking=thinks),
        "stream": wishes.stream,
        **params,
    }
    if wishes.stream and profile.accepts_stream_options and not lessons.refuses_stream_options:
        body["stream_options"] = {"include_usage": True, **params.get("stream_options", {})}
    else:
        body.pop("stream_options", None)
    _set_thinking(body, wishes, profile)
    return _laid_over(body, wishes.extra_body)


def _fit_sampling(params: dict[str, Any], profile: ModelProfile, *, thinks: bool) -> None:
    dropped: tuple[str, ...] = ()
    if not profile.accepts_sampling:
        dropped = _SAMPLING
    elif thinks and not profile.accepts_sampling_while_thinking:
        dropped = _IGNORED_WHILE_THINKING
    if thinks and not profile.accepts_logprobs_while_thinking:
        dropped = (*dropped, "logprobs", "top_logprobs")
    for name in dropped:
        params.pop(name, None)
    floor = profile.top_p_floor_while_thinking
    if thinks and floor is not None and "top_p" in params:
        params["top_p"] = max(floor, params["top_p"])


def _fit_tools(params: dict[str, Any], profile: ModelProfile, *, thinks: bool) -> None:
    if not params.get("tools"):
        for name in ("tools", "tool_choice", "parallel_tool_calls"):
            params.pop(name, None)
        return
    params["tools"] = [_tool_without_false_strict(tool) for tool in params["tools"]]
    if not profile.accepts_parallel_tool_calls:
        params.pop("parallel_tool_calls", None)
    may_force = profile.forces_tools == "always" or (profile.forces_tools == "without_thinking" and not thinks)
    choice = params.get("tool_choice")
    if may_force or choice in (None, "auto", "none"):
        return
    if isinstance(choice, Mapping):
        name = choice.get("function", {}).get("name")
        params["tools"] = [tool for tool in params["tools"] if tool["function"]["name"] == name] or params["tools"]
    params["tool_choice"] = "auto"


def _tool_without_false_strict(tool: Mapping[str, Any]) -> dict[str, Any]:
    """LlamaIndex always says `strict: false`, which is the default, and a key that some hosts refuse."""
    function = {name: value for name, value in tool.get("function", {}).items() if (name, value) != ("strict", False)}
    return {**tool, "function": function}


def _fit_format(params: dict[str, Any], profile: ModelProfile) -> None:
    kind = (params.get("response_format") or {}).get("type")
    if kind == "json_schema" and not profile.accepts_json_schema:
        params["response_format"] = {"type": "json_object"}
    if kind in {"json_schema", "json_object"} and not profile.accepts_json_object:
        del params["response_format"]


def _fit_length(params: dict[str, Any], profile: ModelProfile) -> None:
    """One key for the limit, the one the host reads, and no more than the model can write."""
    given = [params.pop(name, None) for name in ("max_tokens", "max_completion_tokens")]
    if limit := next((value for value in given if value), None):
        params[profile.max_tokens_key] = min(limit, profile.max_output_tokens or limit)


def _set_thinking(body: dict[str, Any], wishes: Wishes, profile: ModelProfile) -> None:
    extra: dict[str, Any] = {}
    if wishes.thinking is not None and not profile.always_thinks:
        extra = _laid_over(extra, _switch(wishes.thinking, profile))
    is_off = wishes.thinking is False and not profile.always_thinks
    if wishes.effort and profile.effort_place and not is_off:
        word = (profile.effort_words or {}).get(wishes.effort, wishes.effort)
        extra = _laid_over(extra, _effort(word, profile))
    body.update(_laid_over(body, extra))


def _switch(on: bool, profile: ModelProfile) -> dict[str, Any]:
    match profile.thinking_switch:
        case "type":
            return {"thinking": {"type": "enabled" if on else "disabled"}}
        case "enable_thinking":
            return {"enable_thinking": on}
        case "template":  # Qwen's templates read `enable_thinking`, others `thinking`
            return {"chat_template_kwargs": {"thinking": on, "enable_thinking": on}}
        case "reasoning":
            return {"reasoning": {"enabled": on}}
        case "effort":
            return {} if on else {"reasoning_effort": "none"}
        case None:
            return {}


def _effort(word: str, profile: ModelProfile) -> dict[str, Any]:
    match profile.effort_place:
        case "reasoning":
            return {"reasoning": {"effort": word}}
        case "template":
            return {"chat_template_kwargs": {"reasoning_effort": word}}
        case _:
            return {"reasoning_effort": word}


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` over `below`; objects in both are joined."""
    joined = {
        name: _laid_over(below[name], value)
        for name, value in above.items()
        if isinstance(value, Mapping) and isinstance(below.get(name), Mapping)
    }
    return {**below, **above, **joined}
