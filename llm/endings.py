"""What the end of a reply means: whether it is whole, cut short, or failed. Pure."""

import json

from llama_index.core.base.llms.types import ToolCallBlock

from llm.complaints import Peer
from llm.errors import DEFAULT_WAIT_S, Filtered, LLMError, OutOfTokens, ServerBusy, ServerFailed, ThinkingOutOfTokens
from llm.response import ReasoningChatResponse

_LENGTH = {"length", "max_tokens", "max_length", "max_output_tokens", "model_length", "model_context_window_exceeded"}
"""OpenAI's word, and those of Anthropic's, Cohere's and Mistral's adapters."""
_FAILED: dict[str, type[LLMError]] = {
    "insufficient_system_resource": ServerBusy,
    "engine_overloaded": ServerBusy,
    "content_filter": Filtered,
    "sensitive": Filtered,  # Zhipu
    "safety": Filtered,  # Gemini's adapter, with the next four
    "recitation": Filtered,
    "prohibited_content": Filtered,
    "blocklist": Filtered,
    "malformed_function_call": ServerFailed,
    "timeout": ServerFailed,
    "cancelled": ServerFailed,
    "abort": ServerFailed,  # SGLang
    "error": ServerFailed,  # OpenRouter
    "network_error": ServerFailed,  # Zhipu
}


def failure_at_end(response: ReasoningChatResponse, peer: Peer) -> LLMError | None:
    """Why the reply can't be used as it is, although the endpoint ended it properly; None if it can.

    A text cut by the limit of tokens can (see `shortfall_at_end`); thinking alone, or a tool call cut in two, can't.
    """
    finish = (response.finish_reason or "").lower()
    facts = peer.facts(seconds=DEFAULT_WAIT_S)
    if kind := _FAILED.get(finish):
        return kind(f"finish_reason {finish}", **facts)
    if finish not in _LENGTH:
        return None
    calls = [block for block in response.message.blocks if isinstance(block, ToolCallBlock)]
    if any(not _is_json(call.tool_kwargs) for call in calls):
        return OutOfTokens("a tool call was cut", **facts)
    if response.reasoning_content and not (response.message.content or "").strip() and not calls:
        return ThinkingOutOfTokens("no text", **facts)
    return None


def shortfall_at_end(finish: str | None, peer: Peer) -> LLMError | None:
    """What the reply lacks, if it counts all the same."""
    return OutOfTokens("finish_reason length", **peer.facts()) if (finish or "").lower() in _LENGTH else None


def _is_json(arguments: object) -> bool:
    try:
        json.loads(arguments if isinstance(arguments, str) else "{}")
    except (ValueError, RecursionError):
        return False
    return True
