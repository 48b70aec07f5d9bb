"""Tool calls that a model wrote into its text, as endpoints without a parser for its notation leave them there."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.agent.workflow import AgentWorkflow

from agents.assistant import Assistant
from agents.events import AnswerDelta, Retrying, ThoughtDelta, ToolFinished, ToolStarted, TurnEnded
from agents.native.written import WrittenCalls
from agents.toolbox import Toolbox, toolbox_of
from tests.agents.native_turns import LONG, Places, agent_on, as_tools, calling, of_kind, tool_texts
from tests.agents.test_assistant import joined, told
from tests.provider.replies import message, pieces, stream
from tests.provider.server import ProviderServer

SIZES = (1, 2, 3, 7, 10_000)
BERGEN = '{"city": "Bergen"}'
QWEN = f'<tool_call>\n{{"name": "look_up", "arguments": {BERGEN}}}\n</tool_call>'
CODER = "<function=look_up>\n<parameter=city>\nBergen\n</parameter>\n</function>"
MINIMAX = (
    '<minimax:tool_call>\n<invoke name="look_up">\n<parameter name="city">Bergen</parameter>\n</invoke>\n'
    "</minimax:tool_call>"
)
KIMI = f"<|tool_call_begin|>functions.look_up:0<|tool_call_argument_begin|>{BERGEN}<|tool_call_end|>"
R1 = f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>look_up\n```json\n{BERGEN}\n```<｜tool▁call▁end｜>"
V3 = f"<｜tool▁call▁begin｜>look_up<｜tool▁sep｜>{BERGEN}<｜tool▁call▁end｜>"
DSML = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="look_up">\n<｜DSML｜parameter name="city" string="true">Bergen'
    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
HARMONY = f"<|channel|>commentary to=functions.look_up <|constrain|>json<|message|>{BERGEN}<|call|>"
CALLS = {
    "Qwen": QWEN,
    "Qwen without the end tag": QWEN.removesuffix("</tool_call>"),
    "Qwen Coder": f"<tool_call>\n{CODER}\n</tool_call>",
    "Qwen Coder, only the function": CODER,
    "function tag with JSON": f"<function=look_up>{BERGEN}</function>",
    "GLM": "<tool_call>look_up\n<arg_key>city</arg_key>\n<arg_value>Bergen</arg_value>\n</tool_call>",
    "GLM's own role": f"<|assistant|>look_up\n{BERGEN}",
    "ChatGLM": f"look_up\n{BERGEN}",
    "MiniMax": MINIMAX,
    "Kimi": f"<|tool_calls_section_begin|>{KIMI}<|tool_calls_section_end|>",
    "DeepSeek R1": f"<｜tool▁calls▁begin｜>{R1}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
    "DeepSeek V3.1": f"<｜tool▁calls▁begin｜>{V3}<｜tool▁calls▁end｜>",
    "DeepSeek DSML": DSML,
    "DSML, bars twice": f'<｜｜DSML｜｜invoke name="look_up">{BERGEN}</｜｜DSML｜｜invoke>',
    "Mistral": f'[TOOL_CALLS][{{"name": "look_up", "arguments": {BERGEN}}}]</s>',
    "Mistral, newer": f"[TOOL_CALLS]look_up[ARGS]{BERGEN}",
    "Mistral with an id": f"[TOOL_CALLS]look_up[CALL_ID]abc123[ARGS]{BERGEN}",
    "Llama": f'<|python_tag|>{{"name": "look_up", "parameters": {BERGEN}}}<|eom_id|>',
    "Llama in Python": '<|python_tag|>look_up.call(city="Bergen")<|eom_id|>',
    "Llama, bare": f'{{"name": "look_up", "parameters": {BERGEN}}}',
    "Llama, bare, with a type": f'{{"type": "function", "name": "look_up", "parameters": {BERGEN}}}',
    "bare Python": 'look_up(city="Bergen")',
    "bare list in Python": '[look_up("Bergen")]',
    "Python in a tag": '<tool_call>look_up(city="Bergen")</tool_call>',
    "gpt-oss": HARMONY,
    "gpt-oss, the whole message": f"<|start|>assistant{HARMONY}",
    "Command A": f'<|START_ACTION|>[{{"tool_name": "look_up", "parameters": {BERGEN}}}]<|END_ACTION|>',
    "LangChain's tags": f"<tool>look_up</tool>\n<tool_input>{BERGEN}</tool_input>",
    "name in the tag": f'<tool_call name="look_up">{BERGEN}</tool_call>',
    "Granite": f'<|tool_call|>[{{"name": "look_up", "arguments": {BERGEN}}}]',
    "arguments as text": '<tool_call>{"name": "look_up", "arguments": "{\\"city\\": \\"Bergen\\"}"}</tool_call>',
}
BARE = {"GLM's own role", "ChatGLM", "Llama, bare", "Llama, bare, with a type", "bare Python", "bare list in Python"}
IN_MARKUP = {name: text for name, text in CALLS.items() if name not in BARE | {"gpt-oss, the whole message"}}
TALK = {
    "in backticks": f"It writes `{QWEN.replace(chr(10), '')}` and waits.",
    "in a fence": f"Like this:\n\n```xml\n{QWEN}\n```",
    "a fence at the end of which it ends": f"```\n{CODER}\n```",
    "in quotes": f'It writes "{CODER}" there.',
    "in quotes, a tag within a tag": f'It writes "<tool_call>\n{CODER}\n</tool_call>".',
    "in other quotes": f"Es schreibt „{KIMI}“.",
    "in prose": f"Qwen writes {QWEN} and then waits for the result.",
    "in prose, a tag within a tag": f"Qwen writes <tool_call>{CODER}</tool_call> and then waits.",
    "in prose, over several lines": f"Qwen writes <tool_call>\n{CODER}\n</tool_call> and then waits.",
    "an unknown tool in prose": 'Write <tool_call>{"name": "fly", "arguments": {}}</tool_call>',
    "an unknown tool, announced": 'A call looks so:\n\n<tool_call>\n{"name": "fly", "arguments": {}}\n</tool_call>',
    "an unknown tool, explained": '<tool_call>{"name": "fly", "arguments": {}}</tool_call> is what it writes.',
    "only the tags": "<tool_call> is how a call begins, and </tool_call> ends it.",
    "an empty pair": "<tool_call></tool_call> are the tags.",
    "dots between the tags": "<tool_call>…</tool_call>",
    "only the opening tag": "The tag is:\n<tool_call>",
    "in a list": f"- Qwen: {QWEN.replace(chr(10), '')}\n- Mistral: [TOOL_CALLS]",
    "as a quotation": f"> {KIMI}\n\nThis is Kimi's.",
    "as indented code": f"It is\n\n    {KIMI}\n",
    "in HTML": f"<pre>{KIMI}</pre>",
    "tags of other kinds": "<action>jump</action>\n<tool>hammer</tool>",
    "JSON that was asked for": '{"name": "Ann", "city": "Bergen"}',
    "a list of JSON": '[{"name": "Ann"}, {"name": "Bo"}]',
    "JSON spoken of": f'{{"name": "look_up", "parameters": {BERGEN}}} is a call.',
    "Python spoken of": 'look_up(city="Bergen") returns the weather.',
    "the tool spoken of": "look_up is a tool.",
    "Python in a fence": '```python\nlook_up(city="Bergen")\n```',
    "a broken tag": "a < b and <tool_call but not >",
    "brackets": "[1] and [TOOL] and <b>x</b> and a[0]",
}


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def places() -> Places:
    return Places()


def toolbox() -> Toolbox:
    return toolbox_of(as_tools(Places()))


def read(text: str, size: int, **how: Any) -> tuple[str, list[tuple[str, Any]]]:
    """The text of a reply and its calls."""
    written = WrittenCalls(how.get("toolbox", toolbox()), may_tell=how.get("may_tell", True))
    shown = "".join(map(written.feed, pieces(text, size))) + written.finish(is_cut=how.get("is_cut", False))
    assert shown == written.text
    return shown.strip(), [(call.tool_name, call.tool_kwargs) for call in written.calls]


def sent_call(provider: ProviderServer, request: int) -> dict[str, Any]:
    """The last message of the model in a request."""
    asked: list[dict[str, Any]] = provider.requests[request].body["messages"]
    return [one for one in asked if one["role"] == "assistant"][-1]


# Called


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CALLS)
async def test_a_call_in_any_notation_is_called_like_any_other(
    provider: ProviderServer, places: Places, name: str, size: int
) -> None:
    provider.add(stream(CALLS[name], thinking="Hm.", size=size), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, Retrying, AnswerDelta, ToolStarted, ToolFinished, TurnEnded) == [
        ToolStarted("id", "look_up", {"city": "Bergen"}),
        ToolFinished("id", "Bergen: 12 °C", 0, display=("a card",)),
        AnswerDelta("12 °C."),
        TurnEnded("answered", 0),
    ]
    assert [event.text for event in of_kind(events, ThoughtDelta) if event.text != "<|start|>assistant"] == []
    kept = sent_call(provider, 1)
    assert not kept.get("content")
    assert json.loads(kept["tool_calls"][0]["function"]["arguments"]) == {"city": "Bergen"}
    assert tool_texts(provider, 1) == ['<tool_result source="look_up">\nBergen: 12 °C\n</tool_result>']


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "before", ["Let me look.\n", "Let me look: ", "我来查一下。", "I look ", LONG.strip() + "\n\n"]
)
@pytest.mark.parametrize("name", IN_MARKUP)
def test_what_comes_before_a_call_is_the_text(name: str, before: str, size: int) -> None:
    text, calls = read(before + CALLS[name], size)
    assert text == before.strip()
    assert [toolbox().find(called) is not None for called, _ in calls] == [True]


@pytest.mark.parametrize("size", SIZES)
async def test_a_remark_is_a_thought_and_a_long_one_the_beginning_of_the_answer(size: int) -> None:
    for before, kind in (("Let me look.", ThoughtDelta), (LONG.strip(), AnswerDelta)):
        with ProviderServer() as provider:
            provider.add(stream(f"{before}\n\n{QWEN}", size=size), stream("12 °C."))
            events = await told(Assistant(), agent_on(provider, Places()))
            first, last = of_kind(events, ThoughtDelta, AnswerDelta)[0], of_kind(events, AnswerDelta)[-1]
            assert (type(first), first.text.strip()) == (kind, before)
            assert last.text.strip() == "12 °C."
            assert sent_call(provider, 1)["content"] == before


TWO = {
    "Qwen": QWEN.replace("Bergen", "Oslo") + "\n" + QWEN,
    "Qwen Coder": f"<tool_call>\n{CODER.replace('Bergen', 'Oslo')}\n</tool_call>\n<tool_call>\n{CODER}\n</tool_call>",
    "MiniMax": MINIMAX.replace(
        "</invoke>", '</invoke>\n<invoke name="look_up"><parameter name="city">Oslo</parameter></invoke>'
    ),
    "Kimi": f"<|tool_calls_section_begin|>{KIMI.replace('Bergen', 'Oslo')}{KIMI}<|tool_calls_section_end|>",
    "DeepSeek": f"<｜tool▁calls▁begin｜>{R1}\n{R1.replace('Bergen', 'Oslo')}<｜tool▁calls▁end｜>",
    "Mistral": '[TOOL_CALLS][{"name": "look_up", "arguments": {"city": "Oslo"}}, '
    '{"name": "look_up", "arguments": {"city": "Bergen"}}]',
    "Mistral, newer": '[TOOL_CALLS]look_up[ARGS]{"city": "Oslo"}[TOOL_CALLS]look_up[ARGS]{"city": "Bergen"}',
    "Llama": '<|python_tag|>{"name": "look_up", "parameters": {"city": "Oslo"}}; '
    '{"name": "look_up", "parameters": {"city": "Bergen"}}',
    "Llama in Python": '<|python_tag|>[look_up(city="Oslo"), look_up(city="Bergen")]<|eom_id|>',
    "bare Python": '[look_up(city="Oslo"), look_up(city="Bergen")]',
    "gpt-oss": f"{HARMONY}<|start|>assistant{HARMONY.replace('Bergen', 'Oslo')}",
}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("name", TWO)
async def test_calls_of_one_reply_run_side_by_side(
    provider: ProviderServer, places: Places, name: str, size: int
) -> None:
    provider.add(stream(TWO[name], size=size), stream("Both 12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert {event.text for event in of_kind(events, ToolFinished)} == {"Oslo: 12 °C", "Bergen: 12 °C"}
    assert len(sent_call(provider, 1)["tool_calls"]) == 2
    assert [event.text for event in of_kind(events, AnswerDelta, ThoughtDelta)] == ["Both 12 °C."]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "invented",
    [
        "\n<tool_response>\nBergen: 99 °C\n</tool_response>\nIt is hot.",
        "\n\nBergen has 99 °C." + LONG,
        f"\nObservation: 99 °C\n{QWEN.replace('Bergen', 'Slow')}",
        "<|im_end|>\n<|im_start|>user\nThanks!",
    ],
)
async def test_a_result_that_the_model_invents_is_ignored(
    provider: ProviderServer, places: Places, invented: str, size: int
) -> None:
    provider.add(stream(QWEN + invented, size=size, finish="length"), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert places.calls == [("Bergen", 1)]
    assert of_kind(events, Retrying, ThoughtDelta, AnswerDelta) == [AnswerDelta("12 °C.")]


async def test_what_the_endpoint_has_read_itself_is_not_called_twice(provider: ProviderServer, places: Places) -> None:
    provider.add(calling("Bergen", text=f"Let me look.\n{QWEN}"), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert places.calls == [("Bergen", 1)]
    assert of_kind(events, ThoughtDelta) == [ThoughtDelta("Let me look.")]
    assert sent_call(provider, 1)["content"] == "Let me look."


async def test_it_can_be_asked_without_streaming(provider: ProviderServer, places: Places) -> None:
    provider.add(message(f"Let me look.\n{QWEN}"), message("12 °C."))
    agent = agent_on(provider, places)
    agent.streaming = False
    assert str(await AgentWorkflow(agents=[agent]).run(user_msg="Hi")) == "12 °C."
    assert places.calls == [("Bergen", 1)]


# Told


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (QWEN.replace("look_up", "fly"), "There is no tool 'fly'"),
        ("Let me look.\n" + CODER.replace("look_up", "fly"), "There is no tool 'fly'"),
        (f"<tool_call>{BERGEN}</tool_call>", "The call names no tool"),
        (QWEN.replace("city", "town"), "'city' is missing"),
        (QWEN.replace('": "Bergen', '" "Bergen'), "not valid JSON"),
        (QWEN[:-14], "not valid JSON"),
    ],
)
async def test_a_call_that_cannot_be_run_is_told_back(
    provider: ProviderServer, places: Places, text: str, advice: str, size: int
) -> None:
    provider.add(stream(text, size=size), stream(QWEN), stream("12 °C."))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, Retrying, ToolStarted, AnswerDelta) == [
        Retrying("unreadable"),
        ToolStarted("id", "look_up", {"city": "Bergen"}),
        AnswerDelta("12 °C."),
    ]
    assert advice in tool_texts(provider, 1)[0]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "cut",
    [
        QWEN[:-20],
        QWEN[:24],
        QWEN[:12],
        QWEN[:8],
        KIMI[:12],
        CODER[:45],
        CODER[:19],
        KIMI[:50],
        CALLS["Llama, bare"][:40],
    ],
)
@pytest.mark.parametrize("before", ["", "Let me look.\n"])
async def test_a_call_that_the_limit_cut_is_asked_for_again(cut: str, before: str, size: int) -> None:
    if before and cut.startswith("{"):
        return
    with ProviderServer() as provider:
        provider.add(stream(before + cut, size=size, finish="length"), stream("Sorry."))
        events = await told(Assistant(), agent_on(provider, Places()))
        assert of_kind(events, Retrying, AnswerDelta) == [Retrying("unreadable"), AnswerDelta("Sorry.")]
        assert of_kind(events, ThoughtDelta) == ([ThoughtDelta(before.strip())] if before else [])
        assert "cut off by the limit" in tool_texts(provider, 1)[0]


# Talked about


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TALK)
async def test_markup_that_is_talked_about_stays_text(
    provider: ProviderServer, places: Places, name: str, size: int
) -> None:
    provider.add(stream(TALK[name], size=size))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, Retrying, ThoughtDelta, AnswerDelta, ToolStarted) == [AnswerDelta(TALK[name])]
    assert places.calls == []


async def test_what_a_tool_said_is_no_call_where_the_model_copies_it(provider: ProviderServer, places: Places) -> None:
    provider.add(stream(QWEN.replace("<", "<\u2060")))
    events = await told(Assistant(), agent_on(provider, places))
    assert of_kind(events, AnswerDelta, ToolStarted) == [AnswerDelta(QWEN)]


# Where no tool is offered


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", IN_MARKUP)
async def test_without_tools_a_reply_that_is_nothing_but_a_call_is_empty(
    provider: ProviderServer, places: Places, name: str, size: int
) -> None:
    provider.add(stream(CALLS[name], size=size), stream("Here I am."))
    agent = agent_on(provider, places)
    agent.tools = []
    events = await told(Assistant(), agent)
    assert of_kind(events, Retrying, ThoughtDelta, AnswerDelta) == [Retrying("empty"), AnswerDelta("Here I am.")]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text", [*TALK.values(), f"Here:\n{QWEN}", f"{QWEN}\nSee?", CALLS["Llama, bare"]])
def test_without_tools_text_stays_text(text: str, size: int) -> None:
    if text != TALK["dots between the tags"]:
        assert read(text, size, toolbox=Toolbox(), may_tell=False) == (text.strip(), [])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("before", "answer"), [("", []), ("Perhaps ten.\n", ["Perhaps ten."])])
async def test_in_the_closing_reply_no_call_is_shown(before: str, answer: list[str], size: int) -> None:
    with ProviderServer() as provider:
        provider.add(calling("Bergen"), calling("Bergen"), stream(before + QWEN, size=size))
        events = await told(Assistant(), agent_on(provider, Places(), max_rounds=2))
        assert [event.text.strip() for event in of_kind(events, AnswerDelta)] == answer
        assert joined(events)[-1] == TurnEnded("gave_up", 0)


# Any text


@given(
    parts=st.lists(st.sampled_from([*CALLS.values(), *TALK.values()]), max_size=3),
    noise=st.lists(st.sampled_from(["\n", " ", "```", "`", ". ", ": ", "{", '"', "<", "[", "</tool_call>", "Oh"])),
    cut=st.integers(0, 300),
    size=st.integers(1, 9),
    is_cut=st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_no_cutting_changes_what_is_read(parts: list[str], noise: list[str], cut: int, size: int, is_cut: bool) -> None:
    text = "".join(part + "".join(noise) for part in parts).strip()[: 1000 - cut]
    assert read(text, size, is_cut=is_cut) == read(text, 10_000, is_cut=is_cut)
    shown, calls = read(text, size)
    said = text.removeprefix("<|assistant|>").strip()
    assert said.startswith(shown) if calls else said == shown


@pytest.mark.parametrize(
    "piece",
    [
        "<tool_call>",
        "<tool_call>{",
        "[TOOL_CALLS][",
        "look_up(",
        '{"name":',
        " ",
        "\n",
        "`",
        "<",
        "<tool_call>a<arg_value>",
        QWEN,
        QWEN + " and ",
        f"a {QWEN} b ",
        "[{",
        "<invoke name=",
        '"<tool_call>',
    ],
)
def test_the_time_for_a_long_reply_is_bounded(piece: str) -> None:
    began = time.process_time()
    read(piece * (300_000 // len(piece)), 40)
    assert time.process_time() - began < 3
