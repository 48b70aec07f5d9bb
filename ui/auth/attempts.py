"""How often somebody may try to log in: guessing passwords has to be slow. Counts within this process."""

import time
from collections import deque

from chainlit.config import config
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

WINDOW_S = 300
MOST_PER_ADDRESS = 20
MOST_PER_NAME = 10
_MOST_KEYS = 10_000


class Attempts:
    """Counts by key, such as an address or a name, over the last minutes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: dict[str, deque[float]] = {}

    def may_try(self, key: str) -> bool:
        """Note one more attempt; False when there were too many."""
        now = time.monotonic()
        times = self._times.pop(key, None) or deque(maxlen=self._most + 1)
        times.append(now)
        self._times[key] = times  # the last, so that the first is the one that was idle longest
        if len(self._times) > _MOST_KEYS:
            del self._times[next(iter(self._times))]
        return len(times) <= self._most or times[0] < now - WINDOW_S


class LoginAttempts:
    """Refuses an address that tries too often, before the password is looked at."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._attempts = Attempts(MOST_PER_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_login = scope["type"] == "http" and scope["path"] == f"{config.run.root_path}/login"
        if is_login and scope["method"] == "POST" and not self._attempts.may_try(_address(scope)):
            refusal = JSONResponse(
                {"detail": "tooManyAttempts"}, status_code=429, headers={"Retry-After": str(WINDOW_S)}
            )
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope["client"] else ""
