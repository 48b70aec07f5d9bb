"""How much may be sent to a model, from what it says of itself and from its refusals. Knows no prompt."""

from llama_index.core.base.llms.types import LLMMetadata

from llm.errors import ContextTooLong

_SHARE_OF_WINDOW = 0.75
"""The rest of the window is for the reply, with its thinking, and for the error of the estimate."""


def input_limit(metadata: LLMMetadata) -> int:
    """How many tokens may be sent to the model. A reply's own limit counts as far as it leaves something to send."""
    window = metadata.context_window
    return min(round(window * _SHARE_OF_WINDOW), max(window - metadata.num_output, window // 4))


def narrower_limit(limit: int, refusal: ContextTooLong) -> int:
    """What to send instead of `limit` tokens: our facts about the window are wrong, or the estimate is."""
    told = refusal.facts.get("limit")
    window = told if isinstance(told, int) else limit
    return round(min(window, limit) * _SHARE_OF_WINDOW)
