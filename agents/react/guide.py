"""The hook for models too small to keep the format by themselves: what a guide may add to each call of the model."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from llama_index.core.tools import BaseTool


@runtime_checkable
class Guide(Protocol):
    """Steers one agent's model. Called once per round, before the model is. `tools` are all that it can cope with."""

    tools: frozenset[str]

    def system_prompt(self, tools: Sequence[BaseTool]) -> str:
        """The whole system prompt, in place of ours."""
        ...

    def request_kwargs(self, tools: Sequence[BaseTool], *, observations: Sequence[str]) -> dict[str, Any]:
        """Keyword arguments for the model's `astream_chat`, for example a grammar.

        `tools` is empty in the closing call, which may only answer. `observations` are this turn's tool results so far.
        """
        ...
