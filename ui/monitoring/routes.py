"""What probes and scrapers ask for: `/ready` and `/metrics`. Chainlit would answer any path with the page."""

import asyncio
import hmac
import shutil
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import ip_address
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.monitoring.metrics import Metrics

Check = Callable[[], Awaitable[str | None]]
"""Gives None if all is well, else in a few words what is not."""

LONGEST_CHECK_S = 3.0
LEAST_FREE_BYTES = 100 * 1024 * 1024
_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


class OperatorRoutes:
    """`/ready` is 200 or 503 with what each check says; `/metrics` is for this computer or who knows the token."""

    def __init__(
        self, app: ASGIApp, *, root_path: str, checks: Mapping[str, Check], metrics: Metrics, token: str | None
    ) -> None:
        self._app = app
        self._root_path = root_path
        self._checks = checks
        self._metrics = metrics
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(self._root_path) if scope["type"] == "http" else ""
        match path:
            case "/ready":
                await (await self._ready())(scope, receive, send)
            case "/metrics":
                await self._figures(scope)(scope, receive, send)
            case _:
                await self._app(scope, receive, send)

    async def _ready(self) -> Response:
        found = await asyncio.gather(*(_result(check) for check in self._checks.values()))
        results = dict(zip(self._checks, found, strict=True))
        is_ready = not any(results.values())
        body = {
            "status": "ready" if is_ready else "not ready",
            **{name: says or "ok" for name, says in results.items()},
        }
        return JSONResponse(body, status_code=200 if is_ready else 503)

    def _figures(self, scope: Scope) -> Response:
        if not self._may_see(scope):
            return PlainTextResponse("Not found.", status_code=404)
        return Response(self._metrics.text(), media_type=_FORMAT)

    def _may_see(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        if self._token:
            return hmac.compare_digest(headers.get("authorization", "").encode(), f"Bearer {self._token}".encode())
        is_direct = "x-forwarded-for" not in headers and "forwarded" not in headers
        return is_direct and scope["client"] is not None and ip_address(scope["client"][0]).is_loopback


def has_space(folder: Path) -> Check:
    """Whether there is room to write."""

    async def check() -> str | None:
        free = await asyncio.to_thread(lambda: shutil.disk_usage(folder).free)
        return None if free >= LEAST_FREE_BYTES else f"only {free // (1024 * 1024)} MB free"

    return check


async def _result(check: Check) -> str | None:
    try:
        async with asyncio.timeout(LONGEST_CHECK_S):
            return await check()
    except TimeoutError:
        return "no answer"
    except OSError as error:
        return type(error).__name__
