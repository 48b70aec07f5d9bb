"""Splits text in which a model marks its thinking with tags (`<think>…</think>`) into thinking and answer.

Pure and incremental: text comes in pieces cut anywhere, and no piece of a tag is ever given out. Knows no wire format.

A block counts at the start of the content, or right after another block. Elsewhere a tag is text: in prose, in quotes,
in code. Some templates open the block in the prompt, so that only its end is seen: such a lone end makes all before
it thinking (`Split.whole`), since what was given out as text can't be recalled.
"""

import re
from dataclasses import dataclass

TAGS = (
    ("<think>", "</think>"),  # R1, Qwen, GLM, MiniMax, Magistral 2506 and most others
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),  # gpt-oss behind Bedrock's compatible endpoint
    ("<thought>", "</thought>"),  # Gemini behind its compatible endpoint
    ("<seed:think>", "</seed:think>"),  # Seed-OSS
    ("[THINK]", "[/THINK]"),  # Magistral from 2507
    ("◁think▷", "◁/think▷"),  # Kimi-VL
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # OpenThinker
    ("<|channel|>analysis<|message|>", "<|end|>"),  # gpt-oss
)
_OPENERS = (
    "<|START_RESPONSE|>",
    "<|begin_of_solution|>",
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|channel|>commentary<|message|>",
)
"""What the same models write before the text. It is dropped."""
_CLOSING_OF = {opening.lower(): re.compile(re.escape(closing), re.IGNORECASE) for opening, closing in TAGS}
_ALL = tuple(tag.lower() for pair in TAGS for tag in pair)
_LONGEST = max(map(len, (*_ALL, *_OPENERS)))
_OPENER = re.compile(rf"(?:(?:{'|'.join(map(re.escape, _OPENERS))})\s*+)++", re.IGNORECASE)
_PART = 16_384
"""How much is looked at at once, which bounds the time that a hostile reply with many tags can take."""
_ANY_BEGINNING = re.compile(r"[<\[◁]")
_OPENING = re.compile("|".join(re.escape(opening) for opening, _ in TAGS), re.IGNORECASE)
_CLOSING = re.compile("|".join(re.escape(closing) for _, closing in TAGS), re.IGNORECASE)
_ANY = re.compile(f"{_OPENING.pattern}|{_CLOSING.pattern}", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_CERTAINLY_TAG = 3
"""From this length on, what looks like the beginning of a tag at the cut end of thinking is one, and is dropped."""
_BETWEEN_BLOCKS = "\n\n"


@dataclass(frozen=True, slots=True)
class Split:
    """What a piece of text adds. `whole`, if set, is all thinking and text so far, in place of what was said before."""

    thinking: str = ""
    text: str = ""
    whole: tuple[str, str] | None = None


class TagSplitter:
    """Feed it the content in order, then close it. `opened`: the prompt is known to have opened the block already."""

    def __init__(self, *, opened: bool = False) -> None:
        self._opened = opened
        self._watching = not opened
        self._step = self._at_start
        self._closing = _CLOSING
        self._held = ""
        self._thinking: list[str] = []
        self._text: list[str] = []
        self._given = (0, 0)
        self._blocks = 0
        self._passage = _Passage()
        self._was_rewritten = False

    @property
    def is_done(self) -> bool:
        """True once all that follows is text, whatever it holds."""
        return self._step == self._in_text and not self._watching and not self._held

    def stop_watching(self) -> None:
        """The thinking is known to come elsewhere: no later tag can turn text into thinking any more."""
        self._watching = False
        if self._step == self._at_start:
            self._opened = False

    def feed(self, piece: str) -> Split:
        """What `piece` makes certain."""
        return self._run(self._held + piece, ending=False)

    def close(self, *, complete: bool) -> Split:
        """What the end of the content makes certain. `complete`: the model ended by itself, nothing was cut off."""
        split = self._run(self._held, ending=True)
        if complete and self._step == self._in_block:
            return self._unclosed() or split
        return split

    def _run(self, rest: str, *, ending: bool) -> Split:
        self._held = ""
        for end in range(_PART, len(rest) + _PART, _PART):
            part, self._held = self._held + rest[end - _PART : end], ""
            while part:
                part = self._step(part, ending and end >= len(rest))
        thinking_from, text_from = self._given
        self._given = (len(self._thinking), len(self._text))
        whole = ("".join(self._thinking), "".join(self._text)) if self._was_rewritten else None
        self._was_rewritten = False
        return Split("".join(self._thinking[thinking_from:]), "".join(self._text[text_from:]), whole)

    def _at_start(self, rest: str, ending: bool) -> str:
        """Only space so far: a block, or the text, is about to begin."""
        body = rest.lstrip()
        if opening := _OPENING.match(body):
            self._closing = _CLOSING_OF[opening[0].lower()]
            self._opened = False
            return self._begin_block(body[opening.end() :])
        if closing := _CLOSING.match(body):
            self._blocks += 1
            return body[closing.end() :]
        if opener := _OPENER.match(body):
            return body[opener.end() :]
        if not ending and (_partial_tag(body) == 0 or any(one.lower().startswith(body.lower()) for one in _OPENERS)):
            self._held = rest
            return ""
        if self._opened and not self._blocks:
            return self._begin_block(body)
        self._step, self._passage = self._in_text, _Passage()
        return _without_leading_lines(rest) if self._blocks else rest

    def _begin_block(self, rest: str) -> str:
        if self._thinking:
            self._thinking.append(_BETWEEN_BLOCKS)
        self._step, self._passage = self._in_block, _Passage()
        self._blocks += 1
        self._watching = False
        return rest

    def _in_block(self, rest: str, ending: bool) -> str:
        """Everything is thinking up to the closing tag; the space around it is dropped."""
        if not self._passage.size:
            rest = rest.lstrip()
        closing = self._closing.search(rest)
        if not closing:
            end = _partial_tag(rest)
            if ending and len(rest) - end < _CERTAINLY_TAG:
                end = len(rest)
            return self._give(self._thinking, rest, len(rest[:end].rstrip()), hold=not ending)
        if closing.end() == len(rest) and not ending and self._passage.char_before(rest, closing.start()) == "`":
            return self._give(self._thinking, rest, closing.start())
        if self._passage.is_code(rest, closing):
            self._give(self._thinking, rest, closing.end(), hold=False)
        else:
            self._give(self._thinking, rest, len(rest[: closing.start()].rstrip()), hold=False)
            self._step = self._at_start
        return rest[closing.end() :]

    def _in_text(self, rest: str, ending: bool) -> str:
        """All is text, unless a lone closing tag shows that it was thinking."""
        if not self._watching:
            return self._give(self._text, rest, len(rest))
        tag = _ANY.search(rest)
        if not tag:
            return self._give(self._text, rest, len(rest) if ending else _partial_tag(rest))
        if tag.end() == len(rest) and not ending:
            return self._give(self._text, rest, tag.start())
        before = self._passage.char_before(rest, tag.start())
        if self._passage.is_code(rest, tag) or _is_prose(before, rest[tag.end() : tag.end() + 1]):
            self._give(self._text, rest, tag.end())
            return rest[tag.end() :]
        if _OPENING.fullmatch(tag[0]):
            self._watching = False
            return rest
        self._all_was_thinking(rest[: tag.start()])
        return rest[tag.end() :]

    def _give(self, to: list[str], rest: str, end: int, *, hold: bool = True) -> str:
        """Give out `rest` up to `end`; keep the remainder for the next piece, or drop it."""
        if end:
            to.append(rest[:end])
            self._passage.add(rest[:end])
        self._held = rest[end:] if hold else ""
        return ""

    def _all_was_thinking(self, rest: str) -> None:
        self._thinking = ["".join((*self._text, rest)).strip()]
        self._text, self._given = [], (0, 0)
        self._step, self._watching, self._was_rewritten = self._at_start, False, True
        self._blocks += 1

    def _unclosed(self) -> Split | None:
        """The model ended by itself inside a block: then there was none, or its end hid in code that never ended."""
        thinking = "".join(self._thinking)
        if self._opened and self._blocks == 1:
            return Split(text=thinking, whole=("", thinking))
        passage = self._passage
        passage.read_on()
        if not passage.fence:
            return None
        closing = self._closing.search(thinking, len(thinking) - passage.size + passage.fence_start)
        if not closing:
            return None
        text = _without_leading_lines(thinking[closing.end() :])
        return Split(text=text, whole=(thinking[: closing.start()].rstrip(), text))


class _Passage:
    """The block or the text that is being read: as much of it as tells whether a tag in it stands in code."""

    def __init__(self) -> None:
        self.size = 0
        self.fence = ""
        self.fence_start = 0
        self._last_char = ""
        self._unread: list[str] = []
        self._read = 0

    def add(self, text: str) -> None:
        self.size += len(text)
        self._last_char = text[-1:]
        self._unread.append(text)

    def char_before(self, rest: str, start: int) -> str:
        return rest[start - 1] if start else self._last_char

    def is_code(self, rest: str, tag: re.Match[str]) -> bool:
        """Whether `tag`, found in `rest` (which follows the passage), stands in a code fence or between backticks."""
        if self.char_before(rest, tag.start()) == "`" and rest[tag.end() : tag.end() + 1] == "`":
            return True
        line = self.read_on() + rest[: tag.start()]
        fence = self.fence
        for part in line.split("\n"):
            fence = _fence_after(fence, part)
        return bool(fence)

    def read_on(self) -> str:
        """Take the whole lines that were added since into account. The line that is not whole yet."""
        *lines, cut_line = "".join(self._unread).split("\n")
        for line in lines:
            fence = _fence_after(self.fence, line)
            if fence and not self.fence:
                self.fence_start = self._read
            self.fence = fence
            self._read += len(line) + 1
        self._unread = [cut_line]
        return cut_line


def _fence_after(fence: str, line: str) -> str:
    """The code fence that is open after `line`, if `fence` was open before it."""
    mark = _FENCE.fullmatch(line)
    if not mark:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) and not mark[2].strip() else fence


def _partial_tag(text: str) -> int:
    """Where a tag may be beginning at the end of `text`; its length if nowhere."""
    for found in _ANY_BEGINNING.finditer(text, max(0, len(text) - _LONGEST)):
        start = found.start()
        if any(tag.startswith(text[start:].lower()) for tag in _ALL):
            return start
    return len(text)


def _is_prose(before: str, after: str) -> bool:
    """Whether a tag between these two characters is only spoken of: it stands in a line, apart or in quotes."""
    return before in {" ", "\t", '"', "'", "“", "‘", "`", "(", "「"} and after not in {"", "\n", "\r"}


def _without_leading_lines(text: str) -> str:
    """`text` without the empty lines at its start; the indent of its first line stays."""
    space = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, space) + 1 :]
