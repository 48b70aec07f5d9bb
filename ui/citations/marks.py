"""Where an answer cites, and which numbers: `[1]`, `[1][2]`, `[1, 2]`, `[1-3]`, `【1】`, `［1］`, `[^1]`.

Pure; reads Markdown. Marks in code, formulas and links are none, nor are the indices of lists.
"""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

_MOST_OF_A_RANGE = 20
_LONGEST_WORD = 80

_NUMBER = r"\^?\d{1,3}"
_NUMBERS = rf"(?:(?:citation|cite|source|ref|来源|引用)\\?[:：]?[ ]?)?{_NUMBER}(?:[ ]?[,，、;；–-][ ]?{_NUMBER})*"
_BODY = _NUMBERS + r"(?:†[^\]】\n]{0,80})?"
_PIECE = re.compile(
    r"\\."  # what is escaped stands for itself
    r"|(?<!`)(?P<ticks>`+)(?!`)(?:.+?)(?<!`)(?P=ticks)(?!`)"  # code
    r"|(?<!\$)(?P<dollars>\${1,3})(?!\$).+?(?<!\$)(?P=dollars)(?!\$)"  # formulas: other dollars are escaped
    r"|^[ ]{0,3}\[[^\]\n]+\]:[^\n]*"  # where a link of the answer's own is defined
    r"|!?\[(?:\\.|[^\[\]\\]|\[[^\[\]]*\])*\]\((?:\\.|[^()\\\s]|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
    r"|<[^<>\n]*>"
    r"|https?://[!-;=?-~]+"
    rf"|\[(?P<plain>{_BODY})\]|【(?P<wide>{_BODY})】|［(?P<full>{_BODY})］",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"[\w.]+\Z")
_CALL_BEFORE = re.compile(r"\w\([^()\s]*\)\Z")
_NO_MARK_AFTER = ("[", "]", "/", "\\", "$", "=", "= ", "@", "#")
_NAMES_OF_LISTS = re.compile(
    r"arg[sv]|batch|bits|body|buffer|bytes|chars?|child(?:ren)?|coefs?|data|dict|edges|heap|ind(?:ex|ices)|keys|"
    r"matrix|nodes?|nums|objects?|params?|parts|pixels|points|queue|ranks?|responses?|self|shape|slots|stack|state|"
    r"tensors?|this|"
    r"(?:array|cell|col|column|element|field|group|input|item|line|list|name|number|output|price|record|result|row|"
    r"score|string|token|tuple|user|value|vector|word)s?|entr(?:y|ies)",
    re.IGNORECASE,
)
"""Words that stand before `[1]` as the name of a list rather than as the end of a sentence."""


def read_marks(answer: str) -> Iterator[tuple[str, list[int]]]:
    """The answer in pieces, in order: a mark with its numbers, or other text with none."""
    for is_prose, text in _paragraphs(answer):
        if is_prose:
            yield from _marks_in(text)
        else:
            yield text, []


def _marks_in(text: str) -> Iterator[tuple[str, list[int]]]:
    at, mark_end = 0, -1
    for piece in _PIECE.finditer(text):
        body = piece["plain"] or piece["wide"] or piece["full"]
        if not body or not (piece.start() == mark_end or _may_cite(text, piece)):
            continue
        yield text[at : piece.start()], []
        yield piece[0], _numbers_in(body)
        at = mark_end = piece.end()
    yield text[at:], []


def _paragraphs(text: str) -> Iterator[tuple[bool, str]]:
    """The text as (is prose, piece) in order; a piece of prose is a paragraph at most."""
    code = {
        number
        for token in MarkdownIt("commonmark").disable("inline").parse(text)
        if token.type in ("fence", "code_block", "html_block") and token.map
        for number in range(*token.map)
    }
    prose: list[str] = []
    for number, line in enumerate(re.split(r"(?<=\n)", text)):
        if number not in code:
            prose.append(line)
        if prose and (number in code or not line.strip()):
            yield True, "".join(prose)
            prose.clear()
        if number in code:
            yield False, line
    yield True, "".join(prose)


def _may_cite(text: str, mark: re.Match[str]) -> bool:
    """Whether the mark stands where a citation stands, and not as the index of a list or as a list."""
    body = mark["plain"]
    if not body or not body[0].isdigit():
        return True
    before = text[max(0, mark.start() - _LONGEST_WORD) : mark.start()]
    if text.startswith("]", mark.end()) or before.endswith(_NO_MARK_AFTER) or _CALL_BEFORE.search(before):
        return False
    word = _WORD_BEFORE.search(before)
    return not word or _ends_a_sentence(word[0])


def _ends_a_sentence(word: str) -> bool:
    """Whether people write this word, rather than give it as a name to something that has an index."""
    if word.endswith(".") or word[0].isdigit() or not word.isascii():
        return True
    is_spelled_so = (word.isupper() and len(word) > 1) or (word[1:].islower() and len(word) > 3)
    return is_spelled_so and word.isalpha() and not _NAMES_OF_LISTS.fullmatch(word)


def _numbers_in(body: str) -> list[int]:
    """The numbers of a mark, each once, in order; `1-3` is 1, 2, 3."""
    numbers: list[int] = []
    for first, last in re.findall(r"(\d+)(?:[ ]?[–-][ ]?\^?(\d+))?", body.partition("†")[0]):
        numbers += range(int(first), min(int(last or first), int(first) + _MOST_OF_A_RANGE) + 1)
    return list(dict.fromkeys(numbers))
