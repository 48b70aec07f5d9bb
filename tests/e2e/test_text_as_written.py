"""What a model writes, as people read it: the real app in a real Chromium, while the text comes and at its end."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser import answered, ask, browsing
from tests.e2e.running_app import RunningApp
from tests.provider.replies import stream
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.e2e

ANSWER = '[data-step-type="assistant_message"] .message-content'
KEEP_FRAMES = f"""
window.frames_seen = new Set();
const look = () => {{
    const all = document.querySelectorAll('{ANSWER}');
    if (all.length) window.frames_seen.add(all[all.length - 1].innerText);
    window.had_errors ||= Boolean(document.querySelector('.katex-error'));
    requestAnimationFrame(look);
}};
look();
"""
FORMULAS = f"""
[...[...document.querySelectorAll('{ANSWER}')].at(-1).querySelectorAll('.katex annotation')].map(tex =>
    (tex.closest('.katex-display') ? 'display ' : '') + tex.textContent)
"""

AS_WRITTEN = [
    "key:value, localhost:port, 12:30, x[a:b], std::vector and 时间:now",
    '{"a":true,"b":[1,{"c":null}]}',
    "::leaf and :name[label]{a=b}",
    "mailto:me@example.org",
    "$5 to $10, US$5-US$6, 5$ and 6$, $HOME/bin:$PATH, $5/mo or 6$",
    "5~10 kg, 3~5 days, about ~5~",
    "<b>bold</b> <script>alert('a:b')</script> <img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) and <javascript:alert(1)>",
    "See [1] and[^1], and [Answer]: yes",
    "C:\\Users\\me and \\alpha and a lone ` tick:x",
    "https://example.org:8080/a:b?c=$d&e=~f and www.example.org:port, https://exa_mple.org:x.",
]
SHOWN = [
    ("`a:b` and ``c:` $d`` then e:f", "a:b and c:` $d then e:f"),
    ("```py\na:b $1 ~2~ <c>\n```", "py\na:b $1 ~2~ <c>"),
    ("~~~\na:b\n```\n~~~\nc:d", "a:b\n```\n\nc:d"),
    ("- one:\n  ```\n  a:b\n  ```\n- c:d", "one:\na:b\n\nc:d"),
    ("> quoted:text\n> ```\n> a:b\n> ```", "quoted:text\na:b"),
    ("Text:\n\n    indented:code $x$", "Text:\nindented:code $x$"),
    ("```py\nnever:closed", "py\nnever:closed"),
    (
        "他说**“中文”**后面，**《书》**和~~“旧”~~，Python**（推荐）**好",
        "他说“中文”后面，《书》和“旧”，Python（推荐）好",
    ),
    ("a\u200bb&#8203;c&ZeroWidthSpace;d", "abcd"),
    ("官网：https://example.org/a:b。谢谢", "官网：https://example.org/a:b。谢谢"),
    ("![A cat](https://example.org/cat.png) ![](https://example.org/x.png)", "A cat https://example.org/x.png"),
    ("[![badge](https://img.example/b.svg)](https://example.org)", "badge"),
    ("Total: 5\n---\nnext", "Total: 5\nnext"),
    ("| a:b | `x|y` |\n|---|:-:|\n| k:v | `p|q` |", "a:b\tx|y\nk:v\tp|q"),
    (":::note\nhello\n:::", ":::note\nhello\n:::"),
]
WITH_FORMULAS = [
    (r"Energy \( E = mc^2 \), $x$ and $\alpha$.", ["E = mc^2", "x", r"\alpha"]),
    ("So \\[\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}\n\\] done",
     [r"display \begin{aligned} a &= b \\ c &= d \end{aligned}"]),
    ("$$\nx^2\n$$", ["display x^2"]),
    ("- one $$y_1 = 2$$\n- two", ["display y_1 = 2"]),
    ("| f | \\(|x|\\) |\n|---|---|\n| $a|b$ | 1 |", [r"\vert x\vert", r"a\vert b"]),
]  # fmt: skip


async def shown(page: Page, provider: ProviderServer, text: str) -> str:
    """How the page shows the text at the end, after it came in small pieces."""
    before = await page.locator(ANSWER).count()
    provider.add(stream("Answer: " + text, size=3, pause=0.004))
    await ask(page, "Go on")
    await expect(page.locator(ANSWER)).to_have_count(before + 1)
    await answered(page)
    return (await page.locator(ANSWER).last.inner_text()).strip()


async def test_text_stands_as_written(app: RunningApp, provider: ProviderServer) -> None:
    async with browsing(app.url) as (page, watch):
        await page.evaluate(KEEP_FRAMES)
        table = [(text, text) for text in AS_WRITTEN] + SHOWN
        for text, wanted in table:
            assert await shown(page, provider, text) == wanted
        frames = await page.evaluate("[...frames_seen]")
    assert not [frame for frame in frames if re.search(r"\\[:$~<\]]|&#|\*\*", frame)]
    assert watch.foreign == []
    assert watch.errors == []


async def test_formulas_are_set_with_our_own_fonts_and_never_half(app: RunningApp, provider: ProviderServer) -> None:
    async with browsing(app.url) as (page, watch):
        await page.evaluate(KEEP_FRAMES)
        for text, formulas in WITH_FORMULAS:
            await shown(page, provider, text)
            assert await page.evaluate(FORMULAS) == formulas
        assert await page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Math'))")
        assert not await page.evaluate("had_errors")
        frames = await page.evaluate("[...frames_seen]")
    assert not [frame for frame in frames if "$$" in frame or "\\[" in frame or "\\(" in frame]
    assert watch.foreign == []
    assert watch.errors == []
