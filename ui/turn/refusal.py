"""Why a message is not answered just now, in words. Pure."""

import math

from ui.quotas import QuotaReached, TokensUsedUp, TooManyRunning
from ui.texts import Texts, duration
from ui.turn.summary import counted

_HOUR_S = 3600


def refusal_sentence(texts: Texts, refusal: QuotaReached) -> str:
    """What the person has had of it, and what to do."""
    words, wait = texts.quotas, _wait(texts, refusal.wait_s)
    if isinstance(refusal, TooManyRunning):
        return counted(words.running, refusal.most)
    if isinstance(refusal, TokensUsedUp):
        return words.tokens.format(count=f"{refusal.most:,}", wait=wait)
    one, many = words.messages
    return (one if refusal.most == 1 else many).format(count=refusal.most, wait=wait)


def _wait(texts: Texts, seconds: float) -> str:
    """Rounded up: who comes back after it is not refused again."""
    if seconds < _HOUR_S:
        return duration(texts, math.ceil(seconds))
    minutes = math.ceil(seconds / 60)
    return texts.quotas.hours.format(hours=minutes // 60, minutes=minutes % 60)
