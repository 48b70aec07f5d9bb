import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.markdown import MarkdownEscaper, escape_markdown

DIRECTIVES = [
    ("key:value", "key\\:value"),
    ("localhost:port and 12:30 and a:b", "localhost\\:port and 12:30 and a\\:b"),
    ('{"a":true}', '{"a"\\:true}'),
    ("::leaf", ":\\:leaf"),
    ("std::vector", "std:\\:vector"),
    ("时间:now 天气：好", "时间\\:now 天气：好"),
    (":::note\na\n:::", "::\\:note\n\na\n:::\n"),
    ("already \\:done and \\`a:b", "already \\:done and \\`a\\:b"),
    ("two \\\\ a:b", "two \\\\ a\\:b"),
    ("[a]: b, [^1]: c", "[a]\\: b, [^1]\\: c"),
    ("ends:", "ends:"),
    ("", ""),
]
CODE = [
    ("`a:b` c:d", "`a:b` c\\:d"),
    ("``a:` b:c`` d:e", "``a:` b:c`` d\\:e"),
    ("`a\\` b:c", "`a\\` b\\:c"),
    ("a ` b:c", "a \\` b\\:c"),
    ("a ` b:c\n\nd:e `f:g`", "a \\` b\\:c\n\nd\\:e `f:g`"),
    ("`a:b\nc:d` e:f", "`a:b\nc:d` e\\:f"),
    ("```py\na:b\n```\nc:d", "```py\na:b\n```\nc\\:d"),
    ("~~~\na:b\n```\nc:d\n~~~\ne:f", "~~~\na:b\n```\nc:d\n~~~\ne\\:f"),
    ("````\n```\na:b\n````\nc:d", "````\n```\na:b\n````\nc\\:d"),
    ("- ```\n  a:b\n  ```\n- c:d", "- ```\n  a:b\n  ```\n- c\\:d"),
    ("> ```\n> a:b\nc:d", "> ```\n> a:b\nc\\:d"),
    ("a\n\n    b:c\n\nd:e", "a\n\n    b:c\n\nd\\:e"),
    ("a\n    b:c", "a\n    b\\:c"),
    ("1. a\n\n   b:c\n\n       d:e", "1. a\n\n   b\\:c\n\n       d:e"),
    ("```math\nx\n```", "```latex\nx\n```"),
    ("| `a|b` | c:d |\n|---|---|\n| `e|f` | g |", "| `a\\|b` | c\\:d |\n|---|---|\n| `e\\|f` | g |"),
]
NOT_MARKUP = [
    ("$5 to $10", "\\$5 to \\$10"),
    ("US$5-US$6, $HOME/bin:$PATH", "US\\$5-US\\$6, \\$HOME/bin:\\$PATH"),
    ("$5/mo or 6$; $1,000$", "\\$5/mo or 6\\$; \\$1,000\\$"),
    ("echo $$ and $$$", "echo \\$\\$ and \\$\\$\\$"),
    ("5~10, ~~old~~, ~~~", "5\\~10, ~~old~~, \\~\\~\\~"),
    ("<b>a:b</b> 1 < 2", "\\<b>a\\:b\\</b> 1 \\< 2"),
    ("a\u200bb&#8203;c&#x200B;d&amp;e", "abcd&amp;e"),
    ("a\n---\nb\n===", "a\n\n---\nb\n\\==="),
    ("- a\n- ---\nb", "- a\n- ---\nb"),
]
LINKS = [
    ("https://a.b/c:d, e", "<https://a.b/c:d>, e"),
    ("(https://a.b/c_(d)) https://a_b.c:x.", "(<https://a.b/c_(d)>) <https://a_b.c:x>."),
    ("见https://a.b/c。", "见<https://a.b/c>。"),
    ("[a:b](https://a.b/c:d)", "[a\\:b](https://a.b/c:d)"),
    ("[https://a.b:80/c:d](https://a.b)", "[https\\://a.b:80/c\\:d](https://a.b)"),
    ("<https://a.b/c:d> <me@a.b> <javascript:x>", "<https://a.b/c:d> <me@a.b> \\<javascript\\:x>"),
    ("www.a.b:c mailto:me@a.b", "www\\.a.b\\:c mailto\\:me@a.b"),
    ("[x](javascript:y) [z](data:w)", "[x\\](javascript\\:y) [z\\](data\\:w)"),
    ("![cat](https://a.b/c.png)", "[cat](<https://a.b/c.png>)"),
    ("![](https://a.b/c.png)", "[https\\://a.b/c.png](<https://a.b/c.png>)"),
    ("![cat](data:image/png;base64,x) wow!", "cat wow!"),
    ("[![b](https://i.b/a.svg)](https://a.b)", "[b](<https://a.b>)"),
]
CHINESE = [
    ("**“中文”**后面", "**“中文”**&#21518;面"),
    ("他说**“中文”**，", "他&#35828;**“中文”**，"),
    ("**《甲》**和**《乙》**", "**《甲》**&#21644;**《乙》**"),
    ("~~“删”~~后", "~~“删”~~&#21518;"),
    ('foo**"bar"**baz **a** b', 'foo**"bar"**baz **a** b'),
]
FORMULAS = [
    (r"\( a_1 \) and \(b\)", "$a_1$ and $b$"),
    ("$E=mc^2$, $x$, $f(x)$, $2x$ and $n$th", "$E=mc^2$, $x$, $f(x)$, $2x$ and $n$th"),
    ("$x=1$ so $2$", "$x=1$ so $2$"),
    ("\\[\na\n= b % note\n\\]\nc", "$$\na = b\n$$\nc"),
    ("so \\[ a = b \\] c", "so \n$$\na = b\n$$\nc"),
    ("> so \\[ a = b \\]\n> c:d", "> so \n> $$\n> a = b\n> $$\n> c\\:d"),
    ("- \\[\n  a = b\n  \\]\n- c", "- $$\n  a = b\n  $$\n- c"),
    ("$$a$$", "$$\na\n$$"),
    ("| $|x|$ | $$y$$ |\n|---|---|", "| $\\vert x\\vert$ | $\\displaystyle y$ |\n|---|---|"),
    ("\\begin{align}a&=b\\end{align}", "$$\n\\begin{align}a&=b\\end{align}\n$$"),
    (r"\(\text{$5}\)", r"$$\text{$5}$$"),
    (r"\[1\] and \[a\](b)", r"\[1\] and \[a\](b)"),
    (r"\( never closed", r"\\( never closed"),
    ("`$x$` \\$x\\$", "`$x$` \\$x\\$"),
]
REPEATED = [
    "`a:b `` ",
    "$5 a$ ",
    "\\( ",
    "\\[ a ",
    "![a",
    "[a](b) <a>",
    "https://a.b/",
    "**“x”**中",
    "<",
    "a:b\n",
    "- ",
    ">",
]
CASES = DIRECTIVES + CODE + NOT_MARKUP + LINKS + CHINESE + FORMULAS


def streamed(text: str, size: int) -> str:
    escaper = MarkdownEscaper()
    return "".join(escaper.feed(text[i : i + size]) for i in range(0, len(text), size)) + escaper.finish()


def as_looked_at(shown: str) -> str:
    """Without the difference between the two ways to help emphasis, which nobody sees."""
    return re.sub("&#(\\d+);", lambda found: chr(int(found[1])), shown.replace("\ufeff", ""))


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_a_whole_text(text: str, shown: str) -> None:
    assert escape_markdown(text).strip() == shown.strip()


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_a_streamed_text_looks_alike(text: str, size: int) -> None:
    assert as_looked_at(streamed(text, size)) == as_looked_at(escape_markdown(text))


@given(st.text(alphabet="ab:` \n\\~-1.>$*[](!<|中“：/h", max_size=60), st.integers(1, 7))
def test_cuts_do_not_matter(text: str, size: int) -> None:
    assert as_looked_at(streamed(text, size)) == as_looked_at(escape_markdown(text))


@given(st.text(alphabet="ab:` \n~-1.>*#|中，", max_size=60))
def test_no_character_is_lost(text: str) -> None:
    bare = re.sub(r"[\\\s]", "", as_looked_at(escape_markdown(text)))
    assert bare == re.sub(r"[\\\s]", "", text)


@pytest.mark.parametrize(
    "closed",
    [
        *("\\( x_1 \\)", "$x_1$", "$$\nx_1\n$$", "`a:b`", "![a](https://b.c)", "https://b.c/d "),
        *("**b c**", "*b*", "***b***", "~~b~~", "**b *c* d**", "**`b`:c**"),
    ],
)
def test_nothing_half_is_ever_shown(closed: str) -> None:
    escaper = MarkdownEscaper()
    wanted = escape_markdown(f"a {closed}")[2:].strip()
    assert any(wanted in escaper.feed(character) for character in f"a {closed}\nbcd")


def test_what_is_no_emphasis_is_not_kept_back_for_long() -> None:
    escaper = MarkdownEscaper()
    assert escaper.feed("2 * 3 and\na *b\n") == "2 * 3 and\na *b\n"
    assert escaper.feed("**" + "long " * 50).startswith("**long")


@pytest.mark.parametrize("piece", REPEATED)
def test_a_long_text_takes_linear_time(piece: str) -> None:
    def seconds(chars: int) -> float:
        began = time.perf_counter()
        streamed(piece * (chars // len(piece)), 40)
        return time.perf_counter() - began

    assert seconds(200_000) < 20 * seconds(25_000) + 0.5
