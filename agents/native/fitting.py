"""Makes a turn with native calls fit the model's window: what is known longest is shortened first. Pure.

Calls, their thinking and their results stay in pairs, as endpoints demand; only texts are cut and past turns left out.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ThinkingBlock, ToolCallBlock
from llama_index.core.tools import BaseTool

from agents.token_estimate import cut_middle, cut_to, estimate_tokens, tokens_of

_HEAD_TOKENS = 120
"""What is left of an old result: enough to see what it was about, and a reason to look again if it matters."""
_SHORTEST_QUESTION_TOKENS = 60
_SLACK_TOKENS = 8  # where a text is cut, its last word may cost more than before
_FENCE_END = "\n</tool_result>"


def cost_of_tools(tools: Sequence[BaseTool]) -> int:
    """About how many tokens the tools' descriptions take in a request."""
    return sum(estimate_tokens(json.dumps(tool.metadata.to_openai_tool(skip_length_check=True))) for tool in tools)


def fitted(messages: Sequence[ChatMessage], *, max_tokens: int) -> list[ChatMessage]:
    """The conversation with this turn's rounds, without system messages, in `max_tokens` as far as can be reached.

    In this order, and only as far as needed: results of earlier rounds become a short head, past turns are left out,
    the results of the last round are cut, and at last the question is.
    """
    draft = _Draft(messages, max_tokens)
    for shorten in draft.ways_to_shorten():
        if draft.excess <= 0:
            break
        shorten()
    return [message for message in draft.messages if message]


class _Draft:
    """What is to be sent, and by how many tokens it is too long. What is left out is None."""

    def __init__(self, messages: Sequence[ChatMessage], max_tokens: int) -> None:
        self.messages: list[ChatMessage | None] = list(messages)
        self.excess = sum(map(_cost, messages)) - max_tokens

    def ways_to_shorten(self) -> Iterator[Callable[[], None]]:
        """The least harmful first."""
        roles = [message.role if message else None for message in self.messages]
        question = max((at for at, role in enumerate(roles) if role == MessageRole.USER), default=0)
        last_calls = max((at for at, role in enumerate(roles) if role == MessageRole.ASSISTANT), default=0)
        results = [at for at, role in enumerate(roles) if role == MessageRole.TOOL]
        yield from (partial(self._cut_result, at, _HEAD_TOKENS) for at in results if at < last_calls)
        yield from (partial(self._forget, exchange) for exchange in _exchanges(roles[:question]))
        latest = [at for at in results if at > last_calls]
        yield from (partial(self._cut_result_to_room, at) for at in sorted(latest, key=self._cost_at, reverse=True))
        yield partial(self._cut_question, question)

    def _cost_at(self, at: int) -> int:
        return _cost(self.messages[at])

    def _put(self, at: int, message: ChatMessage | None) -> None:
        self.excess += _cost(message) - self._cost_at(at)
        self.messages[at] = message

    def _forget(self, exchange: range) -> None:
        for at in exchange:
            self._put(at, None)

    def _cut_result_to_room(self, at: int) -> None:
        self._cut_result(at, max(_HEAD_TOKENS, self._cost_at(at) - self.excess - _SLACK_TOKENS))

    def _cut_result(self, at: int, max_tokens: int) -> None:
        if message := self.messages[at]:
            text, fence, note = (message.content or "").rpartition(_FENCE_END)
            shorter = cut_to(text, max_tokens) + fence + note if fence else cut_to(note, max_tokens)
            self._put(at, _with_text(message, shorter))

    def _cut_question(self, at: int) -> None:
        if message := self.messages[at]:
            room = max(_SHORTEST_QUESTION_TOKENS, self._cost_at(at) - self.excess - _SLACK_TOKENS)
            self._put(at, _with_text(message, cut_middle(message.content or "", room)))


def _exchanges(roles: Sequence[MessageRole | None]) -> list[range]:
    """The past turns, each from a question to the one before the next."""
    starts = [at for at, role in enumerate(roles) if at == 0 or role == MessageRole.USER]
    return [range(start, end) for start, end in pairwise([*starts, len(roles)])]


def _cost(message: ChatMessage | None) -> int:
    if message is None:
        return 0
    more = [block.content or "" for block in message.blocks if isinstance(block, ThinkingBlock)]
    more += [f"{block.tool_name} {block.tool_kwargs}" for block in message.blocks if isinstance(block, ToolCallBlock)]
    return tokens_of([message]) + sum(map(estimate_tokens, more))


def _with_text(message: ChatMessage, text: str) -> ChatMessage:
    others = [block for block in message.blocks if not isinstance(block, TextBlock)]
    return message.model_copy(update={"blocks": [TextBlock(text=text), *others]})
