"""Chat profiles: those that come with the app, the files that people write, and the agents they stand for."""

from pathlib import Path
from typing import Any

import pytest
from llama_index.core.tools import FunctionTool

from agents.chat_profiles import AgentKind, BrokenChatProfile, ChatProfile, Words, build_agent, load_profiles
from agents.native import NoNativeTools, ReasoningFunctionAgent
from agents.react import ReasoningReActAgent
from agents.react.small_model import SmallModelGuide
from llm.client import DeepSeek
from tests.agents.native_turns import Places, as_tools
from tools.calculate import calculate

HEAD = """\
name: {en: Research, zh: 研究}
description: {en: "Reads: a lot", zh: 多读}
agent: native
tools: [look_up]
starters:
  - label: {en: Rain, zh: 雨}
    message: {en: "Will it rain?", zh: 会下雨吗？}
"""


def load(folder: Path, text: str, *, name: str = "40-deep-research.md") -> tuple[ChatProfile, ...]:
    (folder / name).write_bytes(text.encode())
    return load_profiles(tool_names=["look_up", "fly"], folder=folder)


def profile(agent: Any, tools: Any) -> ChatProfile:
    words = Words(en="x", zh="x")
    return ChatProfile(id="x", name=words, description=words, agent=agent, tools=tools, prompt="You are kind.")


def llm(**fields: Any) -> DeepSeek:
    return DeepSeek(**{"api_base": "http://127.0.0.1:9/v1", "api_key": "x", **fields})


def test_the_app_comes_with_three_profiles_and_react_is_the_first() -> None:
    profiles = load_profiles(tool_names=["search_web"])
    assert [(one.id, one.name.en, one.agent, one.tools) for one in profiles] == [
        ("react", "ReAct", "react", "all"),
        ("native", "Native tools", "native", "all"),
        ("plain", "Plain chat", "plain", ()),
    ]
    assert all(one.name.zh and one.description.zh != one.description.en and one.prompt for one in profiles)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_file_of_ones_own_is_read_whole(tmp_path: Path, line_end: str, start: str) -> None:
    (read,) = load(tmp_path, start + f"---\n{HEAD}---\n\nYou read.\n\n---\n\nAll of it.\n".replace("\n", line_end))
    assert (read.id, read.name, read.agent, read.tools) == (
        "deep-research", Words(en="Research", zh="研究"), "native", ("look_up",)
    )  # fmt: skip
    assert read.description.en == "Reads: a lot"
    assert [(one.label.zh, one.message.en) for one in read.starters] == [("雨", "Will it rain?")]
    assert read.prompt == "You read.\n\n---\n\nAll of it."


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("agent: native", "agent: nativ", "agent: Input should be 'react', 'native' or 'plain'"),
        ("agent: native\n", "", "agent: Field required"),
        ("agent: native", "agent: plain", "tools: a plain chat has none"),
        ("tools: [look_up]", "tools: [look_up, swim]", "tools: there is no swim; there are fly, look_up"),
        ("tools: [look_up]", "tools: some", "tools: must be all, none or a list"),
        ("tools: [look_up]", "tools: 7", "tools: must be all, none or a list"),
        ("tools: [look_up]", "tools:", "tools: must be all, none or a list"),
        ("tools: [look_up]", "tools: {look_up: true}", "tools: must be all, none or a list"),
        ("tools: [look_up]", "tools: [1]", "tools: must be all, none or a list"),
        ("{en: Research, zh: 研究}", "Research", "name: Input should be a valid dictionary"),
        ("zh: 研究", "", "name.zh: Field required"),
        ("zh: 研究", "zh: ' '", "name.zh: String should have at least 1 character"),
        ("zh: 研究", "zh: No", "name.zh: Input should be a valid string"),
        ("en: Rain, zh: 雨", "en: Rain", "starters.0.label.zh: Field required"),
        ("agent:", "modell: x\nagent:", "modell: Extra inputs are not permitted"),
        ("agent: native", "agent: native: x", "line 4: mapping values are not allowed here"),
        ("agent: native", "agent: \x07", "holds characters that are not text"),
        (HEAD, "- name\n", "must have lines such as agent: react"),
        (HEAD, "\n", "must have lines such as agent: react"),
        ("---\n", "", "must begin with a head"),
        ("---\n\nHi", "\nHi", "must begin with a head"),
        ("Hi", "", "there is no system prompt below its head"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(BrokenChatProfile) as raised:
        load(tmp_path, f"---\n{HEAD}---\n\nHi".replace(old, new, 1))
    assert str(raised.value).startswith(f"{tmp_path / '40-deep-research.md'}: ")
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["research.md", "40-.md", "40-Deep.md", "40 deep.md", "40-研究.md"])
def test_a_file_is_named_by_number_and_id(tmp_path: Path, name: str) -> None:
    with pytest.raises(BrokenChatProfile, match="its name must be a number, a hyphen and small letters"):
        load(tmp_path, f"---\n{HEAD}---\nHi", name=name)


def test_two_files_of_one_id_are_refused(tmp_path: Path) -> None:
    load(tmp_path, f"---\n{HEAD}---\nHi")
    with pytest.raises(BrokenChatProfile, match=r"two files are named deep-research\.md"):
        load(tmp_path, f"---\n{HEAD}---\nHi", name="50-deep-research.md")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "10-a.md").write_bytes(b"---\nname: \xff\n---\nHi")
    with pytest.raises(BrokenChatProfile, match="it is not UTF-8 text"):
        load_profiles(tool_names=[], folder=tmp_path)


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "10-a.md").mkdir()
    with pytest.raises(BrokenChatProfile, match=r"10-a\.md: it can't be read"):
        load_profiles(tool_names=[], folder=tmp_path)


def test_without_any_profile_there_is_nothing_to_start_with(tmp_path: Path) -> None:
    with pytest.raises(BrokenChatProfile, match="there is no chat profile"):
        load_profiles(tool_names=[], folder=tmp_path)


@pytest.mark.parametrize(
    ("agent", "tools", "kind", "names"),
    [
        ("react", "all", ReasoningReActAgent, ["look_up"]),
        ("react", (), ReasoningReActAgent, []),
        ("native", ("look_up",), ReasoningFunctionAgent, ["look_up"]),
        ("native", (), ReasoningFunctionAgent, []),
        ("plain", (), ReasoningFunctionAgent, []),
    ],
)
def test_a_profile_stands_for_an_agent(agent: Any, tools: Any, kind: type, names: list[str]) -> None:
    built = build_agent(profile(agent, tools), llm(), as_tools(Places()), max_rounds=7)
    assert type(built) is kind
    assert [tool.metadata.get_name() for tool in built.tools or []] == names
    assert (built.max_rounds, built.system_prompt) == (7, "You are kind.")


@pytest.mark.parametrize(("kind", "has_tools"), [("react", True), ("plain", False)])
def test_a_small_model_has_its_guide_in_every_profile(kind: AgentKind, has_tools: bool) -> None:
    guide, tools = SmallModelGuide(), [*as_tools(Places()), FunctionTool.from_defaults(async_fn=calculate)]
    built = build_agent(profile(kind, "all" if has_tools else ()), llm(), tools, max_rounds=7, guide=guide)
    assert isinstance(built, ReasoningReActAgent)
    assert built.guide is guide
    assert [tool.metadata.get_name() for tool in built.tools or []] == (["calculate"] if has_tools else [])


def test_a_small_model_has_no_native_tools() -> None:
    with pytest.raises(NoNativeTools):
        build_agent(profile("native", "all"), llm(), as_tools(Places()), max_rounds=7, guide=SmallModelGuide())


@pytest.mark.parametrize("fields", [{"model": "deepseek-r1"}, {"profile_overrides": {"native_tools": False}}])
def test_where_there_are_no_native_tools_the_profile_says_so_and_offers_react(fields: dict[str, Any]) -> None:
    model = llm(**fields)
    with pytest.raises(NoNativeTools) as raised:
        build_agent(profile("native", "all"), model, as_tools(Places()), max_rounds=7)
    assert raised.value.user_message == (
        f"{model.model} can't call tools by itself here. Choose the ReAct profile: it works everywhere."
    )
    for kind in ("react", "plain"):
        build_agent(profile(kind, ()), model, as_tools(Places()), max_rounds=7)
