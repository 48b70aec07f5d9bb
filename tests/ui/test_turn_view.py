"""A turn's events as the steps and messages that a page gets, and as what the data layer has of them meanwhile."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import chainlit.data
import pytest

from agents.events import (
    AnswerDelta,
    RoundStarted,
    Stalled,
    ThinkingDelta,
    ThinkingEnded,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnEvent,
    UsageReported,
)
from tests.e2e.chat_client import Page
from tests.ui.recording_page import page_of_a_chat, shown, tool
from tools.cards import SourceCard, TableCard
from ui.texts import CHINESE, ENGLISH
from ui.turn_view import TurnView

pytestmark = pytest.mark.usefixtures("files_folder")


class StepStore:
    """As much of a data layer as steps need, in memory. `changed` is set at each write."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, Any]] = {}
        self.writes: list[str] = []
        self.is_broken = False
        self.changed = asyncio.Event()

    async def create_step(self, step_dict: Any) -> None:
        self._write("create", step_dict)

    async def update_step(self, step_dict: Any) -> None:
        self._write("update", step_dict)

    def _write(self, how: str, step: dict[str, Any]) -> None:
        self.steps[step["id"]] = {**step}
        self.writes.append(how)
        self.changed.set()
        if self.is_broken:
            raise OSError("the disk is full")

    async def until(self, claim: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not claim():
                self.changed.clear()
                await self.changed.wait()


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> StepStore:
    store = StepStore()
    monkeypatch.setattr(chainlit.data, "_data_layer", store)
    monkeypatch.setattr(chainlit.data, "_data_layer_initialized", True)
    return store


def sources(count: int) -> tuple[SourceCard, ...]:
    return tuple(SourceCard("T", f"https://e.example/{n}", "e.example", "…", n, was_read=False) for n in range(count))


ROWS = TableCard(title="", columns=("a",), rows=((1,),), total_rows=1204)


@pytest.mark.parametrize(
    ("events", "english", "chinese"),
    [
        (tool("search_web", {"query": "Peru"}, seconds=1.24, display=sources(5)),
         "Searched the web: Peru · 5 results · 1.2 s", "已搜索网页：Peru · 5 条结果 · 1.2 秒"),
        (tool("search_web", {"query": "Peru"}, display=sources(1)),
         "Searched the web: Peru · 1 result", "已搜索网页：Peru · 1 条结果"),
        (tool("search_web", {"query": "Peru"}), "Searched the web: Peru · no results", "已搜索网页：Peru · 没有结果"),
        (tool("read_page", {"url": "e.example"}, display=sources(1)), "Read e.example", "已阅读 e.example"),
        (tool("calculate", {"expression": "6*7"}), "Calculated 6*7", "已计算 6*7"),
        (tool("run_python", {"code": "1\n" * 99}, seconds=75), "Ran Python · 1 min 15 s", "已运行 Python · 1 分 15 秒"),
        (tool("write_file", {"path": "a.md", "content": "x\n"}), "Wrote a.md", "已写入 a.md"),
        (tool("write_file", {"name": "a.md", "content": "x\n"}), "Wrote a.md", "已写入 a.md"),
        (tool("list_files", {}), "Looked through the files", "已查看文件"),
        (tool("query_data", {"sql": "SELECT 1"}, display=(ROWS,)),
         "Queried the data · 1204 rows", "已查询数据 · 1204 行"),
        (tool("get_issue", {"number": 7}), "Used get_issue", "已使用 get_issue"),
        (tool("get_weather", {}, is_error=True), "Weather · did not work", "天气 · 没有成功"),
        (tool("get_weather", {"city": "a\n" * 99}), "Weather: " + "a " * 39 + "a…", "天气：" + "a " * 39 + "a…"),
    ],
)  # fmt: skip
async def test_a_tool_is_told_with_verb_and_subject(
    events: tuple[TurnEvent, TurnEvent], english: str, chinese: str
) -> None:
    for texts, name in ((ENGLISH, english), (CHINESE, chinese)):
        page = await shown(*events, texts=texts)
        assert [step["name"] for step in page.of_type("tool")] == [name]


@pytest.mark.parametrize(
    ("refusal", "english", "chinese"),
    [
        ("deny", "Search the web: Peru · not allowed by you", "搜索网页：Peru · 你没有允许"),
        ("unanswered", "Search the web: Peru · not done: you did not answer", "搜索网页：Peru · 没有执行：你没有回答"),
    ],
)
async def test_what_a_person_did_not_allow_is_no_fault(refusal: str, english: str, chinese: str) -> None:
    told = {"text": "The user did not allow this call.", "is_error": True, "refusal": refusal, "seconds": 3.0}
    for texts, name in ((ENGLISH, english), (CHINESE, chinese)):
        page = await shown(*tool("search_web", {"query": "Peru", "days": 3}, **told), texts=texts)
        (step,) = page.of_type("tool")
        assert step["name"] == name
        assert not step["isError"]
        assert step["metadata"]["icon"] == "shield-x"
        assert step["output"] == "```\ndays: 3\n```"


async def test_a_tool_step_holds_its_name_and_its_arguments_for_who_reads_the_chat_later() -> None:
    step = (await shown(*tool("run_python", {"code": "1"}, text="1"))).of_type("tool")[0]
    assert step["metadata"]["tool"] == "run_python"
    assert step["input"] == '{\n    "code": "1"\n}'
    assert step["output"] == "```python\n1\n```\n\n```text\n1\n```"
    assert not step["showInput"]
    assert not step["isError"]


async def test_stop_keeps_all_and_blames_nobody() -> None:
    page, view = page_of_a_chat(), TurnView(ENGLISH)
    for event in (RoundStarted(1), ThinkingDelta("Hm."), ToolStarted("a", "calculate", {"expression": "6*7"})):
        await view.show(event)
    await view.end("stopped", 8.2)
    await view.show(ToolFinished("a", "42", 9))
    assert [name for _, name in page.story] == [
        "Thought for a moment", "Calculated 6*7 · stopped", ENGLISH.turn.unanswered["stopped"], "Stopped after 8 s"
    ]  # fmt: skip
    assert not any(step["isError"] for step in page.steps.values())
    assert all(step["end"] for step in page.steps.values() if step["type"] != "assistant_message")
    assert page.of_type("llm")[0]["output"] == "Hm."


@dataclass(slots=True)
class InOrder(Page):
    """Keeps what it was sent, in its order."""

    sent: list[str] = field(default_factory=list)

    def put(self, step: dict[str, Any]) -> None:
        self.sent.append(step["output"] or step["name"])
        Page.put(self, step)


async def test_an_answers_first_word_does_not_wait_for_the_page_to_draw_the_end_of_the_thought() -> None:
    page, view = InOrder(), TurnView(ENGLISH)
    page_of_a_chat(page)
    for event in (RoundStarted(1), ThoughtDelta("I know"), ThoughtDelta(" it."), AnswerDelta("Lima")):
        await view.show(event)
    assert page.sent == ["I know", "Lima", "I know it."]
    assert page.story == [("undefined", "I know it."), ("assistant_message", "Lima")]


async def test_the_last_line_holds_the_numbers() -> None:
    page = await shown(RoundStarted(1), AnswerDelta("Hi"), UsageReported(10, 4, 1, 3), TurnEnded("answered", 2.0))
    turn = page.of_type("undefined")[-1]["metadata"]["turn"]
    assert turn["ended"] == "answered"
    assert (turn["rounds"], turn["tools"], turn["seconds"]) == (1, 0, 2.0)
    assert (turn["prompt_tokens"], turn["thinking_tokens"], turn["answer_tokens"]) == (10, 1, 2)


async def test_a_turn_that_failed_before_anything_came_is_one_sentence() -> None:
    page = await shown(RoundStarted(1), TurnEnded("failed", 1.0))
    assert [kind for kind, _ in page.story] == ["assistant_message"]


async def test_a_waiting_line_becomes_the_thinking_and_silences_are_one_line() -> None:
    page, view = page_of_a_chat(), TurnView(ENGLISH)
    await view.show(RoundStarted(1))
    await view.show(Stalled(20))
    await view.show(Stalled(40))
    assert page.story == [("undefined", "No word from the model for 40 s")]
    (line,) = page.steps
    await view.show(ThinkingDelta("Hm."))
    assert page.story == [("llm", "Thinking…")]
    assert page.steps[line]["defaultOpen"]
    await view.show(Stalled(20))
    assert page.story[1:] == [("undefined", "No word from the model for 20 s")]
    await view.show(ThinkingDelta("Well."))
    assert page.story == [("llm", "Thinking…")]


@pytest.mark.parametrize(("wish", "is_open"), [("open", True), ("fold", False), ("hide", False)])
async def test_thinking_is_stored_as_it_is_to_be_seen(wish: str, is_open: bool) -> None:
    page = await shown(ThinkingDelta("Hm."), ThinkingEnded(80), ThoughtDelta("So."), thinking=wish)
    thinking = page.of_type("llm")[0]
    assert thinking["name"] == "Thought for 1 min 20 s"
    assert thinking["metadata"]["seconds"] == 80
    assert thinking["defaultOpen"] is is_open
    assert thinking["output"] == ("" if wish == "hide" else "Hm.")


async def test_what_streams_is_stored_every_two_seconds_without_telling_the_page(store: StepStore) -> None:
    page, view = page_of_a_chat(), TurnView(ENGLISH)
    await view.show(ThinkingDelta("Half a tho"))
    emits = page.emits
    await store.until(lambda: len(store.steps) == 1)
    assert page.emits == emits
    (stored,) = store.steps.values()
    assert (stored["output"], stored["streaming"]) == ("Half a tho", False)
    await view.show(ThinkingDelta("ught."))
    await view.show(ThinkingEnded(2))
    await view.show(AnswerDelta("An ans"))
    await store.until(lambda: any(step["output"] == "An ans" for step in store.steps.values()))
    await view.show(AnswerDelta("wer."))
    await view.show(TurnEnded("answered", 4))
    await store.until(lambda: len(store.writes) == 5)
    assert [step["output"] for step in store.steps.values()][:2] == ["Half a thought.", "An answer."]
    assert store.writes.count("create") == 3
    assert page.answers == ["An answer."]


async def test_a_store_that_fails_ends_no_turn(store: StepStore) -> None:
    page, view = page_of_a_chat(), TurnView(ENGLISH)
    store.is_broken = True
    await view.show(AnswerDelta("An ans"))
    await store.until(lambda: bool(store.writes))
    await view.show(AnswerDelta("wer."))
    await view.show(TurnEnded("answered", 2))
    assert page.answers == ["An answer."]


async def test_what_is_short_is_stored_once(store: StepStore) -> None:
    await shown(ThinkingDelta("Hm."), ThinkingEnded(0), AnswerDelta("Yes."), TurnEnded("answered", 1))
    await store.until(lambda: len(store.steps) == 3)
    assert len(store.writes) == 3
