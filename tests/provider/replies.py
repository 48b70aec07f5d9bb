"""What the provider answers, as data: bytes, pauses and faults in the order in which they go over the wire."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

DONE = b"data: [DONE]\n\n"
USAGE = {
    "prompt_tokens": 40,
    "completion_tokens": 20,
    "total_tokens": 60,
    "prompt_tokens_details": {"cached_tokens": 30},
    "completion_tokens_details": {"reasoning_tokens": 12},
}


@dataclass(frozen=True, slots=True)
class Pause:
    """Send nothing for `seconds`."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Send nothing more until the server's `release()` or the client goes away."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Cut the connection here, in the middle of the body."""


Part: TypeAlias = bytes | Pause | Hold | Drop


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer. Each bytes part is flushed to the socket on its own."""

    parts: tuple[Part, ...]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})


def pieces(text: str, size: int) -> Iterator[str]:
    """Cut `text` into pieces of `size` characters."""
    return (text[i : i + size] for i in range(0, len(text), size))


def sse(payload: Mapping[str, Any]) -> bytes:
    """One server-sent event that carries `payload` as JSON."""
    return b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"


def chunk(delta: Mapping[str, Any] | None = None, *, finish: str | None = None, usage: Any = None) -> bytes:
    """One chat completion chunk as DeepSeek and most servers send it."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return sse({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "deepseek-flash",
                "choices": [choice], "usage": usage})  # fmt: skip


def stream(
    text: str = "",
    *,
    thinking: str = "",
    tool_calls: Sequence[tuple[str, Mapping[str, Any]]] = (),
    field_name: str = "reasoning_content",
    size: int = 4,
    pause: float = 0.0,
    finish: str = "stop",
    usage: Mapping[str, Any] | None = USAGE,
    tail: Sequence[Part] | None = None,
) -> Reply:
    """A whole streamed answer: thinking, then text, then tool calls, `size` characters a delta.

    `pause` seconds lie between two deltas. `tail` replaces the end of the stream (finish chunk and `[DONE]`),
    which is how a stream breaks off, holds or fails half-way.
    """
    deltas = [{"role": "assistant", "content": None, field_name: ""}]
    deltas += [{"content": None, field_name: piece} for piece in pieces(thinking, size)]
    deltas += [{"content": piece} for piece in pieces(text, size)]
    deltas += [{"tool_calls": [_tool_call(i, *call)]} for i, call in enumerate(tool_calls)]
    end = (chunk(finish=finish, usage=usage), DONE) if tail is None else tail
    return Reply((*_spaced((chunk(delta) for delta in deltas), pause), *end))


def message(text: str, *, thinking: str = "", finish: str = "stop") -> Reply:
    """The same answer, not streamed."""
    body = {"role": "assistant", "content": text, "reasoning_content": thinking}
    choice = {"index": 0, "message": body, "finish_reason": finish}
    return json_reply({"id": "c1", "object": "chat.completion", "created": 1, "model": "deepseek-flash",
                       "choices": [choice], "usage": USAGE})  # fmt: skip


def json_reply(body: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A JSON answer in one piece."""
    content_type = {"content-type": "application/json"}
    return Reply((json.dumps(body).encode(),), status, {**content_type, **(headers or {})})


def error(status: int, text: str, *, headers: Mapping[str, str] | None = None) -> Reply:
    """An error in OpenAI's envelope."""
    body = {"error": {"message": text, "type": "error", "param": None, "code": None}}
    return json_reply(body, status=status, headers=headers)


def raw(data: bytes, cuts: Iterable[int] = ()) -> Reply:
    """Exact bytes of a stream, written in pieces that end at the offsets `cuts`."""
    edges = [0, *sorted(set(cuts)), len(data)]
    return Reply(tuple(data[a:b] for a, b in pairwise(edges)))


def _tool_call(index: int, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"index": index, "id": f"call_{index:02}", "type": "function", "function": function}


def _spaced(parts: Iterable[bytes], pause: float) -> Iterator[Part]:
    for part in parts:
        yield part
        if pause:
            yield Pause(pause)
