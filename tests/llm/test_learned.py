"""What an endpoint teaches by refusing: the request goes once more, changed, and later ones are right at once."""

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock, ToolCallBlock

from llm.client import DeepSeek
from tests.llm.asking import ASK
from tests.provider.replies import error, stream
from tests.provider.server import ProviderServer


async def test_a_refused_thinking_key_is_left_out_once_and_for_all() -> None:
    past = [
        ChatMessage("Hello"),
        ChatMessage(role="assistant", blocks=[_own_thinking("ride-2"), TextBlock(text="Hi")]),
        ChatMessage("How far?"),
    ]
    no = error(400, "property 'reasoning_content' is unsupported")
    with ProviderServer(no, stream("Here"), stream("There")) as server:
        llm = DeepSeek("ride-2", api_base=server.api_base)
        for expected in ("Here", "There"):
            assert [r async for r in await llm.astream_chat(past)][-1].message.content == expected
        assert ["reasoning_content" in request.body["messages"][1] for request in server.requests] == [
            True,
            False,
            False,
        ]


async def test_a_demanded_thinking_key_is_sent_from_then_on() -> None:
    turn = _tool_turn("ride-3")
    missing = error(400, "The `reasoning_content` in the thinking mode must be passed back to the API.")
    with ProviderServer(missing, stream("Here"), missing) as server:
        llm = DeepSeek(
            "ride-3",
            api_base=server.api_base,
            thinking=True,
            profile_overrides={"replay": "never", "thinks_by_default": True},
            max_retries=0,
        )
        assert [r async for r in await llm.astream_chat(turn)][-1].message.content == "Here"
        assert "reasoning_content" not in server.requests[0].body["messages"][1]
        assert server.requests[1].body["messages"][1]["reasoning_content"] == "Ask the tool"


def _tool_turn(family: str) -> list[ChatMessage]:
    call = ToolCallBlock(tool_call_id="c1", tool_name="distance", tool_kwargs="{}")
    return [
        ChatMessage("How far?"),
        ChatMessage(role="assistant", blocks=[_own_thinking(family), TextBlock(text=""), call]),
        ChatMessage(role="tool", content="463 km", additional_kwargs={"tool_call_id": "c1"}),
    ]


def _own_thinking(family: str) -> ThinkingBlock:
    where = {"family": family, "field": "reasoning_content"}
    return ThinkingBlock(content="Ask the tool", additional_information=where)


async def test_a_refused_usage_option_is_left_out_from_then_on() -> None:
    no = error(400, "Unrecognized request argument supplied: stream_options")
    with ProviderServer(no, stream("Here"), stream("Here")) as server:
        llm = DeepSeek("ride-4", api_base=server.api_base)
        for _ in range(2):
            _ = [r async for r in await llm.astream_chat(ASK)]
        assert ["stream_options" in request.body for request in server.requests] == [True, False, False]


async def test_a_server_that_opens_the_block_itself_is_read_right_from_the_second_time_on() -> None:
    reply = stream("By road.</think>\n\n463 km")
    with ProviderServer(reply, reply, stream("463 km")) as server:
        llm = DeepSeek("ride-5", api_base=server.api_base)
        first, second, third = [[r async for r in await llm.astream_chat(ASK)] for _ in range(3)]
    for responses in (first, second):
        assert responses[-1].reasoning_content == "By road."
        assert responses[-1].message.content == "463 km"
        assert "".join(r.thinking_delta for r in responses) == "By road."
    assert "".join(r.delta for r in second) == "463 km"
    assert third[-1].message.content == "".join(r.delta for r in third) == "463 km"
    assert third[-1].reasoning_content == ""
