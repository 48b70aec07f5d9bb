"""Runs code of a model confined: one Python per chat that keeps its variables, sees its chat's folder and nothing else.

Where no confinement holds on this machine, no code is run. Knows neither the tools nor the page.
"""

import asyncio
import logging
import platform
import sys
import tempfile
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tools.sandbox.command import bubblewrap, exposed
from tools.sandbox.confinement import SECOND_CHOICE, Cause, Confinement, Mode, off
from tools.sandbox.disk import remove_folder
from tools.sandbox.inside import landlock
from tools.sandbox.inside.syscalls import MACHINES
from tools.sandbox.limits import SandboxLimits
from tools.sandbox.outcome import Outcome
from tools.sandbox.process import NotStarted, Setting
from tools.sandbox.self_test import bring_font_list, leaks
from tools.sandbox.session import PythonSession
from tools.sandbox.slots import Slots
from tools.sandbox.users import user_for

__all__ = ["Cause", "Confinement", "Outcome", "PythonSession", "Sandbox", "SandboxLimits", "user_for"]

logger = logging.getLogger(__name__)

_STANDARD = SandboxLimits()
_MODES: tuple[Mode, ...] = ("bubblewrap", "landlock")


class Sandbox:
    """All confined Python of a server. `modes` are those that it may use, the better one first."""

    def __init__(self, limits: SandboxLimits = _STANDARD, *, modes: tuple[Mode, ...] = _MODES) -> None:
        self.limits = limits
        self._modes = modes
        self._slots = Slots(limits.max_live, patience_s=limits.queue_s)
        self._sessions = weakref.WeakSet[PythonSession]()
        self._setting: Setting | None = None
        self._confinement: Confinement | None = None
        self._probing = asyncio.Lock()
        self._fonts = Path(tempfile.mkdtemp(prefix="python-tool-fonts-"))
        self._fonts.chmod(0o755)
        self._listing_fonts: asyncio.Task[None] | None = None

    async def probe(self) -> Confinement:
        """Find out, once, how code can be confined here: each mode is attacked from within before it is trusted."""
        async with self._probing:
            if self._confinement is None:
                self._confinement = await self._probed()
                logger.log(
                    logging.INFO if self._confinement.mode == _MODES[0] else logging.WARNING,
                    "Confined Python: %s. %s %s",
                    self._confinement.mode or "off",
                    self._confinement.reason,
                    self._confinement.detail,
                )
        return self._confinement

    def session(self, folder: Path) -> PythonSession:
        """A chat's Python, in a folder that exists; nothing is started yet. Raises ValueError where it can't be."""
        if self._setting is None:
            raise ValueError("code can't be confined here, or `probe` has not been called")
        session = PythonSession(self._setting, self._slots, folder)
        self._sessions.add(session)
        return session

    async def close(self) -> None:
        """End all processes."""
        if self._listing_fonts is not None:
            self._listing_fonts.cancel()
            await asyncio.wait({self._listing_fonts})
        await asyncio.gather(*(session.close() for session in list(self._sessions)))
        await asyncio.to_thread(remove_folder, self._fonts)

    async def _probed(self) -> Confinement:
        if not self._modes:
            return off("switched_off")
        if sys.platform != "linux":
            return off("not_linux")
        if platform.machine() not in MACHINES:
            return off("processor", platform.machine())
        if exposed(Path.cwd()):
            return off("exposed", str(Path.cwd()))
        failures = []
        for mode in self._possible_modes():
            try:
                return await self._tried(mode)
            except NotStarted as failure:
                failures.append(f"{mode}: {failure}")
        return off(self._why_not(), "; ".join(failures))

    def _possible_modes(self) -> list[Mode]:
        has = {"bubblewrap": bubblewrap() is not None, "landlock": landlock.version() > 0}
        return [mode for mode in self._modes if has[mode]]

    def _why_not(self) -> Cause:
        if "landlock" in self._possible_modes():
            return "failing"
        return "forbidden" if bubblewrap() else "not_installed"

    async def _tried(self, mode: Mode) -> Confinement:
        async with self._trial(mode) as (trial, _):
            leaking = await leaks(trial)
        if leaking:
            return off("leaking", f"{mode}: {', '.join(leaking)}")
        self._setting = Setting(mode=mode, limits=self.limits, fonts=self._fonts)
        self._listing_fonts = asyncio.create_task(self._list_fonts(mode))
        return Confinement(mode, "" if mode == _MODES[0] else SECOND_CHOICE)

    async def _list_fonts(self, mode: Mode) -> None:
        async with self._trial(mode) as (trial, folder):
            await bring_font_list(trial, folder, self._fonts)

    @asynccontextmanager
    async def _trial(self, mode: Mode) -> AsyncIterator[tuple[PythonSession, Path]]:
        """A session for code of our own, in a folder for the time being."""
        folder = Path(tempfile.mkdtemp(prefix="python-tool-"))
        trial = PythonSession(Setting(mode=mode, limits=_STANDARD, self_test=True), Slots(1, patience_s=0), folder)
        try:
            yield trial, folder
        finally:
            await trial.close()
            await asyncio.to_thread(remove_folder, folder)
