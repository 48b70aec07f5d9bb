"""Finds things in one `delta` or `message`, wherever a host puts them. Pure; keeps no state."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from llm.usage import Usage, usage_from

_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought", "thinking_blocks")
"""Most hosts; vLLM, Ollama, Groq and OpenRouter; Copilot; Ollama's own name; two proxies. Where two are set they are
equal."""


class Thinking(NamedTuple):
    """New thinking and the field it came in."""

    text: str = ""
    field: str = ""


def thinking_in(delta: Mapping[str, Any]) -> Thinking:
    """The thinking of one delta: the first field that holds some, else the details, else the content's own parts."""
    for name in _FIELDS:
        value = delta.get(name)
        if text := value if isinstance(value, str) else "".join(map(_text_of_thinking, _parts(value))):
            return Thinking(text, name)
    if text := "".join(_text_of_detail(detail) for detail in details_in(delta)):
        return Thinking(text, "reasoning_details")
    if text := "".join(map(_thinking_of_part, _parts(delta.get("content")))):
        return Thinking(text, "list")
    return Thinking()


def details_in(delta: Mapping[str, Any]) -> list[dict[str, Any]]:
    """OpenRouter's and MiniMax's structured thinking, which can hold signatures besides text."""
    details = delta.get("reasoning_details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def text_in(delta: Mapping[str, Any]) -> str:
    """The text of one delta; a refusal is what the model says, too."""
    content = delta.get("content")
    if isinstance(content, list | dict):
        return "".join(map(_text_of_part, _parts(content)))
    text = content or delta.get("refusal")
    return text if isinstance(text, str) else ""


def tool_calls_in(delta: Mapping[str, Any]) -> object:
    """The pieces of tool calls in one delta, or None. `function_call` is the old name for a single one."""
    return delta.get("tool_calls") or delta.get("function_call")


def usage_in(payload: Mapping[str, Any]) -> Usage | None:
    """The usage, at the top, in the choice (Kimi), or in Groq's own field."""
    choice, groq = choice_in(payload), payload.get("x_groq")
    for place in (payload, choice, groq):
        if isinstance(place, dict) and place.get("usage") and (usage := usage_from(place["usage"])):
            return usage
    return None


def choice_in(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first choice, or None if there is none."""
    choices = payload.get("choices")
    if not isinstance(choices, list):
        return None
    return next((choice for choice in choices if isinstance(choice, dict) and not choice.get("index")), None)


def _parts(value: object) -> list[Any]:
    """The parts of a value that is a list of them, or one alone."""
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) else []


def _text_of_thinking(part: object) -> str:
    """Of a part in a field that holds nothing but thinking."""
    text = (
        next((part[key] for key in ("thinking", "text", "content") if part.get(key)), "")
        if isinstance(part, dict)
        else part
    )
    return text if isinstance(text, str) else ""


def _text_of_detail(detail: Mapping[str, Any]) -> str:
    text = detail.get("text") or detail.get("summary")
    return text if isinstance(text, str) else ""


def _text_of_part(part: object) -> str:
    if isinstance(part, dict) and part.get("type") in ("text", "output_text", None):
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _thinking_of_part(part: object) -> str:
    """Mistral: `{"type": "thinking", "thinking": [{"type": "text", "text": …}]}`; others give plain text."""
    if not isinstance(part, dict) or part.get("type") not in ("thinking", "reasoning"):
        return ""
    inner = part.get("thinking") or part.get("reasoning") or part.get("text") or part.get("summary")
    if isinstance(inner, list):
        return "".join(_text_of_part(piece) for piece in inner)
    return inner if isinstance(inner, str) else ""
