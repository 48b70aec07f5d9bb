"""Characters that a host cut in two: proxies that count in UTF-16 send the halves of an emoji in two chunks."""

import re

_HALF = re.compile("[\ud800-\udfff]")


class HalfCharacters:
    """Passes text on, with halves joined. A half that stays alone becomes U+FFFD: alone it can't be stored or sent."""

    def __init__(self) -> None:
        self._first_half = ""

    def joined(self, text: str) -> str:
        """What is whole of `text` and what was kept before it."""
        if text.isascii() and not self._first_half:
            return text
        text, self._first_half = self._first_half + text, ""
        if not _HALF.search(text):
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._first_half = text[:-1], text[-1]
        return mended(text)


def mended(text: str) -> str:
    """`text` with its halves joined, or replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _HALF.search(text) else text
