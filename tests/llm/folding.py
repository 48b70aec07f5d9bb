"""Turns a sample stream into the same contents in another form: as one message, or cut into other chunks."""

import json
from itertools import cycle
from typing import Any

TEXTS = ("content", "reasoning_content", "reasoning", "reasoning_text")


def payloads(data: bytes) -> list[dict[str, Any]]:
    lines = [line.removeprefix(b"data: ") for line in data.splitlines() if line.startswith(b"data: {")]
    return [json.loads(line) for line in lines]


def folded(data: bytes) -> dict[str, Any]:
    """The stream as the body of a reply that is not streamed."""
    body: dict[str, Any] = {"id": "chat-7", "object": "chat.completion", "created": 1790000007, "model": "ride-1"}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": None}
    for payload in payloads(data):
        body |= {key: payload[key] for key in ("usage", "x_groq") if payload.get(key)}
        for piece in payload["choices"]:
            _fold(message, piece["delta"])
            choice |= {key: piece[key] for key in ("finish_reason", "usage") if piece.get(key)}
    return {**body, "choices": [choice]}


def _fold(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for key in TEXTS:
        if delta.get(key):
            message[key] = _joined(message.get(key), delta[key])
    for key in ("reasoning_details",):
        if delta.get(key):
            message[key] = [*message.get(key, []), *delta[key]]
    for call in delta.get("tool_calls") or ():
        _fold_call(message.setdefault("tool_calls", []), call)


def _joined(before: Any, piece: Any) -> Any:
    if isinstance(piece, list) or isinstance(before, list):
        return [*_parts(before), *_parts(piece)]
    return (before or "") + piece


def _parts(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [{"type": "text", "text": value}] if value else []


def _fold_call(calls: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    function = piece["function"]
    if function.get("name"):
        calls.append({**piece, "function": {"name": function["name"], "arguments": function.get("arguments") or ""}})
    else:
        calls[-1]["function"]["arguments"] += function.get("arguments") or ""


def recut(data: bytes, sizes: list[int]) -> bytes:
    """The stream with its texts cut anew: each chunk becomes chunks with pieces of these sizes, in turn."""
    size = cycle(sizes)
    events: list[bytes] = []
    for payload in payloads(data):
        events += [_event(payload | {"choices": choices}) for choices in _recut_choices(payload["choices"], size)]
    return b"".join([*events, b"data: [DONE]\n\n"])


def _recut_choices(choices: list[dict[str, Any]], size: Any) -> list[list[dict[str, Any]]]:
    texts = {key: text for c in choices for key, text in (c["delta"] or {}).items() if key in TEXTS and text}
    if not texts or any(not isinstance(text, str) for text in texts.values()) or "tool_calls" in choices[0]["delta"]:
        return [choices]
    longest = max(len(text) for text in texts.values())
    cuts, at = [], 0
    while at < longest:
        step = next(size)
        cuts.append((at, at + step))
        at += step
    pieces = [{key: text[a:b] for key, text in texts.items()} for a, b in cuts]
    last = {**choices[0], "delta": pieces.pop()}
    return [*([{**choices[0], "delta": piece, "finish_reason": None}] for piece in pieces), [last]]


def _event(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"
