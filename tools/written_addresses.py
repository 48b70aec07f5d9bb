"""The addresses that a person wrote in a chat: who calls one of these exactly carries nothing out of it. Pure."""

import re

_HOST = r"[^\W_](?:[\w-]{0,63}\.){1,20}(?:[a-z]{2,}|[^\W\d_a-z]{2,})"
"""Bounded, so that a long message without an address is read in a moment. `.com` may have Chinese right behind it."""
_ADDRESS = re.compile(
    rf"(?P<scheme>https?://)?(?P<rest>{_HOST}(?::\d{{1,5}})?(?:[/?#][^\s<>\"'`，。；、！？（）「」]*)?)", re.IGNORECASE
)
_END_OF_SENTENCE = ".,;:!?)]}*_"


class WrittenAddresses:
    """Feed it each message of the person."""

    def __init__(self) -> None:
        self._written = set[str]()

    def note(self, message: str) -> None:
        """Remember the addresses in it, such as https://a.example/b or a.example."""
        for found in _ADDRESS.finditer(message):
            written = found["rest"].rstrip(_END_OF_SENTENCE)
            schemes = [found["scheme"].lower()] if found["scheme"] else ["https://", "http://"]
            self._written |= {_with_path(scheme + rest) for scheme in schemes for rest in {written, found["rest"]}}

    def knows(self, url: str) -> bool:
        """Whether the person wrote exactly this address; the slash after a host may be missing in either."""
        return _with_path(url.strip()) in self._written


def _with_path(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest}" + ("" if re.search(r"[/?#]", rest) else "/")
