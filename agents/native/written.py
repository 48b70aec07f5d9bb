"""Finds the tool calls that a model wrote into its text, and passes on the text without them. Pure; knows no model.

An endpoint that has no parser for a model's notation leaves them there. How the text was cut into chunks never changes
what comes out, and nothing of a call ever does.
"""

import re

from llama_index.core.base.llms.types import ToolCallBlock

from agents.marks.captures import BracketCapture, MarkupCapture
from agents.marks.lexer import Kind, Lexer, Token
from agents.marks.notation import may_begin_call
from agents.marks.tags import Tag, is_cut_call
from agents.native.candidate import Candidate, Verdict
from agents.toolbox import Toolbox

_BARE = re.compile(
    r"\s*+(?P<list>\[?)\s*+(?:[{｛]\s*+[\"'](?P<key>\w{1,40})[\"']\s*+[:：]"
    r"|(?P<name>[A-Za-z_][\w.]{0,79})(?P<how>\(|[ \t]*+\n\s*+[{｛]))"
)
_MAY_BE_BARE = re.compile(
    r"\s*+\[?\s*+(?:[{｛]\s*+(?:[\"'](?:\w{0,40}(?:[\"']\s*+)?)?)?"
    r"|(?P<name>[A-Za-z_][\w.]{0,79})(?:[ \t]*+(?:\n\s*+)?))?"
)
_TAGS = r"(?:<[^<>]{0,80}>\s*)*$"
_QUOTING = re.compile(
    r"(?:(?:(?:^|[\s(:：])[\"'`]|[“‘«「『]|<(?:code|pre|kbd|samp)>)\s*|(?:^|\n)(?:[ ]{0,3}>|[ ]{4}|\t)[ \t]*)" + _TAGS
)
_APART = re.compile(r"(?:^|\n|[.!?…。！？])[ \t\u3000]*" + _TAGS)
_ANNOUNCED = re.compile(r"[:：]\s*$")
_MAX_MENTIONS = 20
_CONTEXT = 200
_MAX_OPENING = 300


class WrittenCalls:
    """For the text of one reply: `feed` and `finish` give what of it is text. Then `calls` are those that it holds.

    A call stands outside of code and quotes. One of a tool of `toolbox` begins a line or follows a sentence, or nothing
    follows it; one of an unknown tool must be the last thing of the reply besides. `may_tell`: tools are offered, so
    the model can be told what was wrong; else only a reply that is nothing but a call counts as one of an unknown tool.
    """

    def __init__(self, toolbox: Toolbox, *, may_tell: bool) -> None:
        self._toolbox = toolbox
        self._may_tell = may_tell
        self._begin()

    def _begin(self) -> None:
        self._lexer = Lexer(self._toolbox.names)
        self._candidate: Candidate | None = None
        self._opening = ""
        self._before = ""
        self._ticks = 0
        self._in_fence = False
        self._mentions = 0
        self._out: list[str] = []
        self._text: list[str] = []

    @property
    def calls(self) -> list[ToolCallBlock]:
        """Those that are certain."""
        candidate = self._candidate
        return candidate.calls if candidate and candidate.verdict is Verdict.CALLS else []

    @property
    def text(self) -> str:
        """All of the text so far."""
        return "".join(self._text)

    @property
    def is_over(self) -> bool:
        """Whether there are calls and something else has come behind them, which no longer counts."""
        return bool(self.calls) and self._candidate is not None and self._candidate.is_over

    @property
    def is_cut(self) -> bool:
        """Whether the limit of length cut the last call."""
        return self._candidate is not None and self._candidate.is_cut

    def feed(self, text: str) -> str:
        """More of the reply. What of it is now certain to be text."""
        if text and not self.is_over:
            self._lexer.push(text)
            self._run()
        return self._drain()

    def recall(self) -> None:
        """All text so far has turned out to be thinking."""
        self._begin()

    def finish(self, *, is_cut: bool = False) -> str:
        """The reply has ended, `is_cut` by the limit of its length. The text that was still uncertain."""
        if is_cut and not self._candidate:
            self._complete_tag()
        self._lexer.close()
        self._run()
        while self._candidate and not self._candidate.is_over:
            self._candidate.finish(is_cut=is_cut)
            self._settle(self._candidate)
            self._run()
        self._write_opening()
        return self._drain()

    def _complete_tag(self) -> None:
        """The limit may have cut the very tag that opens a call."""
        rest = self._lexer.take_rest()
        tag = rest.lstrip()
        blanks = rest[: len(rest) - len(tag)]
        is_own = self._may_tell and not self._is_talk and _APART.search(self._before + blanks) is not None
        self._lexer.put_back(f"{blanks}<tool_call>" if is_own and is_cut_call(tag) else rest)

    def _drain(self) -> str:
        out, self._out = "".join(self._out), []
        self._text.append(out)
        return out

    def _run(self) -> None:
        while not self.is_over and self._advance():
            pass

    def _advance(self) -> bool:
        if candidate := self._candidate:
            text = self._lexer.take_rest()
            candidate.feed(text)
            self._settle(candidate)
            return bool(text)
        token = self._lexer.pull(in_answer=True)
        if token:
            self._take(token)
        return token is not None

    def _take(self, token: Token) -> None:
        if token.kind in {Kind.TEXT, Kind.NAME_LINE} and self._may_open:
            self._open(self._opening + token.text)
        elif token.tag is Tag.OPENER and self._is_first:
            self._lexer.put_back("\n")
        elif token.tag is Tag.CALL and not self._is_talk:
            self._start(MarkupCapture(), token.text)
        else:
            self._write_opening()
            self._in_fence ^= token.kind is Kind.FENCE
            self._write(token.text)

    @property
    def _is_first(self) -> bool:
        return not (self._before + self._opening).strip()

    @property
    def _is_talk(self) -> bool:
        is_code = self._in_fence or self._ticks % 2 == 1
        is_quoted = not self._is_first and _QUOTING.search(self._before + self._opening) is not None
        return is_code or is_quoted or self._mentions > _MAX_MENTIONS

    @property
    def _may_open(self) -> bool:
        return bool(self._toolbox.specs) and not (self._before.strip() or self._in_fence or self._mentions)

    def _open(self, text: str) -> None:
        """The reply begins, perhaps with a call in JSON or Python and no tag."""
        self._opening = text
        found = _BARE.match(text)
        is_name = found is not None and found["name"] in self._toolbox.names
        if found and is_name and found["how"] == "(":
            self._opening = ""
            bracket = found.start("list") if found["list"] else found.end() - 1
            self._start(BracketCapture(), text[bracket:], prefix=text[:bracket], in_tags=False)
        elif found and (is_name or may_begin_call(found["key"] or "")):
            self._opening = ""
            self._start(MarkupCapture(), text, in_tags=False)
        elif not self._may_become_bare(text):
            self._write_opening()

    def _may_become_bare(self, text: str) -> bool:
        found = _MAY_BE_BARE.fullmatch(text) if len(text) <= _MAX_OPENING else None
        name = found["name"] if found else None
        return found is not None and (name is None or any(known.startswith(name) for known in self._toolbox.names))

    def _start(
        self, capture: MarkupCapture | BracketCapture, text: str, *, prefix: str = "", in_tags: bool = True
    ) -> None:
        self._write_opening()
        self._candidate = Candidate(
            self._toolbox,
            capture,
            prefix=prefix,
            is_first=self._is_first,
            is_apart=_APART.search(self._before) is not None,
            is_announced=_ANNOUNCED.search(self._before) is not None,
            in_tags=in_tags,
            may_tell=self._may_tell,
        )
        self._lexer.put_back(text)

    def _settle(self, candidate: Candidate) -> None:
        """What was read as calls but is text stays together; else there may be one behind its first character."""
        if candidate.verdict is Verdict.TEXT:
            self._candidate = None
            self._mentions += 1
            source, size = candidate.source, candidate.size_of_calls or 1
            self._write(candidate.prefix + source[:size])
            self._in_fence ^= source.count("```", 0, size) % 2 == 1
            self._lexer.put_back(source[size:])

    def _write_opening(self) -> None:
        opening, self._opening = self._opening, ""
        self._write(opening)

    def _write(self, text: str) -> None:
        self._out.append(text)
        line = text.rpartition("\n")
        self._ticks = line[2].count("`") + (0 if line[1] else self._ticks)
        self._before = (self._before + text)[-_CONTEXT:]
