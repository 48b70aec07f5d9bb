"""What a chat remembers: questions and answers, sized to the model's window. Knows no page and no wire."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from agents.events import EndReason

_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_MESSAGE_OVERHEAD_TOKENS = 4

_ENDINGS = {
    "answered": "",
    "stopped": "[The user stopped the answer here.]",
    "gave_up": "[The answer is incomplete: it was given before the work was done.]",
    "failed": "[The answer broke off here because of a technical error.]",
}


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One finished turn. `turn_id` is that of the question; `tools` are the names of the tools used, in order."""

    turn_id: str
    question: str
    answer: str
    ended: EndReason = "answered"
    tools: tuple[str, ...] = ()


def estimate_tokens(text: str) -> int:
    """About how many tokens a text costs, rounded up.

    Four characters of an alphabetic script a token, 0.8 tokens a Chinese, Japanese or Korean character: the upper end
    of what the vocabularies of today's open models need, so that the estimate rather trims too early.
    """
    wide = len(_WIDE.findall(text))
    return round(wide * 0.8 + (len(text) - wide) / 4) + 1


def messages_from_turns(turns: Sequence[PastTurn], *, max_tokens: int) -> list[ChatMessage]:
    """The latest turns that fit into `max_tokens`, oldest first, as alternating user and assistant messages."""
    pairs: list[list[ChatMessage]] = []
    for turn in reversed(turns):
        pair = [_message(MessageRole.USER, turn.question), _message(MessageRole.ASSISTANT, _answer_text(turn))]
        max_tokens -= sum(estimate_tokens(m.content or "") + _MESSAGE_OVERHEAD_TOKENS for m in pair)
        if max_tokens < 0:
            break
        pairs.append(pair)
    return [message for pair in reversed(pairs) for message in pair]


def _answer_text(turn: PastTurn) -> str:
    return "\n\n".join(_parts_of_answer(turn)) or "[There was no answer.]"


def _parts_of_answer(turn: PastTurn) -> Iterator[str]:
    if turn.answer:
        yield turn.answer
    if turn.tools:
        yield f"[Tools used: {', '.join(dict.fromkeys(turn.tools))}]"
    if ending := _ENDINGS[turn.ended]:
        yield ending


def _message(role: MessageRole, text: str) -> ChatMessage:
    return ChatMessage(role=role, content=text)
