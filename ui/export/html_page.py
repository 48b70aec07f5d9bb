"""A transcript as one HTML page that needs nothing else: no scripts, no requests, light and dark. Pure.

All text goes through `escape` or through a Markdown renderer that knows no HTML and no pictures.
"""

import re
from collections.abc import Iterator, MutableMapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from ui.export.transcript import ExportedStep, ExportedTurn, StepKind, Transcript
from ui.texts.export import ExportWords

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_FORMULA = re.compile(r"(?<!\$)(\${1,3})(?!\$)(?:\\.|[^\\])+?(?<!\$)\1(?!\$)", re.DOTALL)
_STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf7; --card: #fff; --text: #20292d; --quiet: #5b676d; --line: #e2ded5;
  --accent: #17697d; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181a; --card: #1c2224; --text: #e6e3dc; --quiet: #9ba4a8;
  --line: #2e363a; --accent: #7cc5d3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.1rem 4rem; max-width: 44rem; background: var(--ground); color: var(--text);
  font: 1rem/1.65 ui-sans-serif, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei",
  "Noto Sans CJK SC", system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.2rem; } h3 { font-size: 1.05rem; } h1, h2, h3, h4 { line-height: 1.35; }
a { color: var(--accent); text-underline-offset: .2em; }
article { margin-top: 2.5rem; } footer { margin-top: 3rem; }
time, footer, .note { color: var(--quiet); font-size: .8125rem; }
.question { width: fit-content; max-width: 86%; margin: .3rem 0 1.2rem auto; padding: .6rem 1rem;
  border-radius: 1.25rem; background: color-mix(in srgb, var(--line) 55%, transparent); white-space: pre-wrap; }
details, .thought { margin: .35rem 0; color: var(--quiet); font-size: .875rem; } summary { cursor: pointer; }
details > div { margin: .4rem 0 .8rem; padding-left: .9rem; border-left: 2px solid var(--line); }
pre, code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em; } pre code { font-size: 1em; }
pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card);
  overflow-x: auto; } :not(pre) > code { padding: .1em .35em; border-radius: .35em;
  background: color-mix(in srgb, var(--line) 55%, transparent); }
blockquote { margin: 1em 0; padding-left: 1rem; border-left: 2px solid var(--line); color: var(--quiet); }
table { display: block; width: fit-content; max-width: 100%; border-collapse: collapse; overflow-x: auto; }
th, td { padding: .4rem .8rem; border-bottom: 1px solid var(--line); text-align: start; }
a.cite { margin: 0 .1em; padding: 0 .35rem; border-radius: .6rem;
  background: color-mix(in srgb, var(--line) 70%, transparent);
  font-size: .7rem; font-weight: 600; text-decoration: none; vertical-align: .15em; }
.sources { margin-top: 1.2rem; padding-top: .6rem; border-top: 1px solid var(--line); font-size: .875rem; }
.sources ul { margin: .3rem 0; padding: 0; list-style: none; }
"""


def as_html(transcript: Transcript, words: ExportWords) -> str:
    """The transcript as one page. Thinking and tools are folded; opening them needs no script."""
    markdown = _markdown()
    turns = "\n".join(_turn(turn, words, markdown) for turn in transcript.turns)
    title = _title(transcript, words)
    return (
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{turns}\n<footer>{escape(words.saved_by)}</footer>\n</body>\n</html>\n"
    )


def _title(transcript: Transcript, words: ExportWords) -> str:
    first = " ".join(transcript.turns[0].question.split()) if transcript.turns else ""
    return first if 0 < len(first) <= 80 else f"{first[:79]}…" if first else words.title


def _turn(turn: ExportedTurn, words: ExportWords, markdown: MarkdownIt) -> str:
    return "\n".join(["<article>", *_parts(turn, words, markdown), "</article>"])


def _parts(turn: ExportedTurn, words: ExportWords, markdown: MarkdownIt) -> Iterator[str]:
    if turn.when:
        yield f'<time datetime="{escape(turn.when)}">{escape(turn.when.replace("T", " "))}</time>'
    yield f'<div class="question" aria-label="{escape(words.question)}">{escape(turn.question)}</div>'
    for step in turn.steps:
        yield _step(step, markdown)
    if turn.answer:
        yield f'<section aria-label="{escape(words.answer)}">{markdown.render(turn.answer)}</section>'
    if turn.sources:
        links = (f"<li>[{s.number}] {_link(s.url, s.title)}</li>" for s in turn.sources)
        yield f'<nav class="sources"><b>{escape(words.sources)}</b><ul>{"".join(links)}</ul></nav>'


def _step(step: ExportedStep, markdown: MarkdownIt) -> str:
    if not step.text.strip():
        return f'<p class="{_class(step.kind)}">{escape(step.title)}</p>'
    return f"<details><summary>{escape(step.title)}</summary><div>{markdown.render(step.text)}</div></details>"


def _class(kind: StepKind) -> str:
    return "thought" if kind == "thought" else "note"


def _link(url: str, title: str) -> str:
    if not url.startswith(("http://", "https://")):
        return escape(title)
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{escape(title)}</a>'


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    markdown.inline.ruler.before("backticks", "formula", _formula)
    markdown.add_render_rule("link_open", _open_link)
    return markdown


def _formula(state: StateInline, silent: bool) -> bool:
    """A formula stays as it was written: a page without scripts cannot set it."""
    found = _FORMULA.match(state.src, state.pos)
    if found and not silent:
        state.push("code_inline", "code", 0).content = found[0]
    if found:
        state.pos = found.end()
    return found is not None


def _open_link(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    if tokens[at].attrGet("title") and tokens[at + 1].content.isdecimal():
        tokens[at].attrSet("class", "cite")
    return self.renderToken(tokens, at, options, env)
