"""What a chat remembers: questions and answers, sized to the model's window. Knows no page and no wire."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from agents.events import EndReason
from agents.observation import without_tokens
from agents.token_estimate import cut_middle, tokens_of

_ENDINGS = {
    "answered": "",
    "stopped": "[The user stopped the answer here.]",
    "interrupted": "[The answer broke off here: the server was restarted.]",
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


def messages_from_turns(turns: Sequence[PastTurn], *, max_tokens: int) -> list[ChatMessage]:
    """The latest turns that fit into `max_tokens`, oldest first, as alternating user and assistant messages.

    If not even the last turn fits, it is cut: what the user refers to next is most often there.
    """
    pairs: list[list[ChatMessage]] = []
    for turn in reversed(turns):
        pair = _messages(turn)
        if not pairs and tokens_of(pair) > max_tokens:
            pair = _messages(_cut(turn, max_tokens))
        max_tokens -= tokens_of(pair)
        if max_tokens < 0:
            break
        pairs.append(pair)
    return [message for pair in reversed(pairs) for message in pair]


def _messages(turn: PastTurn) -> list[ChatMessage]:
    """A chat-template token that a model has copied from a page would end its message for the model server."""
    answer = without_tokens(_answer_text(turn))
    return [
        ChatMessage(role=MessageRole.USER, content=turn.question),
        ChatMessage(role=MessageRole.ASSISTANT, content=answer),
    ]


def _cut(turn: PastTurn, max_tokens: int) -> PastTurn:
    question, answer = cut_middle(turn.question, max_tokens // 4), cut_middle(turn.answer, max_tokens // 2)
    return replace(turn, question=question, answer=answer)


def _answer_text(turn: PastTurn) -> str:
    return "\n\n".join(_parts_of_answer(turn)) or "[There was no answer.]"


def _parts_of_answer(turn: PastTurn) -> Iterator[str]:
    if turn.answer:
        yield turn.answer
    if turn.tools:
        yield f"[Tools used: {', '.join(dict.fromkeys(turn.tools))}]"
    if ending := _ENDINGS[turn.ended]:
        yield ending
