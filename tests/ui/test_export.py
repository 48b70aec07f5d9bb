import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.ui.card_samples import EVIL, read_page, sources
from ui.citations import Citations
from ui.export import ExportedTurn, Transcript, as_html, as_markdown, copyable, transcript_from_steps
from ui.markdown import escape_markdown
from ui.texts import CHINESE, ENGLISH

WORDS = ENGLISH.export
ANSWER = Citations(ENGLISH.cards, [*sources(), read_page()]).link("Trams run since **1875** [3].")[0]


def step(id_: str, kind: str, text: str = "", *, parent: str | None = None, name: str = "", icon: str = "") -> Any:
    metadata = {"icon": icon} if icon else {}
    when = "2026-11-04T14:15:03.000Z"
    return {
        "id": id_,
        "type": kind,
        "output": text,
        "parentId": parent,
        "name": name,
        "metadata": metadata,
        "createdAt": when,
    }


TURN = [
    step("r0", "run", name="on_chat_start"),
    step("hello", "undefined", parent="r0", name="Answered by a model", icon="plug"),
    step("q", "user_message", "How old are\nthe trams?"),
    step("r", "run", parent="q", name="on_message"),
    step("th", "llm", "They ask about *trams*.", parent="r", name="Thought for 4 s", icon="brain"),
    step("line", "undefined", parent="r", name="I will look.", icon="message-circle-dashed"),
    step("tool", "tool", "```\nfound\n```", parent="r", name="Searched the web: trams", icon="search"),
    step("card", "system_message", parent="tool", name="Searched the web: trams"),
    step("a", "assistant_message", ANSWER, parent="r", name="Thinkglass"),
    step("sum", "undefined", "| a | b |", parent="r", name="4 s · 1 tool", icon="timer"),
]


class Page(HTMLParser):
    """What a browser would find: tags with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_turn_is_read_from_its_steps() -> None:
    (turn,) = transcript_from_steps(TURN).turns
    assert (turn.turn_id, turn.question, turn.when) == ("q", "How old are\nthe trams?", "2026-11-04T14:15")
    assert [(step.kind, step.title, step.text) for step in turn.steps] == [
        ("thinking", "Thought for 4 s", "They ask about *trams*."),
        ("thought", "I will look.", ""),
        ("tool", "Searched the web: trams", "```\nfound\n```"),
        ("note", "4 s · 1 tool", ""),
    ]
    assert turn.answer == ANSWER
    assert [(source.number, source.title, source.url) for source in turn.sources] == [
        (3, "Trams in Oslo", "https://history.example/trams")
    ]


def test_steps_find_their_turn_though_two_questions_came_at_once() -> None:
    steps = [
        step("q1", "user_message", "One?"),
        step("q2", "user_message", "Two?"),
        step("r1", "run", parent="q1"),
        step("a1", "assistant_message", "One.", parent="r1"),
        step("r2", "run", parent="q2"),
        step("a2", "assistant_message", "Two.", parent="r2"),
        step("e2", "assistant_message", "It failed.", parent="r2"),
    ]
    turns = transcript_from_steps(steps).turns
    assert [(turn.question, turn.answer) for turn in turns] == [("One?", "One."), ("Two?", "Two.\n\nIt failed.")]


def test_steps_whose_run_is_unknown_belong_to_the_latest_question_and_none_to_no_question() -> None:
    steps = [
        step("x", "llm", "before"),
        step("q", "user_message", "Q"),
        step("a", "assistant_message", "A", parent="gone"),
    ]
    (turn,) = transcript_from_steps(steps).turns
    assert (turn.answer, turn.steps) == ("A", ())
    assert transcript_from_steps([]).turns == ()


def test_steps_as_a_database_gives_them_have_nulls() -> None:
    bare = {"id": "q", "type": "user_message", "output": None, "parentId": None, "name": None, "metadata": None}
    (turn,) = transcript_from_steps([bare, {**bare, "id": "t", "type": "tool", "parentId": "q"}]).turns
    assert (turn.question, turn.when, turn.steps[0].title) == ("", "", "")


def test_thinking_and_tools_can_be_left_out_and_one_turn_can_be_picked() -> None:
    transcript = transcript_from_steps([*TURN, step("q2", "user_message", "And buses?")])
    (turn,) = transcript.only("q").without("thinking", "thought", "tool").turns
    assert [step.kind for step in turn.steps] == ["note"]
    html = as_html(transcript.without("thinking", "tool"), WORDS)
    assert "They ask about" not in html
    assert "And buses?" in html


@pytest.mark.parametrize("words", [WORDS, CHINESE.export], ids=["en", "zh"])
def test_the_page_needs_nothing_else(words: Any) -> None:
    page = Page(as_html(transcript_from_steps(TURN), words))
    names = [tag for tag, _ in page.tags]
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(names)
    assert {"details", "strong", "time", "style"} <= set(names)
    assert page.tags[0] == ("html", {"lang": words.language})
    policy = next(attributes for tag, attributes in page.tags if attributes.get("http-equiv"))
    assert str(policy["content"]).startswith("default-src 'none'")
    style = re.search(r"<style>(.*?)</style>", as_html(transcript_from_steps(TURN), words), re.DOTALL)
    assert style
    assert "url(" not in style[1]
    assert "prefers-color-scheme: dark" in style[1]


def test_a_citation_leads_to_its_page_and_is_listed_below() -> None:
    page = Page(as_html(transcript_from_steps(TURN), WORDS))
    links = [attributes for tag, attributes in page.tags if tag == "a"]
    assert [(link["href"], link["rel"]) for link in links] == [
        ("https://history.example/trams", "noopener noreferrer nofollow")
    ] * 2
    assert links[0]["title"] == "Source 3: Trams in Oslo"


def test_words_of_strangers_are_text_wherever_they_stand() -> None:
    evil = (
        f"{EVIL} <script>alert(1)</script> </style> <svg onload=alert(1)> [a](javascript:alert(1)) <https://e.example>"
    )
    steps = [
        step("q", "user_message", evil),
        step("t", "llm", evil, parent="q", name=evil),
        step("l", "undefined", parent="q", name=evil, icon="message-circle-dashed"),
        step("a", "assistant_message", evil, parent="q"),
    ]
    page = Page(as_html(transcript_from_steps(steps), WORDS))
    names = {tag for tag, _ in page.tags}
    assert not {"script", "img", "svg", "b"} & names
    attributes = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in attributes if name.startswith("on")}
    assert {str(given["href"])[:8] for tag, given in page.tags if tag == "a"} <= {"https://"}
    assert page.text.count("<script>alert(1)</script>") >= 3


def test_a_formula_stays_as_it_was_written() -> None:
    answer = "So $a_1 * b_1 * c$ costs \\$5 * \\$6.\n\n$$\nx_1 < y_1\n$$"
    html = as_html(Transcript((ExportedTurn(turn_id="q", question="Q", answer=answer),)), WORDS)
    assert "<code>$a_1 * b_1 * c$</code> costs $5 * $6." in html
    assert "x_1 &lt; y_1" in html


def test_a_source_that_is_no_web_page_is_no_link() -> None:
    turn = transcript_from_steps(TURN).turns[0]
    (source,) = turn.sources
    odd = Transcript((replace(turn, answer="", sources=(replace(source, url="javascript:alert(1)"),)),))
    assert "a" not in {tag for tag, _ in Page(as_html(odd, WORDS)).tags}


def test_markdown_tells_the_same_story() -> None:
    assert as_markdown(transcript_from_steps(TURN), WORDS) == (
        "# Chat\n\n## Question · 2026-11-04 14:15\n\n> How old are\n> the trams?\n\n**Thought for 4 s**\n\n"
        "> They ask about *trams*.\n\nI will look.\n\n**Searched the web: trams**\n\n> ```\n> found\n> ```\n\n"
        "**4 s · 1 tool**\n\n## Answer\n\nTrams run since **1875** [3].\n\n**Sources**\n\n"
        "- \\[3\\] [Trams in Oslo](<https://history.example/trams>)\n\n*Saved from Thinkglass*\n"
    )


def test_markdown_lets_no_html_in() -> None:
    turn = ExportedTurn(turn_id="q", question="Q", answer=escape_markdown("a < b and <script>alert(1)</script> `<b>`"))
    text = as_markdown(Transcript((turn,)), WORDS)
    assert "\\<script>" in text
    assert "`<b>`" in text


@pytest.mark.parametrize(
    "words",
    [
        "![a](https://evil.example/x.png)",
        "![a\n](https://evil.example/x.png)",
        "![a](<https://evil.example/x y.png>)",
        "![a][b]\n\n[b]: https://evil.example/x.png",
        "[a](javascript:alert(1))",
        "[a]\n\n[a]: javascript:alert(1)",
        "[a]: <data:text/html,x>\n\n[a]",
        "<img src=https://evil.example/x.png>",
    ],
)
def test_other_readers_of_the_markdown_fetch_and_run_nothing(words: str) -> None:
    turn = ExportedTurn(turn_id="q", question=words, answer=escape_markdown(words))
    html = MarkdownIt("commonmark", {"html": True}).render(as_markdown(Transcript((turn,)), WORDS))
    assert not re.search(r"<img|href=.(?:javascript|data)", html)


@pytest.mark.parametrize(
    "answer",
    [
        "key:value at localhost:port, `a:b`",
        "it costs $5, or 5~10 euros",
        "a < b, <b>bold</b>",
        "```\nkey:value\n```\n\nthen key:value",
        "> ```\n> a:b\n> ```\n\n~~~\nc:d\n~~~\n",
        "**“中文”**后面",
        "see [1] and [9], a[1]",
    ],
)
def test_a_copy_is_what_the_model_wrote(answer: str) -> None:
    content, _ = Citations(ENGLISH.cards, list(sources())).link(escape_markdown(answer))
    assert copyable(content) == answer


@given(st.text(alphabet="ab :.\n`-=$~", max_size=80))
def test_a_copy_never_holds_our_backslashes(answer: str) -> None:
    assert "\\" not in copyable(escape_markdown(answer))


@pytest.mark.parametrize("piece", ["`", "$", "$a", "[", "> ", "\\", "- `", "&#", "~~~\n", "[1](https://a.example/ "])
def test_no_answer_takes_long(piece: str) -> None:
    turn = ExportedTurn(turn_id="q", question="Q", answer=piece * (20_000 // len(piece)))
    began = time.process_time()
    as_html(Transcript((turn,)), WORDS)
    as_markdown(Transcript((turn,)), WORDS)
    assert time.process_time() - began < 5
