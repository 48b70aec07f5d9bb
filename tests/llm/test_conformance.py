"""Every provider's stream, read in four ways and under every cut: the suite is the table in `samples/expected.json`.

The samples are streams in the shapes that hosts send, one file each; the shapes are described in `llm/chunk.py`,
`llm/tool_call_stream.py` and `llm/think_tags.py`.
"""

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock, ToolCallBlock

from llm.client import DeepSeek, ReasoningChatResponse
from llm.complaints import Peer
from llm.errors import LLMError
from llm.reply import Reply
from tests.llm.folding import folded, recut
from tests.provider.replies import Reply as ServerReply
from tests.provider.replies import json_reply, raw
from tests.provider.server import ProviderServer

SAMPLES = Path(__file__).parent / "samples"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text())
PEER = Peer("http://there/v1", "there", "ride-1", 32_768)
ASK = [ChatMessage("How far is it?")]


def sample(name: str) -> bytes:
    return (SAMPLES / f"{name}.sse").read_bytes()


def told(response: ReasoningChatResponse, error: LLMError | None) -> dict[str, Any]:
    """A reply in the words of the table."""
    blocks = response.message.blocks
    usage = (
        {name: count for name, count in asdict(response.usage).items() if count is not None} if response.usage else None
    )
    return {
        "thinking": response.reasoning_content,
        "text": "".join(block.text for block in blocks if isinstance(block, TextBlock)),
        "tool_calls": [[b.tool_name, _arguments(b)] for b in blocks if isinstance(b, ToolCallBlock)],
        "finish": response.finish_reason,
        "usage": usage,
        "error": type(error).__name__ if error else None,
    }


def _arguments(block: ToolCallBlock) -> Any:
    try:
        return json.loads(str(block.tool_kwargs))
    except ValueError:
        return None


def read(data: bytes, cuts: list[int]) -> tuple[list[ReasoningChatResponse], LLMError | None]:
    """All responses and the failure of a reply whose network reads end at `cuts`."""
    reply = Reply(PEER, "ride-1")
    edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
    responses = [response for a, b in pairwise(edges) for response in reply.feed(data[a:b])]
    return [*responses, *reply.end()], reply.failure


def expected(name: str) -> dict[str, Any]:
    return {key: value for key, value in EXPECTED[name].items() if key != "whole"}


def result(name: str, responses: list[ReasoningChatResponse], error: LLMError | None) -> dict[str, Any]:
    if responses:
        return told(responses[-1], error)
    return {**expected(name), "thinking": "", "text": "", "tool_calls": [], "error": type(error).__name__}


@pytest.mark.parametrize("name", EXPECTED)
def test_read_whole_and_byte_by_byte(name: str) -> None:
    data = sample(name)
    for cuts in ([], list(range(len(data)))):
        assert result(name, *read(data, cuts)) == expected(name)


@pytest.mark.parametrize("name", EXPECTED)
@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(min_value=0, max_value=20_000), max_size=12))
def test_no_cut_of_the_bytes_changes_what_is_read(name: str, cuts: list[int]) -> None:
    assert result(name, *read(sample(name), cuts)) == expected(name)


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name]["whole"]])
@settings(max_examples=15, deadline=None)
@given(sizes=st.lists(st.integers(min_value=1, max_value=9), min_size=1, max_size=8))
def test_no_cut_of_the_text_changes_what_is_read(name: str, sizes: list[int]) -> None:
    assert result(name, *read(recut(sample(name), sizes), [])) == expected(name)


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "tags_end_only"])
def test_the_deltas_add_up_and_never_show_a_tag(name: str) -> None:
    responses, _ = read(sample(name), list(range(0, len(sample(name)), 7)))
    assert "".join(response.thinking_delta for response in responses) == EXPECTED[name]["thinking"]
    assert "".join(response.delta or "" for response in responses) == EXPECTED[name]["text"]
    assert not [r for r in responses if r.thinking_delta and r.delta]
    if "are_text" not in name:
        assert not [r for r in responses if "think>" in (r.delta or "") + r.thinking_delta]


@pytest.mark.parametrize("name", EXPECTED)
def test_no_response_changes_after_it_was_given_out(name: str) -> None:
    data, reply = sample(name), Reply(PEER, "ride-1")
    seen: list[tuple[ReasoningChatResponse, str]] = []
    late: list[ReasoningChatResponse] = []
    for response in [r for byte in data for r in reply.feed(bytes([byte]))] + reply.end():
        late.append(response)
    reply = Reply(PEER, "ride-1")
    for byte in data:
        seen += [(response, response.model_dump_json(exclude={"raw"})) for response in reply.feed(bytes([byte]))]
    seen += [(response, response.model_dump_json(exclude={"raw"})) for response in reply.end()]
    assert [response.model_dump_json(exclude={"raw"}) for response, _ in seen] == [dump for _, dump in seen]
    assert [response.model_dump_json(exclude={"raw"}) for response in late] == [dump for _, dump in seen]


@pytest.mark.parametrize("name", EXPECTED)
def test_blocks_stand_in_order_and_once(name: str) -> None:
    for response in read(sample(name), list(range(0, 20_000, 31)))[0]:
        kinds = [type(block) for block in response.message.blocks if not isinstance(block, ToolCallBlock)]
        has_thinking = response.reasoning_content or name == "encrypted_details"  # these must go back, unread
        assert kinds == ([ThinkingBlock, TextBlock] if has_thinking else [TextBlock])
        assert response.message.blocks[: len(kinds)] == [b for b in response.message.blocks if type(b) in kinds]


async def four_ways(llm: DeepSeek, way: str) -> tuple[list[ReasoningChatResponse], LLMError | None]:
    responses: list[Any] = []
    try:
        match way:
            case "stream_chat":
                responses.extend(llm.stream_chat(ASK))
            case "astream_chat":
                responses.extend([response async for response in await llm.astream_chat(ASK)])
            case "chat":
                responses.append(llm.chat(ASK))
            case _:
                responses.append(await llm.achat(ASK))
    except LLMError as error:
        return [*responses, error.partial] if error.partial else responses, error
    return responses, None


@pytest.mark.parametrize("way", ["stream_chat", "astream_chat", "chat", "achat"])
async def test_the_four_ways_read_the_same(way: str) -> None:
    with ProviderServer() as server:
        llm = DeepSeek("ride-1", api_base=server.api_base, max_retries=0)
        for name in EXPECTED:
            server.add(reply_for(way, name))
            assert result(name, *await four_ways(llm, way)) == expected(name), name


def reply_for(way: str, name: str) -> ServerReply:
    """The sample over the wire; for a call that does not stream, its contents as one message where that is possible."""
    data = sample(name)
    if way in {"chat", "achat"} and EXPECTED[name]["whole"]:
        return json_reply(folded(data))
    return raw(data, range(97, len(data), 97))
