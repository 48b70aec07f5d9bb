"""Whether and when a failed call is made again: the one layer of retries. The SDK's own and LlamaIndex's are off."""

import time
from random import SystemRandom

from llm.errors import LLMError, RateLimited
from llm.learned import Lessons

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 10.0
LONGEST_WAIT_S = 10.0
"""An endpoint that asks for more patience than this is not waited for: a person would rather know."""
PATIENCE_S = 20.0
"""Once a call has taken this long it is not tried again: each attempt may have used up its own timeout."""
JITTER = 0.25
"""Share by which a delay varies, so that many clients do not come back at the same moment."""
MAX_LESSONS = 2

_random = SystemRandom()


class Attempts:
    """The attempts at one call. Nothing is repeated once a person has seen a part of the reply."""

    def __init__(self, max_retries: int, lessons: Lessons) -> None:
        self.delay: float | None = 0.0
        """Seconds to wait before the next attempt; None once there is to be none."""
        self.was_seen = False
        self._began = time.monotonic()
        self._left = max_retries
        self._lessons = lessons
        self._lessons_left = MAX_LESSONS
        self._next_delay = FIRST_DELAY_S

    def conclude(self, failure: LLMError | None) -> None:
        """An attempt has ended. Sets `delay`, or raises the failure if it is final."""
        self.delay = self._delay_after(failure) if failure else None

    def _delay_after(self, failure: LLMError) -> float:
        if not self.was_seen and self._lessons_left and self._lessons.learn(failure):
            self._lessons_left -= 1
            return 0.0
        asked = failure.retry_after if isinstance(failure, RateLimited) else None
        is_over = self.was_seen or not self._left or time.monotonic() - self._began > PATIENCE_S
        if is_over or not failure.is_retryable or (asked or 0.0) > LONGEST_WAIT_S:
            raise failure
        self._left -= 1
        delay, self._next_delay = self._next_delay, min(self._next_delay * 2, LONGEST_DELAY_S)
        return asked if asked is not None else delay * _random.uniform(1 - JITTER, 1 + JITTER)
