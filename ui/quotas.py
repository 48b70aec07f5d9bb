"""How much one person may have of the model: turns at once, messages a minute, tokens a day (a day of UTC).

Counted for all processes together. Must not know how a turn is answered, nor how a refusal is shown.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from agents.events import (
    AnswerDelta,
    RoundStarted,
    ThinkingDelta,
    ThoughtDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    UsageReported,
)
from agents.token_estimate import estimate_tokens
from ui.auth.secret import keyed_mark
from ui.data_layer.counts import Counts
from ui.data_layer.database import Database
from ui.data_layer.own_counts import Limit

LEASE_S = 30.0
"""A turn whose process says nothing for so long runs no more: it was killed."""
_MINUTE_S = 60.0
RUNNING, MESSAGES, TOKENS = "running", "messages", "tokens"


class QuotaReached(Exception):
    """The person has had so many (`most`) of what is limited; `wait_s` seconds from now there is more."""

    def __init__(self, most: int, wait_s: float) -> None:
        super().__init__(f"the limit is {most}, wait {wait_s:.0f} s")
        self.most = most
        self.wait_s = wait_s


class TooManyRunning(QuotaReached):
    """So many turns of this person run, in all their chats. `wait_s` says nothing: they end when they end."""


class TooManyMessages(QuotaReached):
    """So many turns of this person began within a minute."""


class TokensUsedUp(QuotaReached):
    """So many tokens, or more, went into this person's turns since midnight."""


_REASONS = {RUNNING: TooManyRunning, MESSAGES: TooManyMessages, TOKENS: TokensUsedUp}


class Quotas:
    """One for the app. A limit of 0 is none.

    A person is who is logged in. Where nobody logs in it is the browser, by its signed cookie, and not the address:
    whole offices share one, and whoever may use the app without a login is trusted, so the limits are there against
    accidents. Whoever needs them firm has people log in.
    """

    def __init__(
        self,
        database: Database,
        *,
        max_running_turns: int,
        max_messages_per_minute: int,
        max_tokens_per_day: int,
        lease_s: float = LEASE_S,
    ) -> None:
        self._counts = Counts(database)
        self._is_alone = database.is_sqlite
        self._most = {TOKENS: max_tokens_per_day, RUNNING: max_running_turns, MESSAGES: max_messages_per_minute}
        self._lease_s = lease_s
        self._running: set[str] = set()
        self._renewing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """The app begins. Where no other process serves the same chats, no turn runs: those before it were killed."""
        if self._is_alone and self._most[RUNNING]:
            await self._counts.forget_all(RUNNING)

    @asynccontextmanager
    async def turn(self, person: str, question: str) -> AsyncIterator["TurnQuota"]:
        """A turn of this person, for as long as the context lasts. Raises `QuotaReached` before it begins."""
        whose, turn_id = keyed_mark("person", person), uuid.uuid4().hex  # not the message's: it may be asked anew
        limits = self._limits()
        full = await self._counts.take(whose, limits, count_id=turn_id) if limits else None
        if full:
            raise _REASONS[full.limit.kind](full.limit.most, full.wait_s)
        self._running.add(turn_id)
        self._keep_renewing()
        quota = TurnQuota(self._counts, whose, question, is_counting=self._most[TOKENS] > 0)
        try:
            yield quota
        finally:
            self._running.discard(turn_id)
            await quota.end()
            if self._most[RUNNING]:
                await self._counts.give_back(whose, RUNNING, count_id=turn_id)

    def _limits(self) -> list[Limit]:
        """Those that there are, the one that lasts longest first."""
        all_limits = (
            _tokens_of_today(self._most[TOKENS]),
            Limit(RUNNING, self._most[RUNNING], self._lease_s),
            Limit(MESSAGES, self._most[MESSAGES], _MINUTE_S),
        )
        return [limit for limit in all_limits if limit.most]

    def _keep_renewing(self) -> None:
        if self._most[RUNNING] and (self._renewing is None or self._renewing.done()):
            self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        lease = Limit(RUNNING, self._most[RUNNING], self._lease_s)
        await asyncio.sleep(self._lease_s / 3)
        while self._running:
            await self._counts.renew(lease, sorted(self._running))
            await asyncio.sleep(self._lease_s / 3)


class TurnQuota:
    """Counts the tokens of a turn with each round that ends, so that little is lost with a process that is killed.

    Where the endpoint does not count, or the round was cut, they are estimated: what the round wrote, and for what it
    read the question and all that the turn had brought before. Earlier turns of the chat are not in that estimate.
    """

    def __init__(self, counts: Counts, whose: str, question: str, *, is_counting: bool) -> None:
        self._counts = counts
        self._whose = whose
        self._is_counting = is_counting
        self._read = [question]
        self._written: list[str] = []
        self._is_open = False

    async def note(self, event: TurnEvent) -> None:
        """One event of the turn."""
        if not self._is_counting:
            return
        match event:
            case RoundStarted():
                await self.end()
                self._read += self._written
                self._written.clear()
                self._is_open = True
            case ThinkingDelta(text) | ThoughtDelta(text) | AnswerDelta(text):
                self._written.append(text)
            case ToolStarted(arguments=arguments):
                self._written.append(str(arguments))
            case ToolFinished(text=text):
                self._read.append(text)
            case UsageReported():
                await self._close_round(event)

    async def end(self) -> None:
        """Count the round that was not reported, if there is one."""
        if self._is_open:
            await self._close_round(UsageReported())

    async def _close_round(self, usage: UsageReported) -> None:
        read, written = usage.prompt_tokens, usage.completion_tokens
        if read is None:
            read = estimate_tokens("\n".join(self._read))
        if written is None:
            written = estimate_tokens("".join(self._written))
        self._is_open = False
        today = datetime.now(UTC).date().isoformat()
        await self._counts.add(self._whose, _tokens_of_today(0), read + written, count_id=today)


def _tokens_of_today(most: int) -> Limit:
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
    return Limit(TOKENS, most, (midnight - now).total_seconds(), is_taken=False)
