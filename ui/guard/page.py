"""The HTML that starts the page, freed of everything that would be fetched from another host."""

import base64
import hashlib
import re
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Receive, Scope, Send

from ui.language import nearest_translation

_FORMULA_STYLE = re.compile(r"https://cdn\.jsdelivr\.net/npm/katex@[^/\"]+/dist/katex\.min\.css")
_OWN_FORMULA_STYLE = "/public/katex/katex.css"
_FOREIGN_LINK = re.compile(r"<link\b[^>]*\bhref=\"(?:https?:)?//[^\"]*\"[^>]*>\s*", re.IGNORECASE)
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def without_foreign_links(html: str) -> str:
    """Take out stylesheets, fonts and connection hints of other hosts."""
    return _FOREIGN_LINK.sub("", html)


def with_own_formula_style(html: str, root_path: str) -> str:
    """Let the page fetch the stylesheet of its formulas from here. For the HTML as Chainlit makes it."""
    return _FORMULA_STYLE.sub(root_path + _OWN_FORMULA_STYLE, html)


def inline_script_hashes(html: str) -> list[str]:
    """Return what a Content-Security-Policy calls the page's own inline scripts, such as `sha256-…`."""
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(html))
    return [f"sha256-{base64.b64encode(digest).decode()}" for digest in digests]


class NearestLanguage:
    """Ask Chainlit for a translation that exists: it sends British, Canadian and Hong Kong readers to US English."""

    def __init__(self, app: ASGIApp, *, paths: frozenset[str], available: frozenset[str]) -> None:
        self._app = app
        self._paths = paths
        self._available = available

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] in self._paths:
            scope = {**scope, "query_string": self._translated(scope["query_string"])}
        await self._app(scope, receive, send)

    def _translated(self, query: bytes) -> bytes:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        nearest = ((key, self._nearest(value) if key == "language" else value) for key, value in pairs)
        return urlencode(list(nearest)).encode()

    def _nearest(self, tag: str) -> str:
        return nearest_translation(tag, self._available)
