"""Makes a turn fit the model's window: what is known longest is shortened first. Knows no model and no prompt.

Nothing is forgotten by it: each round is fitted anew from all that there is.
"""

from collections.abc import Callable, Sequence
from functools import partial

from llama_index.core.agent.react.types import BaseReasoningStep
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

from agents.observation import defused
from agents.steps import AdviceStep, CallStep, ResultStep
from agents.token_estimate import cut_middle, cut_to, estimate_tokens, tokens_of
from tools.base import clip

_HEAD_TOKENS = 120
"""What is left of an old result: enough to see what it was about, and a reason to look again if it matters."""

_SHORTEST_QUESTION_TOKENS = 60
_SLACK_TOKENS = 8  # where a text is cut, its last word may cost more than before
_MAX_NOTED_CHARS = 100


def fitted(
    history: Sequence[ChatMessage], steps: Sequence[BaseReasoningStep], *, max_tokens: int
) -> tuple[list[ChatMessage], list[BaseReasoningStep]]:
    """The conversation and the rounds of this turn within `max_tokens`, as far as that can be reached.

    `history` has no system message and ends with the question. In this order, and only as far as needed: old results
    become a short head, past turns are left out, old rounds become a note of one line, the latest result and its call
    are cut, the notes are left out, and at last the question is cut.
    """
    draft = _Draft(history, steps, max_tokens)
    for shorten in draft.ways_to_shorten():
        if draft.excess <= 0:
            break
        shorten()
    return draft.history, [step for step in draft.steps if step]


class _Draft:
    """What is to be sent, and by how many tokens it is too long."""

    def __init__(self, history: Sequence[ChatMessage], steps: Sequence[BaseReasoningStep], max_tokens: int) -> None:
        self.history = list(history)
        self.steps: list[BaseReasoningStep | None] = list(steps)
        self.excess = tokens_of(history) + sum(map(_cost, steps)) - max_tokens

    def ways_to_shorten(self) -> list[Callable[[], None]]:
        """The least harmful first."""
        results = [at for at, step in enumerate(self.steps) if isinstance(step, ResultStep)]
        latest = results[-1:]
        before = range(sum(latest) - 1)
        return [
            *(partial(self._cut_result, at, _HEAD_TOKENS) for at in results[:-1]),
            *[self._forget_oldest_exchange] * self._question,
            *(partial(self._note_round, at) for at in before),
            *(partial(self._cut_to_room, at) for at in latest),
            *(partial(self._note_call, at - 1) for at in latest),
            *(partial(self._put, at, None) for at in before),
            *[self._cut_question] * bool(self.history),
        ]

    @property
    def _question(self) -> int:
        """Where in the history the question stands."""
        users = [at for at, message in enumerate(self.history) if message.role == MessageRole.USER]
        return users[-1] if users else 0

    def _put(self, at: int, step: BaseReasoningStep | None) -> None:
        self.excess += _cost(step) - _cost(self.steps[at])
        self.steps[at] = step

    def _cut_result(self, at: int, max_tokens: int) -> None:
        step = self.steps[at]
        if isinstance(step, ResultStep) and estimate_tokens(text := defused(step.observation)) > max_tokens:
            self._put(at, step.model_copy(update={"observation": cut_to(text, max_tokens)}))

    def _cut_to_room(self, at: int) -> None:
        step = self.steps[at]
        if isinstance(step, ResultStep):
            room = estimate_tokens(defused(step.observation)) - self.excess - _SLACK_TOKENS
            self._cut_result(at, max(_HEAD_TOKENS, room))

    def _note_round(self, at: int) -> None:
        call = self.steps[at]
        if isinstance(call, CallStep):
            self._put(at, _note(call, "and its result"))
            self._put(at + 1, None)

    def _note_call(self, at: int) -> None:
        call = self.steps[at]
        if isinstance(call, CallStep):
            self._put(at, _note(call, "as it was written"))

    def _forget_oldest_exchange(self) -> None:
        for _ in range(self._question):
            self.excess -= tokens_of([self.history.pop(0)])
            if self.history[0].role == MessageRole.USER:
                break

    def _cut_question(self) -> None:
        question = self.history[self._question]
        text = question.content or ""
        room = max(_SHORTEST_QUESTION_TOKENS, estimate_tokens(text) - self.excess - _SLACK_TOKENS)
        others = [block for block in question.blocks if not isinstance(block, TextBlock)]
        shorter = question.model_copy(update={"blocks": [TextBlock(text=cut_middle(text, room)), *others]})
        self.excess += tokens_of([shorter]) - tokens_of([question])
        self.history[self._question] = shorter


def _cost(step: BaseReasoningStep | None) -> int:
    return tokens_of([ChatMessage(content=step.get_content())]) if step else 0


def _note(call: CallStep, what: str) -> AdviceStep:
    return AdviceStep(observation=f"[Left out to save room: the call {clip(call.key, _MAX_NOTED_CHARS)} {what}.]")
