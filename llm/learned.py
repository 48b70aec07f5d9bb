"""What an endpoint taught us by refusing: remembered for the process, so that each lesson costs one request."""

import re
from dataclasses import dataclass
from functools import lru_cache

from llm.errors import LLMError, RequestRefused

_UNWANTED = re.compile(
    r"unsupported|not supported|unknown|unrecognized|unexpected|not permitted|not allowed|should not|must not",
    re.IGNORECASE,
)
_DEMANDED = re.compile(r"must be passed|missing|is required|must be provided|must include", re.IGNORECASE)
_THINKING_KEYS = re.compile(r"reasoning(?:_content|_details)?\b|thinking_blocks")


@dataclass(slots=True)
class Lessons:
    """What is known better than the profile. None: nothing."""

    wants_thinking_back: bool | None = None
    refuses_stream_options: bool = False
    opens_block_in_prompt: bool = False

    def learn(self, error: LLMError) -> bool:
        """Take a refusal in. Whether the request should be sent once more, changed."""
        if not isinstance(error, RequestRefused):
            return False
        words = error.detail
        if "stream_options" in words and not self.refuses_stream_options:
            self.refuses_stream_options = True
            return True
        if not _THINKING_KEYS.search(words):
            return False
        wanted = False if _UNWANTED.search(words) else True if _DEMANDED.search(words) else None
        if wanted is None or wanted == self.wants_thinking_back:
            return False
        self.wants_thinking_back = wanted
        return True


@lru_cache(maxsize=256)
def lessons_about(address: str, model: str) -> Lessons:
    """The lessons of this model at this address, the same object each time."""
    return Lessons()
