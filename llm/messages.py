"""Turns LlamaIndex messages into the wire's, with the thinking that goes back. Pure; the profile says what is right.

Where thinking came from is kept in `ThinkingBlock.additional_information`: `family` (whose it is), `field` (the key it
came in, `tags`, or `list`) and `details` (OpenRouter's and MiniMax's `reasoning_details`, as they came).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ThinkingBlock
from llama_index.llms.openai.utils import to_openai_message_dict

from llm.half_characters import mended
from llm.learned import Lessons
from llm.model_profiles import ModelProfile

WireMessage = dict[str, Any]

_ROLES = {
    MessageRole.DEVELOPER: "system",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.FUNCTION: "tool",
}

_THINKING_KEYS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where histories written by others may hold thinking: in `additional_kwargs`."""


def wire_messages(
    messages: Sequence[ChatMessage], profile: ModelProfile, *, lessons: Lessons, thinking: bool
) -> list[WireMessage]:
    """The `messages` of a request body. `thinking`: whether this request makes the model think."""
    wire = [_wire_message(message, profile, lessons, thinking=thinking) for message in messages]
    return list(_alternating(wire)) if profile.roles_must_alternate else wire


def _wire_message(message: ChatMessage, profile: ModelProfile, lessons: Lessons, *, thinking: bool) -> WireMessage:
    wire: WireMessage = dict(to_openai_message_dict(message))
    if message.role != MessageRole.DEVELOPER or not profile.accepts_developer_role:
        wire["role"] = _ROLES.get(message.role, wire["role"])
    wire["content"] = _mended(wire.get("content"))
    if wire["role"] != "assistant":
        return wire
    wire["content"] = wire["content"] or ""
    calls = [_wire_call(call) for call in wire.get("tool_calls") or ()]
    wire.pop("tool_calls", None)
    stored = {key: wire.pop(key) for key in _THINKING_KEYS if key in wire}
    thought = _own_thinking(message, profile)
    if profile.drops_empty_content and calls and not wire["content"]:
        del wire["content"]
    if _goes_back(profile, lessons, is_tool_turn=bool(calls)):
        if thought:
            _add_thinking(wire, thought, profile)
        elif stored:
            wire |= stored
        elif calls and thinking and (profile.placeholder or lessons.wants_thinking_back):
            wire[profile.placeholder_key] = profile.placeholder or " "
    return {**wire, "tool_calls": calls} if calls else wire


def _mended(content: Any) -> Any:
    """Half characters, which a browser can send, would break the request."""
    if isinstance(content, str):
        return mended(content)
    if not isinstance(content, list):
        return content
    return [{**part, "text": mended(part["text"])} if "text" in part else part for part in content]


def _wire_call(call: Any) -> dict[str, Any]:
    """One tool call. It may be LlamaIndex's dict or, in stored histories, the SDK's object."""
    made = dict(call) if isinstance(call, dict) else call.model_dump(exclude_none=True)
    made.pop("index", None)
    function = dict(made["function"])
    return {**made, "function": {**function, "arguments": function.get("arguments") or "{}"}}


def _own_thinking(message: ChatMessage, profile: ModelProfile) -> ThinkingBlock | None:
    """The message's thinking, if this family wrote it."""
    for block in message.blocks:
        if isinstance(block, ThinkingBlock) and block.additional_information.get("family") == profile.family:
            return block if block.content or block.additional_information.get("details") else None
    return None


def _goes_back(profile: ModelProfile, lessons: Lessons, *, is_tool_turn: bool) -> bool:
    if lessons.wants_thinking_back is not None:
        return lessons.wants_thinking_back
    return profile.replay == "always" or (profile.replay == "tool_turns" and is_tool_turn)


def _add_thinking(wire: WireMessage, thought: ThinkingBlock, profile: ModelProfile) -> None:
    source, content = thought.additional_information, thought.content or ""
    place = profile.replay_as or source.get("field") or profile.placeholder_key
    text = wire.get("content", "")
    match place:
        case "tags":
            wire["content"] = f"<think>\n{content}\n</think>\n\n{text}"
        case "list":
            blocks = [{"type": "thinking", "thinking": [{"type": "text", "text": content}]}]
            wire["content"] = blocks + ([{"type": "text", "text": text}] if text else [])
        case "reasoning_details":
            wire[place] = source["details"]
        case _:
            wire[place] = content
            if source.get("details") and place == source.get("field"):
                # OpenRouter: the details hold signatures that the text lacks; either is enough, so the richer goes.
                del wire[place]
                wire["reasoning_details"] = source["details"]


def _alternating(wire: Iterable[WireMessage]) -> Iterable[WireMessage]:
    """Join neighbours of one role; what has tool calls or parts stays apart."""
    last: WireMessage | None = None
    for message in wire:
        if last and _is_plain(last) and _is_plain(message) and last["role"] == message["role"]:
            last = {**last, "content": f"{last['content']}\n\n{message['content']}"}
            continue
        if last:
            yield last
        last = message
    if last:
        yield last


def _is_plain(message: WireMessage) -> bool:
    return message.keys() == {"role", "content"} and isinstance(message["content"], str)
