"""Whatever JSON a host sends, reading it ends in responses and perhaps an error of ours, never in a crash."""

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from llm.complaints import Peer
from llm.errors import LLMError, UnreadableReply
from llm.reply import Reply

PEER = Peer("http://there/v1", "there", "ride-1", 32_768)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
KEYS = st.sampled_from(
    [
        "index",
        "id",
        "function",
        "name",
        "arguments",
        "type",
        "text",
        "thinking",
        "summary",
        "content",
        "code",
        "message",
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)


def having(*names: str) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(names), VALUES, max_size=5) | VALUES


DELTAS = having("role", "content", "reasoning_content", "reasoning", "reasoning_details", "tool_calls", "function_call")
CHOICES = having("delta", "message", "index", "finish_reason", "usage") | st.fixed_dictionaries({"delta": DELTAS})
PAYLOADS = having(
    "id", "choices", "error", "message", "detail", "base_resp", "x_groq", "usage"
) | st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, max_size=2), "usage": having("prompt_tokens", "completion_tokens", "total_tokens")}
)


def delta(content: Any) -> dict[str, Any]:
    return {"choices": [{"delta": content}]}


@settings(max_examples=400, deadline=None)
@example([delta({"content": [{"type": []}]})], False, False)
@example([delta({"content": [{"type": {}}], "reasoning_content": "0"})], False, False)
@example([delta({"content": [{"type": "thinking", "thinking": [{"type": []}]}]})], False, False)
@example([delta({"tool_calls": [{"index": [], "id": {}, "function": {"name": []}}]})], False, True)
@given(st.lists(PAYLOADS, max_size=4), st.booleans(), st.booleans())
def test_no_payload_crashes_the_reader(payloads: list[Any], opened: bool, done: bool) -> None:
    reply = Reply(PEER, "ride-1", opened=opened)
    data = b"".join(b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads)
    responses = [*reply.feed(data + (b"data: [DONE]\n\n" if done else b"")), *reply.end()]
    assert reply.failure is None or isinstance(reply.failure, LLMError)
    assert all(response.model_dump(exclude={"raw"}) for response in responses)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    reply = Reply(PEER, "ride-1")
    _ = [*reply.feed(data), *reply.end()]
    assert reply.failure is None or isinstance(reply.failure, LLMError)


def test_json_that_is_nested_too_deep_is_unreadable() -> None:
    reply = Reply(PEER, "ride-1")
    reply.feed(b"data: " + b"[" * 5000 + b"]" * 5000 + b"\n\n")
    reply.end()
    assert isinstance(reply.failure, UnreadableReply)
