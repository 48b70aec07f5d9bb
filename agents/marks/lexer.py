"""Cuts the text of a reply, as it arrives, into labels, fences, markup and plain text. Knows words, not meaning.

How the text was cut into chunks never changes the tokens, except that plain text comes in smaller pieces.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from agents.labels import (
    INLINE_LABEL,
    LABEL_LINE,
    LABELS,
    MAX_INLINE_LABEL,
    WEAK_ANSWERS,
    WEAK_LABELS,
    Label,
    emphasis_left_open,
    key_of,
    may_become_inline_label,
    may_become_label,
)
from agents.marks.tags import Tag, may_become_tag, tag_of


class Kind(Enum):
    """What a token is."""

    TEXT = auto()
    LABEL = auto()
    FENCE = auto()
    NAME_LINE = auto()
    """A line that is nothing but a tool's name, with its arguments on the next."""
    INLINE_ACTION = auto()
    INLINE_ANSWER = auto()
    """`Answer:` in the middle of a line, or a word like `Response:` at its start."""
    TAG = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is the exact source, so whoever has no use for what a token means can show it as text."""

    kind: Kind
    text: str
    label: Label | None = None
    tag: Tag | None = None
    is_weak: bool = False
    is_plain: bool = True
    """False for a label in bold, in a list or as a heading."""
    left_open: str = ""
    """`*` for the label of `**Answer: yes**`."""


_NAME = r"[*_`\"]{0,3}+(?P<name>[A-Za-z][\w.\-]{1,63}+)[*_`\"]{0,3}+[ \t]{0,3}+(?=\n)"
_FENCE = r"(?=[ \t`~])[ \t]{0,8}+(?P<fence>```|~~~)"
_TAG = r"(?P<tag>/?[|｜‖∣]{0,2}[A-Za-z][\w:▁ |｜‖∣]{0,40}+[>=\]]|/?think▷)"
_SHORT_LABEL = r"[^\W\d_]{1,12}(?:[ _\-][^\W\d_]{1,12})?"
_INLINE_HEADS = " \t。，；！？"

_INLINE_HEAD = re.compile(f"[{_INLINE_HEADS}]")

_HAS_WORD = r"(?=[^\w\n]{0,24}+\w)"
_LINE = rf"(?<=\n)(?!\n)(?:{_FENCE}|{_HAS_WORD}(?:{LABEL_LINE}|{_NAME}))"
_BRACKET = rf"(?<=[<\[◁])(?=[\w/|｜‖∣]){_TAG}"
_INLINE = rf"(?<=[{_INLINE_HEADS}])(?=\*|\w\w){INLINE_LABEL}"
_READING = re.compile(rf"[\n<\[◁{_INLINE_HEADS}](?:{_LINE}|{_BRACKET}|{_INLINE})", re.IGNORECASE)
_ANSWERING = re.compile(rf"[\n<\[](?:{_LINE}|{_BRACKET})", re.IGNORECASE)

MAX_TOKENS = 1_000
MAX_LABELLED_CHARS = 100_000
"""Beyond so many labels, fences and tags, or so much text, all is plain text: no ReAct reply is like that. Both bound
the time that a hostile reply can take, and neither depends on how it is cut into chunks."""

_ARGUMENTS = re.compile(
    rf"\n{{1,4}}[ \t]{{0,4}}(?:(?P<opening>[{{｛]|```)|\*{{0,2}}(?P<label>{_SHORT_LABEL})\*{{0,2}}[ ]?[:：])"
)
_CALL_ON_ONE_LINE = re.compile(
    rf"[`*\"' ]{{0,4}}(?P<name>[\w.\-]{{1,64}}+)[`*\"'.,;；。， ]{{0,4}}[ \t\n]{{0,3}}"
    rf"\*{{0,2}}(?P<label>{_SHORT_LABEL})\*{{0,2}}[ ]?[:：]"
)
_CALL_WITH_ARGUMENTS = re.compile(r"[`*\"' ]{0,4}(?P<name>[\w.\-]{1,64}+)[`*\"' ]{0,3}[({（｛]")
_LOOKAHEAD = re.compile(r"[^\n{:：]{0,100}\n{0,4}[^\n{:：]{0,40}")
_INLINE_KINDS = frozenset({Kind.INLINE_ACTION, Kind.INLINE_ANSWER})
_UNDECIDED = Token(Kind.TEXT, "")
_CONTEXT = 8
_MAX_LOOKAHEAD = 160
_LONGEST_FENCE = 12
_QUOTES = "`'\"“‘"
_SENTENCE_ENDS = ".!?。！？"


class Lexer:
    """Push text in, pull tokens out; `pull` returns None when it needs more text."""

    def __init__(self, tool_names: frozenset[str]) -> None:
        self._names = tool_names
        self._name_prefixes = {name[:size] for name in tool_names for size in range(1, len(name) + 1)}
        self._buffer = "\n"
        self._at = 0
        self._next: tuple[Token, int] | None = None
        self._base = 0
        """Where in the reply the buffer begins."""
        self._tokens = 0
        self._is_final = False

    def push(self, text: str) -> None:
        """More of the reply."""
        kept_from = max(0, self._at - _CONTEXT)
        self._buffer = self._buffer[kept_from:] + text.replace("\r", "")
        self._at -= kept_from
        self._base += kept_from
        if self._next:
            self._next = (self._next[0], self._next[1] - kept_from)

    def close(self) -> None:
        """The reply is complete: nothing is held back any longer."""
        self._is_final = True

    def take_rest(self) -> str:
        """Everything unread, as it stands."""
        rest, self._next = self._buffer[self._at :], None
        self._at = len(self._buffer)
        return rest

    def put_back(self, text: str) -> None:
        """Make `text` the next to be read. Cheap if it is what was read last."""
        self._next = None
        if self._buffer.endswith(text, 0, self._at):
            self._at -= len(text)
            return
        self._base -= len(text)
        self._buffer = self._buffer[: self._at] + text + self._buffer[self._at :]

    def pull(self, *, in_answer: bool = False) -> Token | None:
        """The next token. In an answer only those that may end it are cut out; everything else is text."""
        if self._next:
            token, self._at = self._next
            self._next = None
            return token
        if self._at == len(self._buffer):
            return None
        if self._tokens >= MAX_TOKENS or self._base + self._at >= MAX_LABELLED_CHARS:
            return self._text_until(len(self._buffer))
        return self._search(_ANSWERING if in_answer else _READING, in_answer)

    def _search(self, pattern: re.Pattern[str], in_answer: bool) -> Token | None:
        at, last = self._at, MAX_LABELLED_CHARS - self._base
        while found := pattern.search(self._buffer, at, last + _MAX_LOOKAHEAD):
            token = None if found.start() >= last else self._token(found)
            if token is _UNDECIDED:
                return self._text_until(found.start())
            if token:
                return self._cut(token, found.start() + (token.kind in _INLINE_KINDS))
            at = found.start() + 1
        return self._text_until(len(self._buffer) if self._is_final else self._undecided_from(at, in_answer))

    def _cut(self, token: Token, start: int) -> Token:
        end = start + len(token.text)
        self._tokens += 1
        if start == self._at:
            self._at = end
            return token
        self._next = (token, end)
        text, self._at = self._buffer[self._at : start], start
        return Token(Kind.TEXT, text)

    def _text_until(self, end: int) -> Token | None:
        if end <= self._at:
            return None
        text, self._at = self._buffer[self._at : end], end
        return Token(Kind.TEXT, text)

    def _token(self, found: re.Match[str]) -> Token | None:
        """What a candidate is: a token, None if just text, or `_UNDECIDED`."""
        if found["word"]:
            return self._label(found)
        if found["fence"]:
            return Token(Kind.FENCE, found.group())
        if found["tag"]:
            return self._tag(found)
        return self._name_line(found, found["name"]) if found["name"] else self._inline(found)

    def _tag(self, found: re.Match[str]) -> Token | None:
        tag = tag_of(found.group())
        is_quoted = found.start() > 0 and self._buffer[found.start() - 1] in _QUOTES
        return Token(Kind.TAG, found.group(), tag=tag) if tag and not is_quoted else None

    def _label(self, found: re.Match[str]) -> Token | None:
        word = found["word"]
        key = key_of(word)
        label = LABELS.get(key) or WEAK_LABELS.get(key)
        if label is None:
            return self._not_a_label(found, key)
        indent, before, after = found.group("indent", "before", "after")
        is_heading = not found["colon"] and after[-1:] not in {"]", "】"}
        if is_heading and "#" not in indent and "*" not in before:
            return self._not_a_label(found, key)
        left_open = emphasis_left_open(before, after)
        if left_open and found.end() == len(self._buffer) and not self._is_final:
            return _UNDECIDED
        return Token(
            Kind.LABEL,
            found.group() if left_open else found.group().removesuffix(found["tail"] or ""),
            label=label,
            is_weak=key in WEAK_LABELS,
            is_plain=not (indent.strip() or before or is_heading),
            left_open=left_open if found["colon"] and not found["tail"] else "",
        )

    def _not_a_label(self, found: re.Match[str], key: str) -> Token | None:
        if key in WEAK_ANSWERS and found["colon"]:
            return Token(Kind.INLINE_ANSWER, found.group()[1:])
        return self._name_line(found, found["word"]) if found["word"] in self._names else None

    def _name_line(self, found: re.Match[str], name: str) -> Token | None:
        if name not in self._names or found.group().endswith((":", "：")):
            return None
        follows = _ARGUMENTS.match(self._buffer, found.end())
        if follows and (follows["opening"] or LABELS.get(key_of(follows["label"])) is Label.INPUT):
            return Token(Kind.NAME_LINE, found.group())
        return _UNDECIDED if self._may_still_come(found.end()) else None

    def _inline(self, found: re.Match[str]) -> Token | None:
        label, text = LABELS.get(key_of(found["inline"])), found.group()[1:]
        if label is Label.ANSWER:
            before = self._buffer[max(0, found.start() - _CONTEXT) : found.start() + 1].rstrip(" \t*_\"')")
            is_sure = key_of(found["inline"]) == "finalanswer"
            return Token(Kind.INLINE_ANSWER, text) if is_sure or (before and before[-1] in _SENTENCE_ENDS) else None
        if label is not Label.ACTION:
            return None
        call = _CALL_WITH_ARGUMENTS.match(self._buffer, found.end())
        if call and call["name"] in self._names:
            return Token(Kind.INLINE_ACTION, text)
        follows = _CALL_ON_ONE_LINE.match(self._buffer, found.end())
        if (
            follows
            and follows["name"].rstrip(".") in self._names
            and LABELS.get(key_of(follows["label"])) is Label.INPUT
        ):
            return Token(Kind.INLINE_ACTION, text)
        return _UNDECIDED if not follows and self._may_still_come(found.end()) else None

    def _may_still_come(self, end: int) -> bool:
        """Whether what must follow a candidate may not have arrived yet."""
        ahead = self._buffer[end : end + _MAX_LOOKAHEAD]
        is_open = len(ahead) < _MAX_LOOKAHEAD and not self._is_final
        return is_open and _LOOKAHEAD.fullmatch(ahead) is not None

    def _undecided_from(self, at: int, in_answer: bool) -> int:
        """Where the text begins that more text could turn into a token; the end of the buffer if nowhere."""
        buffer, end = self._buffer, len(self._buffer)
        line = buffer.rfind("\n", self._at)
        if line >= 0 and self._may_become_line(buffer[line:], in_answer):
            return line
        tag = max(buffer.rfind("<", at), buffer.rfind("[", at), buffer.rfind("◁", at))
        if tag >= 0 and may_become_tag(buffer[tag:]):
            return tag
        return end if in_answer else self._undecided_inline(max(at, end - MAX_INLINE_LABEL))

    def _may_become_line(self, line: str, in_answer: bool) -> bool:
        is_cut_fence = len(line) < _LONGEST_FENCE and not line.strip("\n \t~`")
        return (
            is_cut_fence
            or may_become_label(line)
            or (not in_answer and line.strip('\n*_`" \t>-•#') in self._name_prefixes)
        )

    def _undecided_inline(self, at: int) -> int:
        for head in _INLINE_HEAD.finditer(self._buffer, at):
            if may_become_inline_label(self._buffer[head.end() :]):
                return head.start()
        return len(self._buffer)
