"""Marks like `[1]` in an answer become links to the chat's sources. Knows Chainlit's Markdown, not who found a source.

A mark is a link of Markdown's own, to the page itself: so it is right wherever the answer is copied to. On the page,
the script of the element below the answer opens the source's text instead.
"""

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

import chainlit as cl

from tools.cards import SourceCard
from ui.cards.props import address, source_props
from ui.citations.marks import read_marks
from ui.revealed import without_hidden
from ui.texts.cards import CardWords

CITATIONS = "Citations"
"""The element below the answer, named after its script in `public/elements`."""

_CITED = re.compile(r'(?:\\(!))?\[(\d{1,3})\]\((https?://[^\s()"]+) "[^\W\d]+ ?\2[:：] ?([^"\n]*)"\)')


class Citations:
    """The sources of one chat, and the answers that cite them. `known` are those of its earlier turns."""

    def __init__(self, words: CardWords, known: Iterable[SourceCard] = ()) -> None:
        self._words = words
        self._sources: dict[int, SourceCard] = {}
        self.note(known)

    def note(self, display: Iterable[Any]) -> None:
        """Remember the sources among what a tool gave; what was read says more than what a search found of it."""
        for card in display:
            if not isinstance(card, SourceCard) or not card.url.startswith(("http://", "https://")):
                continue
            known = self._sources.get(card.number)
            if known is None or card.was_read or not known.was_read:
                self._sources[card.number] = card

    def finish(self, answer: str) -> tuple[str, list[cl.CustomElement]]:
        """The answer as `link` gives it, and the element below it that shows the sources it cites."""
        content, cited = self.link(answer)
        if not cited:
            return answer, []
        return content, [cl.CustomElement(name=CITATIONS, props=source_props(cited, self._words))]

    def link(self, answer: str) -> tuple[str, list[SourceCard]]:
        """The answer with its marks as links, and the sources that it cites, by number.

        `answer` is the whole of it, escaped for the renderer.
        """
        out, cited = [""], dict[int, SourceCard]()
        for text, numbers in read_marks(answer):
            found = {number: self._sources[number] for number in numbers if number in self._sources}
            if found:
                out[-1] = _no_picture(out[-1])
                text = "".join(self._link(found[n]) if n in found else f"[{n}]" for n in numbers)
            cited |= found
            out.append(text)
        return "".join(out), [cited[number] for number in sorted(cited)]

    def _link(self, card: SourceCard) -> str:
        title = self._words.source.format(number=card.number, title=_as_title(without_hidden(card.title)))
        return f'[{card.number}]({address(card.url).replace("&", "&amp;")} "{title}")'


def uncited(content: str) -> str:
    """The answer with its marks as `[1]` again."""
    return _CITED.sub(r"\1[\2]", content)


def cited_in(content: str) -> list[tuple[int, str, str]]:
    """Number, title and address of each source that the answer cites, by number."""
    cited = {int(mark[2]): (unescape(mark[4]), unescape(mark[3])) for mark in _CITED.finditer(content)}
    return [(number, *cited[number]) for number in sorted(cited)]


def _no_picture(before: str) -> str:
    """What stands before a link: an exclamation mark would make a picture of it."""
    return before[:-1] + "\\!" if before.endswith("!") and not before.endswith("\\!") else before


def _as_title(title: str) -> str:
    """Punctuation as character references: in a title they are read as what they stand for and as nothing else."""
    return re.sub(r"[!-,./:-@\[-`{-~]", lambda mark: f"&#{ord(mark[0])};", title)
