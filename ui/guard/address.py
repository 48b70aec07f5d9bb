"""Who may call the server: the names it answers to, and the pages that may talk to it.

A browser tells where a request comes from (`Origin`, `Sec-Fetch-Site`) and which name it looked up (`Host`); both are
checked here for HTTP and for the websocket, which Chainlit leaves open to any page. Must not know Chainlit.
"""

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_AUTHORITY = r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?"
_HOST = re.compile(_AUTHORITY)
_ORIGIN = re.compile(r"(?P<scheme>https?)://" + _AUTHORITY, re.IGNORECASE)
_DEFAULT_PORT = {"http": 80, "https": 443}
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class Host:
    """The `Host` of a request; `port` is None where the browser left out its scheme's own."""

    name: str
    port: int | None

    @classmethod
    def parsed(cls, text: str) -> "Host | None":
        """Read a `Host` header; None where it is not a plain name or address with an optional port."""
        match = _HOST.fullmatch(text)
        return cls(_name(match), int(match["port"]) if match["port"] else None) if match else None

    @property
    def is_literal(self) -> bool:
        """Whether this is an IP address: no name that someone could point elsewhere (DNS rebinding)."""
        try:
            ipaddress.ip_address(self.name.strip("[]"))
        except ValueError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Origin:
    """The scheme, host and port of a page."""

    scheme: str
    name: str
    port: int

    @classmethod
    def parsed(cls, text: str) -> "Origin | None":
        """Read an `Origin` header; None for `null` and everything else that is not an http(s) address."""
        match = _ORIGIN.fullmatch(text)
        if not match:
            return None
        scheme = match["scheme"].lower()
        return cls(scheme, _name(match), int(match["port"] or _DEFAULT_PORT[scheme]))

    def is_at(self, host: Host, *, secure: bool) -> bool:
        """Whether the page came from `host` itself. Behind a TLS proxy the request is not `secure`, the page is."""
        if secure and self.scheme != "https":
            return False
        return self.name == host.name and self.port == (host.port or _DEFAULT_PORT[self.scheme])


class KnownCallers:
    """Refuse requests that ask for a name which is not the server's, or that come from somebody else's page."""

    def __init__(self, app: ASGIApp, *, names: Collection[str], origins: Collection[Origin]) -> None:
        self._app = app
        self._own_names = {"localhost", *(name.lower() for name in names)}
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reason = self._objection(scope) if scope["type"] in {"http", "websocket"} else None
        if reason is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(code=1008, reason=reason)(scope, receive, send)
        else:
            await PlainTextResponse(reason, status_code=403)(scope, receive, send)

    def _objection(self, scope: Scope) -> str | None:
        host = _known_host(_values(scope, b"host"))
        if host is None or not (self._is_own(host) or host.name in {origin.name for origin in self._origins}):
            return (
                "Thinkglass does not answer to this address. "
                "If it is yours, add it to ALLOWED_ORIGINS in .env, such as https://chat.example.org."
            )
        if self._is_foreign(scope, host):
            return "Another page may not talk to Thinkglass."
        return None

    def _is_own(self, host: Host) -> bool:
        return host.is_literal or host.name in self._own_names or host.name.endswith(".localhost")

    def _is_foreign(self, scope: Scope, host: Host) -> bool:
        if origins := _values(scope, b"origin"):
            return len(origins) > 1 or not self._is_ours(Origin.parsed(origins[0]), scope, host)
        sites = _values(scope, b"sec-fetch-site")
        if scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS:
            # A browser names its origin here without fail; programs send neither of these headers.
            return bool(sites or _values(scope, b"referer"))
        return sites not in ([], ["same-origin"], ["none"]) and not _is_navigation(scope)

    def _is_ours(self, origin: Origin | None, scope: Scope, host: Host) -> bool:
        if origin is None:
            return False
        is_here = self._is_own(host) and origin.is_at(host, secure=scope["scheme"] in {"https", "wss"})
        return is_here or origin in self._origins


def _is_navigation(scope: Scope) -> bool:
    """Whether somebody follows a link to the page, as opposed to a page fetching or framing it."""
    return _values(scope, b"sec-fetch-mode") == ["navigate"] and _values(scope, b"sec-fetch-dest") == ["document"]


def _known_host(values: list[str]) -> Host | None:
    return Host.parsed(values[0]) if len(values) == 1 else None


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _name(match: re.Match[str]) -> str:
    return match["host"].lower().rstrip(".")
