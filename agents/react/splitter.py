"""Splits a reply, as it arrives, into thought, answer and tool call. A whole reply is read by the same machine.

Text in, parts out: no model, no event loop, no page. How the text was cut into chunks never changes what comes out.
"""

from collections.abc import Callable

from agents.arguments import is_nothing
from agents.labels import Label
from agents.marks.lexer import Kind, Lexer, Token
from agents.marks.tags import Tag
from agents.react.call_reader import CallReader
from agents.react.native_reader import JsonReader, MarkupReader, call_of_whole
from agents.react.opening import JsonLines, Opening, answer_behind_sentence, is_document, is_quiz
from agents.react.outcome import AnswerFollows, Called, Finished, JustText, NoTool, Outcome, Refused
from agents.react.part_writer import PartWriter
from agents.react.reply import Part, Reply, ReplyBuilder
from agents.react.text_reader import SCAFFOLD, AnswerReader
from agents.toolbox import Toolbox

_MAX_MENTIONED_ACTIONS = 20


class Splitter:
    """Feed it a reply in chunks of any size, then `finish`. Each call returns the parts that have become certain.

    Labels count only at the start of a line and in order; once in the answer none counts. Text without labels is kept
    until the reply ends, because only then it is certain to be the answer. After a `ToolCallPart` or a `ProblemPart`
    the reply `is_done`, and more text changes nothing.
    """

    def __init__(self, toolbox: Toolbox, *, must_answer: bool = False) -> None:
        """`must_answer`: text without labels is the answer from its first word; a thought is better than no answer."""
        self._toolbox = toolbox
        self._must_answer = must_answer
        self._lexer = Lexer(toolbox.names)
        self._out = PartWriter(must_answer=must_answer)
        self._state: Callable[[Token], None] = self._in_opening
        self._opening = Opening()
        self._is_fenced = False
        self._has_declined = False
        self._json_lines = JsonLines()
        self._mentioned_actions = 0
        self._mention: list[str] = []
        self._call: CallReader | JsonReader | MarkupReader | None = None
        self._answer: AnswerReader | None = None

    @property
    def is_done(self) -> bool:
        """Whether the reply is complete, whatever the model may still write."""
        return self._out.is_done

    def feed(self, text: str) -> list[Part]:
        """The parts that this text brings."""
        if text and not self.is_done:
            self._lexer.push(text)
            self._run()
        return self._out.drain()

    def recall(self) -> None:
        """All text so far has turned out to be thinking, which others show. What was shown of it stays."""
        if not (self.is_done or self._answer):
            self._lexer.take_rest()
            self._call, self._opening = None, Opening()
            self._end_thinking()

    def finish(self) -> list[Part]:
        """The reply has ended: the parts that were still uncertain, at last a `ProblemPart` if there was nothing."""
        if not self.is_done:
            self._lexer.close()
            self._run()
            self._end()
        return self._out.drain()

    def _run(self) -> None:
        while not self.is_done and self._advance():
            pass

    def _advance(self) -> bool:
        if call := self._call:
            has_moved = call.step(self._lexer)
            if call.outcome:
                self._come_to(call.outcome)
            return has_moved or call.outcome is not None
        token = self._lexer.pull(in_answer=self._answer is not None)
        if token:
            self._state(token)
        return token is not None

    def _in_opening(self, token: Token) -> None:
        if token.kind is Kind.TEXT and (json := self._opening.with_json(token.text)):
            self._read_as(JsonReader(self._toolbox), json)
        elif self._opening.is_in_fence and token.kind is not Kind.FENCE and not self._is_fence_off(token):
            self._opening.add(token.text)
        else:
            self._opening_token(token)

    def _is_fence_off(self, token: Token) -> bool:
        begins = (token.kind is Kind.NAME_LINE or token.label in SCAFFOLD) and not token.text.startswith("\n#")
        self._is_fenced = self._is_fenced or (begins and self._opening.take_fence())
        return self._is_fenced

    def _opening_token(self, token: Token) -> None:
        match token.label or token.tag or token.kind:
            case Label.THOUGHT:
                self._opening_was_thought()
                self._state = self._in_thought
            case Label.ANSWER:
                self._answer_after_opening(token)
            case Label.ACTION | Kind.NAME_LINE | Kind.INLINE_ACTION:
                is_loose = token.is_weak or not (self._has_declined or self._must_answer)
                self._call = CallReader(self._toolbox, token, may_be_text=is_loose)
            case Label.OBSERVATION if not self._opening.has_begun:
                self._state = self._in_observation
            case Label.INPUT if self._has_declined:
                self._opening.add("\n")
            case Tag.CALL:
                self._read_as(MarkupReader(self._toolbox), token.text)
            case Tag.STOP:
                self._end()
            case Tag.THINK if not self._opening.has_begun:
                self._state = self._in_thinking
            case Tag.UNTHINK:
                self._out.think(self._take_opening())
                self._end_thinking()
            case Tag.ANSWER if not self._opening.has_begun:
                self._begin_answer(token)
            case Tag.OPENER if not self._opening.has_begun:
                self._lexer.put_back("\n")
            case _:
                self._opening.is_in_fence ^= token.kind is Kind.FENCE
                self._add_to_opening(token.text)

    def _add_to_opening(self, text: str) -> None:
        self._opening.add(text)
        if self._must_answer and self._opening.has_begun and not self._opening.is_in_fence:
            self._lexer.put_back(self._take_opening())
            self._begin_answer()

    def _take_opening(self) -> str:
        """After `Action: None` the input is `None` too, and no text."""
        text = self._opening.take()
        first, _, rest = text.partition("\n")
        return rest.strip() if self._has_declined and is_nothing(first) else text

    def _opening_was_thought(self) -> None:
        if text := self._take_opening():
            self._out.write_thought(text + "\n")

    def _answer_after_opening(self, token: Token) -> None:
        """Text before `Answer:` was the thought, unless it is a document, which is part of the answer."""
        text = self._take_opening()
        if is_quiz(text):
            self._lexer.put_back(text + token.text)
            self._begin_answer()
        elif is_document(text):
            self._out.say(text)
            self._begin_answer(token, lead="\n\n")
        else:
            self._out.write_thought(text)
            self._begin_answer(token)

    def _in_thinking(self, token: Token) -> None:
        if token.tag is Tag.UNTHINK:
            self._end_thinking()
        else:
            self._out.think(token.text)

    def _end_thinking(self) -> None:
        """What follows the tag counts as the start of a line."""
        self._lexer.put_back("\n")
        self._state = self._in_opening

    def _in_observation(self, token: Token) -> None:
        if token.label in SCAFFOLD:
            self._state = self._in_thought
            self._in_thought(token)

    def _in_thought(self, token: Token) -> None:
        match token.label or token.tag or token.kind:
            case Label.THOUGHT:
                self._out.write_thought("\n")
            case Label.ANSWER | Tag.ANSWER:
                self._begin_answer(token)
            case Label.ACTION | Kind.NAME_LINE | Kind.INLINE_ACTION:
                self._call = CallReader(self._toolbox, token, may_be_text=token.is_weak)
            case Label.OBSERVATION:
                self._state = self._in_observation
            case Kind.INLINE_ANSWER:
                self._mention.append(token.text)
                self._state = self._in_mention
            case Tag.CALL:
                self._read_as(MarkupReader(self._toolbox), token.text)
            case Tag.STOP:
                self._end()
            case Tag.THINK:
                self._state = self._in_thinking
            case Tag.UNTHINK:
                self._end_thinking()
            case Kind.FENCE:
                self._out.open_fence(token.text)
            case _:
                self._more_thought(token.text)

    def _more_thought(self, text: str) -> None:
        """JSON on a line of its own may be a call without the label."""
        start = self._json_lines.find(text)
        self._out.write_thought(text[:start])
        if start < len(text):
            self._read_as(JsonReader(self._toolbox), text[start:])

    def _in_mention(self, token: Token) -> None:
        """`Answer:` stood in the middle of a line. A label at the start of a line shows that it was only mentioned."""
        if token.label in SCAFFOLD:
            self._out.write_thought("".join(self._mention))
            self._mention, self._state = [], self._in_thought
            self._in_thought(token)
        elif token.tag is Tag.STOP:
            self._end()
        else:
            self._mention.append(token.text)

    def _read_as(self, reader: JsonReader | MarkupReader, text: str) -> None:
        self._lexer.put_back(text)
        self._call = reader

    def _come_to(self, outcome: Outcome) -> None:
        self._call = None
        if not isinstance(outcome, JustText):
            self._opening_was_thought()
        match outcome:
            case Called(request):
                self._out.call(request)
            case Refused(text):
                self._out.refuse(text)
            case Finished(answer, thought):
                self._out.write_thought(thought)
                self._out.say(answer.strip())
                self._out.end()
            case AnswerFollows():
                self._begin_answer()
            case NoTool():
                self._has_declined, self._state = True, self._in_opening
            case JustText(text):
                self._was_mentioned(text)

    def _was_mentioned(self, text: str) -> None:
        self._mentioned_actions += 1
        if self._state == self._in_thought:
            self._out.write_thought(text)
        elif self._mentioned_actions > _MAX_MENTIONED_ACTIONS:
            self._lexer.put_back(self._take_opening() + text)
            self._begin_answer()
        else:
            self._opening.is_in_fence ^= text.startswith("```")
            self._add_to_opening(text)

    def _begin_answer(self, token: Token | None = None, *, lead: str = "") -> None:
        dangling = token.left_open if token else ""
        is_fenced = self._is_fenced or self._out.has_open_fence
        is_loose = self._must_answer and token is None
        self._answer = AnswerReader(is_fenced=is_fenced, is_loose=is_loose, lead=lead, dangling=dangling)
        self._state = self._in_answer

    def _in_answer(self, token: Token) -> None:
        if self._answer:
            self._out.say(self._answer.take(token))
            if self._answer.is_over:
                self._out.end()

    def _end(self) -> None:
        if self._call:
            self._call.finish()
            self._come_to(self._call.outcome or NoTool())
        if self.is_done:
            return
        if self._answer:
            self._out.say(self._answer.finish())
        elif self._mention:
            self._out.say("".join(self._mention[1:]).strip())
        elif (text := self._take_opening()).strip("`~ \n"):
            self._end_unlabelled(text)
        if not self.is_done:
            self._out.end()

    def _end_unlabelled(self, text: str) -> None:
        if not self._must_answer and (outcome := call_of_whole(text, self._toolbox)):
            self._come_to(outcome)
        else:
            thought, answer = answer_behind_sentence(text)
            self._out.write_thought(thought)
            self._out.say(answer)


def read_reply(text: str, toolbox: Toolbox) -> Reply:
    """What a whole reply means."""
    splitter, reply = Splitter(toolbox), ReplyBuilder()
    for part in [*splitter.feed(text), *splitter.finish()]:
        reply.add(part)
    return reply.build()
