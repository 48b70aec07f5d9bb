import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tools.cards import SourceCard
from ui.citations import Citations, uncited
from ui.citations.marks import read_marks
from ui.markdown import escape_markdown
from ui.texts import CHINESE, ENGLISH


def source(number: int, title: str = "A title", *, text: str = "text", was_read: bool = False) -> SourceCard:
    return SourceCard(title, f"https://a.example/{number}", "a.example", text, number=number, was_read=was_read)


CITATIONS = Citations(ENGLISH.cards, [source(1), source(2), source(3, was_read=True), source(12)])


def marked(answer: str) -> str:
    """The answer with each link to a source as ⟨number⟩."""
    content, _ = CITATIONS.link(answer)
    for number in (1, 2, 3, 12):
        content = content.replace(f'[{number}](https://a.example/{number} "Source {number}: A title")', f"⟨{number}⟩")
    return content


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("It opened in 1894 [1].", "It opened in 1894 ⟨1⟩."),
        ("It opened [1][2] then [12].", "It opened ⟨1⟩⟨2⟩ then ⟨12⟩."),
        ("both [1, 2], [1,2], [1; 2], [1，2]", "both ⟨1⟩⟨2⟩, ⟨1⟩⟨2⟩, ⟨1⟩⟨2⟩, ⟨1⟩⟨2⟩"),
        ("all of [1-3] and [2–3]", "all of ⟨1⟩⟨2⟩⟨3⟩ and ⟨2⟩⟨3⟩"),
        ("【1】［2］ 【1】【3】", "⟨1⟩⟨2⟩ ⟨1⟩⟨3⟩"),
        ("rows【1】 values［2］ data[^3]", "rows⟨1⟩ values⟨2⟩ data⟨3⟩"),
        ("【1†source】【2†L3-L9】", "⟨1⟩⟨2⟩"),
        ("[^1] and [^1][^2]", "⟨1⟩ and ⟨1⟩⟨2⟩"),
        ("[citation:1] [来源 2] [Source 3]", "⟨1⟩ ⟨2⟩ ⟨3⟩"),
        ("博物馆开放[1]，免费【2】。", "博物馆开放⟨1⟩，免费⟨2⟩。"),
        ("the museum[1]. In 1894[2], café[3]", "the museum⟨1⟩. In 1894⟨2⟩, café⟨3⟩"),
        ('"quoted"[1] **bold**[2] (UNESCO)[3] 40 %[1]', '"quoted"⟨1⟩ **bold**⟨2⟩ (UNESCO)⟨3⟩ 40 %⟨1⟩'),
        ("in the UK[1], by NASA[2] in the 1990s[3]", "in the UK⟨1⟩, by NASA⟨2⟩ in the 1990s⟨3⟩"),
        ("([1]) and (see [2])", "(⟨1⟩) and (see ⟨2⟩)"),
        ("- [1]\n- b [2]\n\n> quoted [3]", "- ⟨1⟩\n- b ⟨2⟩\n\n> quoted ⟨3⟩"),
        ("| a | b |\n|---|---|\n| x [1] | y[2] |", "| a | b |\n|---|---|\n| x ⟨1⟩ | y[2] |"),
        ("## About [1]", "## About ⟨1⟩"),
        ("Great![1]", "Great\\!⟨1⟩"),
    ],
)
def test_marks_become_links_to_their_sources(answer: str, shown: str) -> None:
    assert marked(answer) == shown


@pytest.mark.parametrize(
    "answer",
    [
        "no source has [9], [0], [1234] or []",
        "a[1], A[1], ROWS[1], abc[1], MAX_ROWS[1]",
        "arr[1], items[2], x2[1], my_list[1], m[1][2], np.array[1], userNames[2], f(x)[1], self.rows[1]",
        "the list x = [1, 2] and [[1, 2], [3, 12]]",
        "in code `[1]`, `` a ` [1] `` and\n\n```\n[1]\n```\n\n~~~python\nx = [1]\n~~~",
        "> ```\n> [1]\n> ```\n\n- a\n\n  ```\n  [2]\n  ```",
        "text\n\n    indented [1]\n\ntext",
        "```\nnever closed [1]",
        "[1](https://b.example/) and [see [1]](https://b.example/) and ![1](https://b.example/x.png)",
        "[text][1] and https://b.example/[1] and <https://b.example/[1]>",
        '[1]: https://b.example/ "The model\'s own"',
        "\\[1\\] and \\[1]",
        "$[1]$ and /[1] and #[1]",
        "[1 [2 [3",
    ],
)
def test_what_is_no_mark_stays_as_it_was_written(answer: str) -> None:
    assert CITATIONS.link(answer) == (answer, [])


def test_a_number_without_a_source_stays_beside_one_that_has_one() -> None:
    assert marked("both [1, 9]") == "both ⟨1⟩[9]"


def test_only_what_is_cited_is_listed_each_once_and_by_number() -> None:
    _, cited = CITATIONS.link("Trams [3], buses [1][3] and `[2]`.")
    assert [card.number for card in cited] == [1, 3]


def test_what_was_read_says_more_than_what_was_found_in_whatever_order_they_came() -> None:
    found, read = source(1, text="excerpt"), source(1, text="all of it", was_read=True)
    for display in ((found, read), (read, found), (found, read, found)):
        citations = Citations(ENGLISH.cards)
        citations.note(display)
        assert citations.link("x [1]")[1] == [read]


def test_sources_of_earlier_turns_can_be_cited_and_anything_else_is_no_source() -> None:
    citations = Citations(ENGLISH.cards, [source(1)])
    citations.note((source(2), "a picture", SourceCard("t", "javascript:alert(1)", "", "", number=3, was_read=False)))
    assert [card.number for card in citations.link("[1][2][3]")[1]] == [1, 2]


HOSTILE = '"><b>` *x* | [y](javascript:alert(1)) \\ &quot; _ ![z](https://evil.example/p) :w ~~v~~'


@pytest.mark.parametrize("answer", ["It is so [1].", "| a |\n|---|\n| x [1] |"])
@pytest.mark.parametrize(
    "url", ["https://a.example/p_(x)|y", "https://a.example/?a=1&copy;=2#`x", "https://例.example/ü\\"]
)
def test_words_of_strangers_cannot_break_out_of_the_link(answer: str, url: str) -> None:
    card = SourceCard(HOSTILE, url, "a.example", "", number=1, was_read=False)
    content, _ = Citations(ENGLISH.cards, [card]).link(answer + " ` and `")
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(content)
    inline = [child for token in tokens for child in token.children or []]
    (link,) = (token for token in inline if token.type == "link_open")
    assert link.attrGet("title") == f"Source 1: {HOSTILE}"
    assert str(link.attrGet("href")).startswith("https://")
    assert not [token for token in inline if token.type in ("html_inline", "image", "em_open")]


@given(st.text(alphabet="ab .[]()`129\n!\\|$>", max_size=120))
def test_reading_marks_loses_nothing(answer: str) -> None:
    assert "".join(text for text, _ in read_marks(answer)) == answer


@given(st.text(alphabet="ab .[]()`1239\n!\\|*:-", max_size=120))
def test_the_marks_of_any_text_can_be_taken_back(answer: str) -> None:
    content, _ = CITATIONS.link(answer)
    again, _ = CITATIONS.link(uncited(content))
    assert again == content


def test_marks_are_taken_back_in_both_languages() -> None:
    for texts in (ENGLISH, CHINESE):
        content, _ = Citations(texts.cards, [source(1, "T: “x” [y]")]).link("So [1], wow![1].")
        assert "https://a.example/1" in content
        assert uncited(content) == "So [1], wow![1]."


def test_an_answer_that_is_escaped_for_the_renderer_keeps_its_links() -> None:
    answer = "At localhost:port [1], for $5 to $10 [2], $x[1]$ and \\(y[2] + [3]\\) with key:value【3】. Wow![1]"
    assert marked(escape_markdown(answer)) == (
        "At localhost\\:port ⟨1⟩, for \\$5 to \\$10 ⟨2⟩, $x[1]$ and $y[2] + [3]$ with key\\:value⟨3⟩. Wow\\!⟨1⟩"
    )


@pytest.mark.parametrize(
    "piece", ["[", "[1", "[a](", "`", "``` ", "[[a]", "> ", "\\", "$", "$a", "a[1]", "[1]: ", "https://", "<"]
)
def test_no_answer_takes_long(piece: str) -> None:
    answer = piece * (40_000 // len(piece))
    began = time.process_time()
    CITATIONS.link(answer)
    assert time.process_time() - began < 3
