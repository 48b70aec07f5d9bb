"""How often somebody may try to log in: guessing passwords has to be slow, whichever process is asked."""

import math
import uuid
from ipaddress import IPv6Address, ip_address, ip_network

from chainlit.config import config
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.auth.secret import keyed_mark
from ui.data_layer.counts import Counts
from ui.data_layer.own_counts import Full, Limit

WINDOW_S = 300
MOST_PER_ADDRESS = 20
MOST_PER_NAME = 10
_OWN_NETWORK_BITS = 64
"""Whoever has one address of IPv6 mostly has as many as this leaves."""


async def attempt_as(name: str, counts: Counts) -> Full | None:
    """Count one more attempt to log in under this name, unless there were too many."""
    limit = Limit("login name", MOST_PER_NAME, WINDOW_S)
    return await counts.take(keyed_mark("name", name), [limit], count_id=uuid.uuid4().hex)


async def attempt_from(address: str, counts: Counts) -> Full | None:
    """Count one more attempt to log in from this address, unless there were too many."""
    limit = Limit("login address", MOST_PER_ADDRESS, WINDOW_S)
    return await counts.take(keyed_mark("address", _place(address)), [limit], count_id=uuid.uuid4().hex)


class LoginAttempts:
    """Refuses an address that tries too often, before the password is looked at."""

    def __init__(self, app: ASGIApp, counts: Counts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_login = scope["type"] == "http" and scope["path"] == f"{config.run.root_path}/login"
        full = None
        if is_login and scope["method"] == "POST":
            full = await attempt_from(scope["client"][0] if scope["client"] else "", self._counts)
        if full is None:
            await self._app(scope, receive, send)
            return
        headers = {"Retry-After": str(math.ceil(full.wait_s))}
        await JSONResponse({"detail": "tooManyAttempts"}, status_code=429, headers=headers)(scope, receive, send)


def _place(address: str) -> str:
    """The address, or for IPv6 the network of who has it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((int(parsed), _OWN_NETWORK_BITS), strict=False))
    return str(parsed)
