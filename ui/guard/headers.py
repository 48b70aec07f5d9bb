"""Headers that tell the browser to load, run and send nothing beyond the server itself. Must not know Chainlit."""

import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SHOWN_IN_PLACE = re.compile(r"image/(png|jpeg|gif|webp)|text/plain|application/pdf|(audio|video)/[\w.+-]+")
_SPEAKABLE_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?")

_ON_EVERYTHING = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-DNS-Prefetch-Control": "off",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=()",
}
_ON_A_FILE = {
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Cache-Control": "private, no-store",
}


def page_policy(script_hashes: Iterable[str]) -> str:
    """Content-Security-Policy of the page, with the hashes of its inline scripts; `{sockets}` is left to fill in.

    'unsafe-eval' is what Chainlit's custom elements and Plotly need; inline styles come from its component library.
    """
    scripts = " ".join(f"'{value}'" for value in script_hashes)
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'unsafe-eval' {scripts}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "media-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'{sockets}",
            "worker-src 'self' blob:",
            "frame-src 'none'",
            "frame-ancestors 'none'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


class SecurityHeaders:
    """Put the headers on every response; a served file is locked up, and offered for saving unless it is harmless."""

    def __init__(self, app: ASGIApp, *, page_policy: str, files_paths: tuple[str, ...]) -> None:
        self._app = app
        self._page_policy = page_policy
        self._files_paths = files_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._complete(MutableHeaders(scope=message), scope)
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _complete(self, headers: MutableHeaders, scope: Scope) -> None:
        headers.update(_ON_EVERYTHING)
        if not scope["path"].startswith(self._files_paths):
            headers["Content-Security-Policy"] = self._page_policy.replace("{sockets}", _sockets(scope))
            return
        headers.update(_ON_A_FILE)
        if not _SHOWN_IN_PLACE.fullmatch(headers.get("content-type", "").split(";")[0].strip().lower()):
            headers["Content-Disposition"] = "attachment"


def _sockets(scope: Scope) -> str:
    """Name the websocket of the same host, which 'self' does not cover in Safari before 15.4."""
    host = Headers(scope=scope).get("host", "")
    return f" ws://{host} wss://{host}" if _SPEAKABLE_HOST.fullmatch(host) else ""
