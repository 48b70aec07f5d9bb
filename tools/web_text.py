"""Small facts about what comes from the web: its text on one line, its site."""

import re
from urllib.parse import urlsplit

from tools.base import visible


def one_line(text: str) -> str:
    """The text without unseen characters, each run of white space as one blank."""
    return re.sub(r"\s+", " ", visible(text)).strip()


def is_web_address(url: str) -> bool:
    """Whether a browser would fetch it: anything else may be a script."""
    return re.match(r"https?://[^\s/]", url) is not None


def site_of(url: str) -> str:
    """The host without www, or nothing if there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
