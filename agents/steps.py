"""The rounds of one turn as LlamaIndex reasoning steps, each able to say itself to the model. No model, no parsing."""

import json
from collections import Counter
from itertools import pairwise
from typing import Any

from llama_index.core.agent.react.types import ActionReasoningStep, BaseReasoningStep, ObservationReasoningStep

from agents.observation import defused, fenced, in_all_texts, without_tokens

_EMPTY_RESULTS = frozenset({"", "none", "null", "[]", "{}", '""', "()"})
_MAX_BAD_REPLY_CHARS = 2_000
_MAX_NAME = 40
MAX_SAME_RESULTS = 3
"""How often one call may bring the same result: a model that asks once more has lost its way."""


class CallStep(ActionReasoningStep):
    """A reply that called a tool. It goes back to the model in the very form that the prompt asks for.

    What it holds may have been copied from a tool's result, so it is made as harmless as that.
    """

    left_out: tuple[str, ...] = ()
    """Arguments that the model gave and the tool does not know."""

    def get_content(self) -> str:
        thought = f"Thought: {defused(self.thought)}\n" if self.thought else ""
        return f"{thought}Action: {self.action}\nAction Input: {_json(self.action_input)}"

    @property
    def key(self) -> str:
        """Equal for calls of the same tool with the same arguments."""
        return f"{self.action} {json.dumps(self.action_input, sort_keys=True, ensure_ascii=False, default=str)}"


class ResultStep(ObservationReasoningStep):
    """What a tool gave back; `left_out` are the arguments of the call that it does not know."""

    source: str
    is_error: bool = False
    left_out: tuple[str, ...] = ()

    def get_content(self) -> str:
        names = ", ".join(without_tokens(" ".join(name[:_MAX_NAME].split())) for name in self.left_out)
        note = f"\n({self.source} has no parameter {names}; it was left out.)" if names else ""
        return f"Observation: {fenced(self.observation, source=self.source, is_error=self.is_error)}{note}"

    @property
    def is_useless(self) -> bool:
        """Whether the call failed or found nothing, so that the same call again will hardly help."""
        return self.is_error or self.observation.strip().lower() in _EMPTY_RESULTS


class BadReplyStep(BaseReasoningStep):
    """A reply that could not be used, as the model wrote it, so that it sees what the advice is about."""

    text: str

    def get_content(self) -> str:
        return without_tokens(self.text[:_MAX_BAD_REPLY_CHARS])

    @property
    def is_done(self) -> bool:
        return False


class AdviceStep(ObservationReasoningStep):
    """What we tell the model; words of its own may be in it."""

    def get_content(self) -> str:
        return without_tokens(self.observation)


def has_repeated_useless_call(steps: list[BaseReasoningStep]) -> bool:
    """Whether one and the same call has failed or found nothing twice, or said the same in four rounds."""
    useless: set[str] = set()
    said: Counter[tuple[str, str]] = Counter()
    for call, result in pairwise(steps):
        if not (isinstance(call, CallStep) and isinstance(result, ResultStep)):
            continue
        said[call.key, result.observation] += 1
        if said[call.key, result.observation] > MAX_SAME_RESULTS or (result.is_useless and call.key in useless):
            return True
        if result.is_useless:
            useless.add(call.key)
    return False


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(in_all_texts(arguments, defused), ensure_ascii=False, default=str)
