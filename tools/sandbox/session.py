"""One chat's Python: its state, its limits, its end. A process is started when it is needed and the limits watch it."""

import asyncio
import contextlib
import json
import logging
import secrets
import signal
from dataclasses import replace
from pathlib import Path

from tools.sandbox.disk import Listing, clear_away, listing
from tools.sandbox.outcome import (
    ANEW,
    BUSY,
    GONE,
    KEPT,
    NOT_STARTED,
    TOO_LONG,
    Breach,
    Outcome,
    breach_words,
    death_words,
    memory_words,
)
from tools.sandbox.process import MOST_REQUEST_BYTES, ConfinedProcess, NotStarted, Setting, start_process
from tools.sandbox.report import Report, pictures_from, plots_from, tables_from
from tools.sandbox.slots import Busy, Slots
from tools.sandbox.users import user_of

logger = logging.getLogger(__name__)

_GRACE_S = 1.0
"""How long code may take to give up when it is interrupted, before it is killed."""
_WATCH_S = 0.05
_FULL = 0.8
"""Of the memory: whoever still holds that much after an error can't go on computing."""


class PythonSession:
    """One chat's Python. Calls run one after the other and share their variables; cancelling one kills it at once."""

    def __init__(self, setting: Setting, slots: Slots, folder: Path) -> None:
        self._setting, self._slots, self._folder = setting, slots, folder
        self._process: ConfinedProcess | None = None
        self._lost_variables = False
        self._one_at_a_time = asyncio.Lock()
        self._idle_timer: asyncio.TimerHandle | None = None

    @property
    def longest_call_s(self) -> float:
        """See `SandboxLimits`."""
        return self._setting.limits.longest_call_s

    async def run(self, code: str) -> Outcome:
        """Run the code in the chat's variables. What goes wrong is told in the outcome."""
        request = json.dumps({"code": code, "token": (token := secrets.token_hex(16))}, ensure_ascii=False)
        encoded = request.encode("utf-8", "replace")
        if len(encoded) > MOST_REQUEST_BYTES:
            return Outcome(error=TOO_LONG)
        async with self._one_at_a_time:
            try:
                process = await self._ready()
            except Busy:
                return Outcome(error=BUSY)
            except NotStarted as error:
                logger.error("The confined Python did not start: %s", error)
                return Outcome(error=NOT_STARTED)
            notices = (ANEW,) if self._lost_variables else ()
            self._lost_variables = False
            outcome = await self._call(process, encoded, token)
            return replace(outcome, notices=(*notices, *outcome.notices))

    async def close(self) -> None:
        """End the process, if there is one."""
        process = self._process
        self._drop()
        if process is not None:
            await process.gone()

    async def _ready(self) -> ConfinedProcess:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._process is not None:
            self._slots.work(self)
            return self._process
        await self._slots.take()
        try:
            self._process = await start_process(self._setting, self._folder)
        finally:
            if self._process is None:
                self._slots.give_back(self)
        return self._process

    def _drop(self, *, told: bool = False) -> None:
        """End the process; `told` where the model learns at once that its variables are gone."""
        if self._process is None:
            return
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._process.kill()
        self._process = None
        self._lost_variables = not told
        self._slots.give_back(self)

    def _rest(self) -> None:
        """Keep the process, paused, until the chat goes on, has been idle for long, or another chat needs the place."""
        self._slots.rest(self, self._drop)
        self._idle_timer = asyncio.get_running_loop().call_later(self._setting.limits.idle_s, self._drop)

    async def _call(self, process: ConfinedProcess, request: bytes, token: str) -> Outcome:
        with contextlib.ExitStack() as undo:
            undo.callback(self._drop)
            before = await asyncio.to_thread(listing, self._folder, owner=user_of(self._folder))
            process.begin(self._setting.limits.output_chars)
            process.ask(request)
            report, breach = await self._watched(process, token, before)
            process.pause()
            outcome = await self._outcome(process, report, breach, before)
            undo.pop_all()
        if self._process is not None:
            self._rest()
        return outcome

    async def _watched(
        self, process: ConfinedProcess, token: str, before: Listing
    ) -> tuple[Report | None, Breach | None]:
        """The report, and the limit that was broken, if one was: then the code is interrupted and may still report."""
        reporting = asyncio.create_task(process.report(token))
        watching = asyncio.create_task(self._breach(process, before))
        try:
            await asyncio.wait(
                {reporting, watching}, timeout=self._setting.limits.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if reporting.done():
                return reporting.result(), None
            breach = watching.result() if watching.done() else "time"
            if breach in ("time", "output"):
                process.signal(signal.SIGINT)
                await asyncio.wait({reporting}, timeout=_GRACE_S)
            return (reporting.result() if reporting.done() else None), breach
        finally:
            reporting.cancel()
            watching.cancel()

    async def _breach(self, process: ConfinedProcess, before: Listing) -> Breach:
        """Wait until the code prints or stores too much."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.printed_too_much.wait(), _WATCH_S)
                return "output"
            for folder in (self._folder, process.scratch):
                if self._is_overfull(await asyncio.to_thread(listing, folder), before):
                    return "disk"
            if self._has_written_too_much(process):
                return "written"

    def _is_overfull(self, now: Listing, before: Listing) -> bool:
        """Whether a folder holds too much, which a chat whose folder was full before may change but not add to."""
        most = max(self._setting.limits.disk_mb << 20, before.size_bytes + (1 << 20))
        return now.size_bytes > most or (now.is_overgrown and not before.is_overgrown)

    def _has_written_too_much(self, process: ConfinedProcess) -> bool:
        return process.written_bytes() > self._setting.limits.written_mb << 20

    async def _outcome(
        self, process: ConfinedProcess, report: Report | None, breach: Breach | None, before: Listing
    ) -> Outcome:
        printed = process.output.text()
        after = await asyncio.to_thread(listing, self._folder)
        if self._is_overfull(after, before):
            breach = "disk"
        if report is None or breach in ("disk", "written"):
            words = await self._ended(process, breach, before)
            return Outcome(printed=printed, error=f"{words} {GONE}")
        error = self._error_in(process, report, breach)
        if self._has_written_too_much(process):
            self._drop()
        return Outcome(
            printed=printed,
            value=report.value,
            figures=(*pictures_from(report), *await asyncio.to_thread(plots_from, report)),
            tables=tables_from(report),
            files=after.changed_since(before),
            error=error,
            notices=tuple(report.notes),
        )

    async def _ended(self, process: ConfinedProcess, breach: Breach | None, before: Listing) -> str:
        status = None if breach else await process.exit_status()
        self._drop(told=True)
        if breach is None:
            return death_words(status)
        await process.gone()
        if breach == "disk":
            await asyncio.to_thread(clear_away, self._folder, before)
        return breach_words(breach, self._setting.limits)

    def _error_in(self, process: ConfinedProcess, report: Report, breach: Breach | None) -> str | None:
        limits = self._setting.limits
        if breach is not None and report.half_imported:
            self._drop(told=True)
            return f"{breach_words(breach, limits)} {GONE}"
        if breach is not None:
            return f"{breach_words(breach, limits)} {KEPT}"
        if not report.out_of_memory:
            return report.error
        if process.memory_bytes() > _FULL * (limits.memory_mb << 20):
            self._drop(told=True)
            return f"{memory_words(limits)} {GONE}"
        return f"{memory_words(limits)} {KEPT}\n{report.error or ''}".rstrip()
