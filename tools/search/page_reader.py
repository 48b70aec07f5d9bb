"""The text of a page that is fetched from here, by the guarded client."""

import asyncio
import codecs
import html
import re

from tools.guarded_http import Page, fetch_page
from tools.http import ServiceError
from tools.search.engine import PageText

_MAX_HEAD_CHARS = 100_000
_MAX_HTML_CHARS = 1_000_000
"""Finding the text of a page takes about a second per million characters."""

_CHARSET = re.compile(r"charset=[\"']?([\w-]+)", re.IGNORECASE)
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape"})
"""Python has these codecs as well, for names and programs."""
_TITLE = re.compile(r"<title[^>]{0,200}>(.{0,1000}?)</title>", re.IGNORECASE | re.DOTALL)
"""Bounded: a page of nothing but openings would hold up the whole server otherwise."""


class GuardedReader:
    """Reads pages of the public internet."""

    async def read(self, url: str) -> PageText:
        """The page's own text, without menus and the like.

        Raises:
            ServiceError: it could not be fetched, or holds no text.
        """
        page = await fetch_page(url)
        text = await asyncio.to_thread(text_from, page)
        if not text.text.strip():
            raise ServiceError("there is no text on it; it may be made by scripts")
        return text


def text_from(page: Page) -> PageText:
    """What a person would read on the page: HTML freed of all else, other text as it is. Blocking."""
    import trafilatura  # here, because it would add a tenth of a second to each start

    source = _decoded(page)
    if "html" not in page.content_type:
        return PageText("", page.url, source)
    title = _TITLE.search(source[:_MAX_HEAD_CHARS])
    body = trafilatura.extract(source[:_MAX_HTML_CHARS], fast=True, output_format="markdown", include_comments=False)
    return PageText(html.unescape(title[1]) if title else "", page.url, body or "")


def _decoded(page: Page) -> str:
    """By the charset that the server names, else the page; GB2312 is read as its superset, as browsers do."""
    named = _CHARSET.search(page.content_type) or _CHARSET.search(page.body[:2_000].decode("latin-1"))
    charset = named[1].lower() if named else "utf-8"
    charset = "gb18030" if charset in ("gb2312", "gbk") else charset
    try:
        is_one = codecs.lookup(charset).name.replace("-", "_") not in _NO_CHARSETS
        return page.body.decode(charset if is_one else "utf-8", "replace")
    except (LookupError, UnicodeError):
        return page.body.decode("utf-8", "replace")
