"""What one person may have, and how a refusal is put."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import select

from agents.events import AnswerDelta, RoundStarted, ThinkingDelta, ToolFinished, ToolStarted, TurnEvent, UsageReported
from agents.token_estimate import estimate_tokens
from ui.data_layer.history import History
from ui.data_layer.tables import COUNTS
from ui.quotas import QuotaReached, Quotas, TokensUsedUp, TooManyMessages, TooManyRunning
from ui.texts import CHINESE, ENGLISH, Texts
from ui.turn.refusal import refusal_sentence

NewQuotas = Callable[..., Quotas]


@pytest.fixture
def quotas(history: History) -> NewQuotas:
    """Quotas with these limits alone, like those of a further process."""

    def make(*, running: int = 0, messages: int = 0, tokens: int = 0) -> Quotas:
        limits = {"max_running_turns": running, "max_messages_per_minute": messages, "max_tokens_per_day": tokens}
        return Quotas(history.database, **limits)

    return make


async def turn(quotas: Quotas, *events: TurnEvent, person: str = "ada", question: str = "") -> None:
    async with quotas.turn(person, question) as quota:
        for event in events:
            await quota.note(event)


async def tokens(history: History) -> int:
    async with history.database.reading() as connection:
        return sum((await connection.execute(select(COUNTS.c.amount).where(COUNTS.c.kind == "tokens"))).scalars())


async def test_turns_at_once_are_limited_in_all_processes_and_end_with_their_context(quotas: NewQuotas) -> None:
    here, there = quotas(running=2), quotas(running=2)
    async with AsyncExitStack() as running:
        await running.enter_async_context(here.turn("ada", ""))
        await running.enter_async_context(there.turn("ada", ""))
        for process in (here, there):
            with pytest.raises(TooManyRunning):
                await turn(process)
        await turn(here, person="bob")
    await turn(there)


async def test_after_a_restart_turns_that_were_killed_count_no_more(quotas: NewQuotas) -> None:
    async with quotas(running=1).turn("ada", ""):
        again = quotas(running=1)
        with pytest.raises(TooManyRunning):
            await turn(again)
        await again.start()
        await turn(again)


async def test_a_turn_that_fails_or_is_stopped_runs_no_more(quotas: NewQuotas) -> None:
    one, begun = quotas(running=1), asyncio.Event()

    async def endless() -> None:
        async with one.turn("ada", ""):
            begun.set()
            await asyncio.Event().wait()

    with pytest.raises(ZeroDivisionError):
        async with one.turn("ada", ""):
            raise ZeroDivisionError
    task = asyncio.create_task(endless())
    await asyncio.wait_for(begun.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await turn(one)


async def test_messages_within_a_minute_are_limited_and_refused_ones_are_not_counted(quotas: NewQuotas) -> None:
    here, there = quotas(messages=3), quotas(messages=3)
    for process in (here, there, here):
        await turn(process)
    for process in (here, there, there):
        with pytest.raises(TooManyMessages) as refused:
            await turn(process)
        assert refused.value.most == 3
        assert 0 < refused.value.wait_s <= 60
    await turn(there, person="bob")


async def test_many_at_once_do_not_slip_through(quotas: NewQuotas) -> None:
    processes = [quotas(messages=10) for _ in range(3)]
    results = await asyncio.gather(*(turn(p) for p in processes for _ in range(10)), return_exceptions=True)
    assert sum(result is None for result in results) == 10
    assert {type(result) for result in results if result} == {TooManyMessages}


async def test_tokens_of_a_day_are_limited_after_the_turn_that_used_them_up(quotas: NewQuotas) -> None:
    here, there = quotas(tokens=100), quotas(tokens=100)
    await turn(here, RoundStarted(1), UsageReported(40, 0, 10, 20))
    await turn(there, RoundStarted(1), UsageReported(20, 0, 0, 10), RoundStarted(2), UsageReported(100, 0, 0, 10))
    for process in (here, there):
        with pytest.raises(TokensUsedUp) as refused:
            await turn(process)
        assert 0 < refused.value.wait_s <= 24 * 3600
    await turn(here, person="bob")


async def test_tokens_count_with_each_round_even_if_the_turn_never_ends(quotas: NewQuotas, history: History) -> None:
    async with quotas(tokens=100).turn("ada", "") as quota:
        await quota.note(RoundStarted(1))
        await quota.note(UsageReported(70, 0, 0, 30))
        assert await tokens(history) == 100


QUESTION, THINKING, ANSWER, FOUND = "What is the capital of Peru?", "Let me look it up.", "It is Lima.", "Lima " * 100


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], 0),
        ([RoundStarted(1)], estimate_tokens(QUESTION) + estimate_tokens("")),
        ([RoundStarted(1), AnswerDelta(ANSWER), UsageReported(7, 0, 0, 5)], 12),
        ([RoundStarted(1), AnswerDelta(ANSWER), UsageReported(7)], 7 + estimate_tokens(ANSWER)),
        (
            [RoundStarted(1), ThinkingDelta(THINKING), AnswerDelta(ANSWER[:4]), AnswerDelta(ANSWER[4:])],
            estimate_tokens(QUESTION) + estimate_tokens(THINKING + ANSWER),
        ),
        (
            [
                RoundStarted(1),
                ThinkingDelta(THINKING),
                UsageReported(50, 0, 0, 10),
                ToolStarted("a", "search_web", {}),
                ToolFinished("a", FOUND, 1),
                RoundStarted(2),
                AnswerDelta(ANSWER),
            ],
            60 + estimate_tokens("\n".join([QUESTION, FOUND, THINKING, "{}"])) + estimate_tokens(ANSWER),
        ),
    ],
)
async def test_what_an_endpoint_does_not_count_is_estimated(
    quotas: NewQuotas, history: History, events: list[TurnEvent], expected: int
) -> None:
    await turn(quotas(tokens=10**6), *events, question=QUESTION)
    assert await tokens(history) == expected


async def test_without_limits_nothing_is_asked_or_kept(quotas: NewQuotas, history: History) -> None:
    await turn(quotas(), RoundStarted(1), UsageReported(1, 1, 1, 1))
    async with history.database.reading() as connection:
        assert (await connection.execute(select(COUNTS))).all() == []


async def test_nobodys_name_is_kept(quotas: NewQuotas, history: History) -> None:
    limits = quotas(running=1, messages=9, tokens=9)
    async with limits.turn("ada", ""), history.database.reading() as connection:
        kept = [tuple(row) for row in await connection.execute(select(COUNTS))]
    assert len(kept) == 2
    assert "ada" not in str(kept)


MINUTE = "You have sent {} within a minute. Wait {}, then send it again."
RUNNING = "{} answers are still being written for you. Wait until one is done, or stop one, then send this again."
USED_UP = "You have used your 100,000 tokens for today. There are new ones in {}; then send this again."


@pytest.mark.parametrize(
    ("texts", "refusal", "sentence"),
    [
        (ENGLISH, TooManyMessages(30, 19.2), MINUTE.format("30 messages", "20 s")),
        (ENGLISH, TooManyMessages(1, 60), MINUTE.format("1 message", "1 min 0 s")),
        (ENGLISH, TooManyRunning(3, 1), RUNNING.format(3)),
        (ENGLISH, TokensUsedUp(100_000, 5 * 3600 + 61), USED_UP.format("5 h 2 min")),
        (ENGLISH, TokensUsedUp(100_000, 0.2), USED_UP.format("1 s")),
        (CHINESE, TooManyMessages(30, 19.2), "你在一分钟内发送了 30 条消息。请等 20 秒，然后再发送一次。"),
        (CHINESE, TooManyRunning(1, 1), "还有一个回答正在为你书写。请等它写完，或将它停止，然后再发送一次。"),
        (CHINESE, TokensUsedUp(9, 90), "你今天的 9 个词元已经用完。1 分 30 秒后会有新的额度，届时请再发送一次。"),
    ],
)
def test_a_refusal_says_what_was_had_and_what_to_do(texts: Texts, refusal: QuotaReached, sentence: str) -> None:
    assert refusal_sentence(texts, refusal) == sentence
