import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.markdown import MarkdownEscaper, escape_markdown

CASES = [
    ("key:value", "key\\:value"),
    ("localhost:port and 12:30 and a:b", "localhost\\:port and 12:30 and a\\:b"),
    ('{"a":true}', '{"a"\\:true}'),
    ("::leaf", ":\\:leaf"),
    ("std::vector", "std:\\:vector"),
    ("https://example.org/a:b", "https://example.org/a\\:b"),
    ("时间:now 天气：好", "时间\\:now 天气：好"),
    ("`a:b` c:d", "`a:b` c\\:d"),
    ("``a:` b:c`` d:e", "``a:` b:c`` d\\:e"),
    ("a ` b:c", "a ` b\\:c"),
    ("a ` b:c\n\nd:e `f:g`", "a ` b\\:c\n\nd\\:e `f:g`"),
    ("```py\na:b\n```\nc:d", "```py\na:b\n```\nc\\:d"),
    ("~~~\na:b\n```\nc:d\n~~~\ne:f", "~~~\na:b\n```\nc:d\n~~~\ne\\:f"),
    ("````\n```\na:b\n````\nc:d", "````\n```\na:b\n````\nc\\:d"),
    ("- ```\n  a:b\n  ```\n- c:d", "- ```\n  a:b\n  ```\n- c\\:d"),
    ("> ```\n> a:b\n> ```\nc:d", "> ```\n> a:b\n> ```\nc\\:d"),
    ("already \\:done and \\`a:b", "already \\:done and \\`a\\:b"),
    ("`a\\` b:c", "`a\\` b\\:c"),
    ("two \\\\ a:b", "two \\\\ a\\:b"),
    ("ends:", "ends:"),
    ("", ""),
]
BALANCED = [case for case in CASES if "a ` b" not in case[0] and "\\`a:b" not in case[0]]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_a_whole_text(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize(("text", "shown"), BALANCED)
def test_a_streamed_text_is_escaped_alike(text: str, shown: str, size: int) -> None:
    escaper = MarkdownEscaper()
    out = [escaper.feed(text[i : i + size]) for i in range(0, len(text), size)]
    assert "".join(out) + escaper.finish() == shown


@given(st.text(alphabet="ab:` \n\\~-1.>", max_size=60), st.integers(1, 7))
def test_nothing_is_lost_and_cuts_do_not_matter(text: str, size: int) -> None:
    escaper, whole = MarkdownEscaper(), MarkdownEscaper()
    cut = "".join(escaper.feed(text[i : i + size]) for i in range(0, len(text), size)) + escaper.finish()
    assert cut == whole.feed(text) + whole.finish()
    for shown in (cut, escape_markdown(text)):
        assert shown.replace("\\:", ":") == text.replace("\\:", ":")


def test_a_long_text_takes_linear_time() -> None:
    text = "`" + "a:b `` " * 40_000
    assert len(escape_markdown(text)) > len(text)
