"""What a real Chromium makes of long thinking: its longest freeze, its CPU time, whether all of the text is there, how
soon Stop has stopped, and how soon the first token of a block is on the page."""

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.async_api import Page

from bench.page.apps import APPS, OURS, STOCK, chromium_cpu_seconds, started
from bench.page.provider import STAMP, WORDS, Job
from bench.page.table import head, row, say
from tests.e2e.browser import ask, browsing

LONG = [Job(5_000, pace=100), Job(10_000, pace=200), Job(50_000, pace=1_000)]
SHORT = [Job(15, 15, pace=30 + 4 * number, stamps="first", wait_s=0.3) for number in range(20)]
"""At the paces of usual models, each another, so that no rhythm of ours fits all of them."""
LONG_COLUMNS = (
    *("tokens", "app", "thinking", "pace reached", "end seen after", "longest task", "longest time without a frame"),
    *("CPU of Chromium", "whole text at the end", "longest task when opened again"),
)
PATIENCE_S = 60
"""A page that does not react for so long is dead."""
GRACE_S = 60
"""So much later than the stream's end a turn may end; then it is said to have never ended."""

WATCH = """() => {
    window.longest = {task: 0, frame: 0};
    new PerformanceObserver(list => {
        for (const {duration} of list.getEntries()) longest.task = Math.max(longest.task, duration);
    }).observe({type: 'longtask'});
    let last = performance.now();
    const frame = () => {
        const now = performance.now();
        longest.frame = Math.max(longest.frame, now - last);
        last = now;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""
TAKE_LONGEST = "() => { const found = {...longest}; longest.task = longest.frame = 0; return found; }"
"""In milliseconds: the longest task of the page's thread, and the longest time between two frames."""
IS_OVER = """() => new Promise(tell => setTimeout(() => tell(
    !document.querySelector('#stop-button') && Boolean(document.querySelector('#chat-submit'))), 200))"""
OPEN_ONCE = """() => {
    const seen = new Set();
    const open = () => document.querySelectorAll('[data-step-type="llm"] button[id^="step-"]').forEach(label => {
        const step = label.closest('div[id^="step-"]').id;
        if (!seen.has(step) && label.ariaExpanded === 'false') label.click();
        seen.add(step);
    });
    open();
    new MutationObserver(open).observe(document.body, {subtree: true, childList: true});
}"""
"""Open each thinking step once, when it comes or now; that it folds when it ends is left alone."""
THINKING_IS = """([whole]) => {
    const shown = document.querySelector('[data-step-type="llm"] .message-content')?.textContent ?? '';
    return shown.replace(/\\s+/g, '') === whole.replace(/\\s+/g, '');
}"""
NOTE_DELAYS = """pattern => {
    window.delays = {llm: [], assistant_message: []};
    const seen = new Set();
    const note = () => {
        const now = Date.now();
        for (const [kind, found] of Object.entries(delays))
            for (const block of document.querySelectorAll(`[data-step-type="${kind}"]`))
                for (const [, stamp] of block.textContent.matchAll(new RegExp(pattern, 'g')))
                    if (!seen.has(stamp)) {
                        seen.add(stamp);
                        found.push(now - stamp / 1000);
                    }
    };
    new MutationObserver(note).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


@dataclass(frozen=True, slots=True)
class Borne:
    """How the page bore one long turn. Seconds until its end, or None if that never came; freezes in milliseconds, or
    None if the page did not react any more; whether the whole text was there at the end."""

    seconds: float | None
    task: float | None
    frame: float | None
    cpu_seconds: float
    is_whole: bool
    opening: float | None


def run(scale: float) -> None:
    asyncio.run(_run(scale))


async def _run(scale: float) -> None:
    jobs = [Job(round(job.thinking * scale), pace=job.pace) for job in LONG]
    head("Long thinking in Chromium", *LONG_COLUMNS)
    await _long_turn(STOCK, jobs[0], opens=False)
    for job in jobs:
        await _long_turn(OURS, job, opens=False)  # it is open while it comes
        await _long_turn(STOCK, job, opens=True)
    await _stop(jobs[-1])
    head("Milliseconds until the first token of a block is on the page", "app", "block", "turns", "median", "worst")
    for name in APPS:
        await _delays(name, SHORT[:: 1 if scale == 1 else 5])


async def _long_turn(name: str, job: Job, *, opens: bool) -> None:
    with started(name) as (provider, app):
        async with browsing(app.url) as (page, _):
            await page.evaluate(WATCH)
            if opens:
                await page.evaluate(OPEN_ONCE)
            borne = await _bear(page, job, limit_s=job.seconds + GRACE_S)
        pace = f"{provider.streamed().pace:,.0f}" if borne.seconds else "–"
    row(
        *(f"{job.thinking:,} at {job.pace:,.0f} a second", name, "open" if opens or name == OURS else "closed", pace),
        f"{borne.seconds:.1f} s" if borne.seconds else "never",
        *(_freeze(borne.task), _freeze(borne.frame), f"{borne.cpu_seconds:.1f} s"),
        *("yes" if borne.is_whole else "no", _freeze(borne.opening) if borne.seconds else "–"),
    )


async def _bear(page: Page, job: Job, *, limit_s: float) -> Borne:
    cpu, began = chromium_cpu_seconds(), time.monotonic()
    await ask(page, job.question)
    is_over = await _within(limit_s, _over(page))
    seconds, cpu = time.monotonic() - began, chromium_cpu_seconds() - cpu
    longest = await _within(PATIENCE_S, page.evaluate(TAKE_LONGEST)) or {}
    if not is_over:
        return Borne(None, longest.get("task"), longest.get("frame"), cpu, is_whole=False, opening=None)
    await page.evaluate(OPEN_ONCE)
    is_whole = await _within(PATIENCE_S, page.wait_for_function(THINKING_IS, arg=[job.text], polling=200))
    opening = await _within(PATIENCE_S, page.evaluate(TAKE_LONGEST)) or {}
    return Borne(seconds, longest.get("task"), longest.get("frame"), cpu, bool(is_whole), opening.get("task"))


async def _over(page: Page) -> bool:
    """Wait for the turn's end as long as the page reacts."""
    await page.wait_for_selector("#stop-button")
    while not await asyncio.wait_for(page.evaluate(IS_OVER), PATIENCE_S):
        pass
    return True


async def _within(limit_s: float, coming: Awaitable[Any]) -> Any:
    """What comes, or None if it does not come in time."""
    try:
        return await asyncio.wait_for(coming, limit_s)
    except TimeoutError:
        return None


async def _stop(job: Job) -> None:
    """Press Stop when a third has come."""
    with started(OURS) as (provider, app):
        async with browsing(app.url) as (page, _):
            await ask(page, job.question)
            await page.get_by_text(f"Part {job.thinking // 3 // len(WORDS)}: ").wait_for(timeout=job.seconds * 1000)
            pressed, began = time.time(), time.monotonic()
            await page.click("#stop-button")
            await page.wait_for_selector("#chat-submit")
            took = time.monotonic() - began
            streamed = provider.streamed()
    say(
        f"\nStop, pressed in the midst of {job.thinking:,} at {job.pace:,.0f} a second: the turn was over on the page "
        f"after {took * 1e3:.0f} ms, the provider's stream after {(streamed.ended - pressed) * 1e3:.0f} ms, "
        f"{streamed.tokens:,} tokens in."
    )


async def _delays(name: str, jobs: list[Job]) -> None:
    with started(name) as (_, app):
        async with browsing(app.url) as (page, _):
            await page.evaluate(NOTE_DELAYS, STAMP.pattern)
            await page.evaluate(OPEN_ONCE)
            for job in jobs:
                await ask(page, job.question)
                await _over(page)
            delays = await page.evaluate("delays")
    for block, title in (("llm", "thinking"), ("assistant_message", "answer")):
        found = delays[block] or [float("nan")]
        row(name, title, len(delays[block]), f"{median(found):.0f}", f"{max(found):.0f}")


def _freeze(milliseconds: float | None) -> str:
    """Tasks of less than 50 ms are not told of."""
    if milliseconds is None:
        return f"over {PATIENCE_S} s"
    return f"{milliseconds:,.0f} ms" if milliseconds else "under 50 ms"
