"""Asks a person before a tool does what strangers may have talked the model into. One policy a chat; knows no page."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from tools.base import ActsOutside, PlannedCall, ToolError
from tools.consent_request import Answer, ConsentRequest, Reason, Setting

Ask: TypeAlias = Callable[[ConsentRequest], Awaitable[Answer]]
"""Shows the request to the person and waits for their answer. Cancelling it takes the question away."""


class ConsentPolicy:
    """The gate of one chat's tools. `setting` may be changed at any time and holds from the next call on.

    Questions are asked one after another, even if several calls come at once.
    """

    def __init__(self, ask: Ask, *, setting: Setting = "risky") -> None:
        self.setting: Setting = setting
        self._ask = ask
        self._always = set[str]()
        self._read_before: dict[str, None] = {}
        self._asking = asyncio.Lock()
        self._unanswered = 0

    def note_strangers_text(self, tool: str) -> None:
        """From now on the model may be under the influence of what this tool brought, in this turn and later ones."""
        self._read_before[tool] = None

    async def admit(self, call: PlannedCall) -> None:
        """Return if the call may run. Raises `ToolError` if the person says no, or does not answer."""
        if not self._must_ask(call):
            return
        unanswered = self._unanswered
        async with self._asking:
            if self._unanswered > unanswered:  # who did not see the question before will not see this one
                raise ToolError(_unanswered(call), refusal="unanswered")
            if self._must_ask(call):  # the answer to the question before may have been "always"
                self._heed(await self._ask(self._request(call)), call)

    def _must_ask(self, call: PlannedCall) -> bool:
        if call.tool in self._always:
            return False
        return self.setting == "all" or (self.setting == "risky" and self._is_risky(call))

    def _is_risky(self, call: PlannedCall) -> bool:
        return call.acts_outside and bool(self._read_before)

    def _request(self, call: PlannedCall) -> ConsentRequest:
        reason: Reason = "strangers_text" if self._is_risky(call) else "every_call"
        return ConsentRequest(call.tool, call.arguments, reason, tuple(self._read_before))

    def _heed(self, answer: Answer, call: PlannedCall) -> None:
        match answer:
            case "allow":
                return
            case "always":
                self._always.add(call.tool)
            case "unanswered":
                self._unanswered += 1
                raise ToolError(_unanswered(call), refusal="unanswered")
            case _:
                raise ToolError(_denied(call), refusal="deny")


def unless_known(knows: Callable[[str], bool], *, parameter: str) -> ActsOutside:
    """For a tool that calls an address: one that a person or a search gave carries nothing out, any other may."""

    def acts_outside(arguments: dict[str, Any]) -> bool:
        return not knows(str(arguments[parameter]))

    return acts_outside


def _denied(call: PlannedCall) -> str:
    return (
        f"The user did not allow this call of {call.tool}, so it was not run. Go on without it, or ask them what they "
        "want; do not try to get the same in another way."
    )


def _unanswered(call: PlannedCall) -> str:
    return (
        f"The user was asked whether {call.tool} may run and did not answer in time, so it was not run. Go on without "
        "it and tell them so."
    )
