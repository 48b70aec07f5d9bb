"""Bytes as text: UTF-8, UTF-16 and UTF-32, GB18030 for Chinese files that say nothing, else Windows-1252. Pure."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes([*range(0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_PAIR = re.compile(rb"[\x81-\xfe][\xa1-\xfe]")
"""Two high bytes in a row: how Chinese looks in GB2312. Western letters mostly stand alone between ASCII ones."""
_HIGH = bytes(range(0x80, 0x100))
_FIRST_HIGH = re.compile(rb"[\x80-\xff]")
_SAMPLE_BYTES = 256 * 1024
"""Of a long file, so much from its first such byte on tells which language it is in."""


def decoded(content: bytes, *, is_whole: bool = True) -> str | None:
    """The text, or None where the bytes are none. Without `is_whole` they are a beginning, cut anywhere."""
    encoding = _encoding_of(content)
    if encoding is None:
        return None
    for candidate in (encoding,) if encoding != "utf-8" else ("utf-8", *_likely(content)):
        try:
            return codecs.getincrementaldecoder(candidate)().decode(content, is_whole)
        except UnicodeDecodeError:
            continue
    return None


def is_utf8(content: bytes) -> bool:
    """Whether a whole file can be read as UTF-8, with or without its mark."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _encoding_of(content: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    if b"\0" in content:
        return _utf16_without_mark(content)
    return "utf-8" if _count(content, _CONTROLS) <= len(content) / 200 else None


def _utf16_without_mark(content: bytes) -> str | None:
    """By where the zeros are: half of each letter of a western text, line ends and digits of a Chinese one."""
    even, odd = content[0::2].count(0), content[1::2].count(0)
    if odd > 20 * even and odd * 50 > len(content):
        return "utf-16-le"
    if even > 20 * odd and even * 50 > len(content):
        return "utf-16-be"
    return None


def _likely(content: bytes) -> tuple[str, ...]:
    first = _FIRST_HIGH.search(content)
    sample = content[first.start() :][:_SAMPLE_BYTES] if first else b""
    is_chinese = 2 * len(_PAIR.findall(sample)) > _count(sample, _HIGH) / 2
    return ("gb18030", "cp1252") if is_chinese else ("cp1252", "gb18030")


def _count(content: bytes, some: bytes) -> int:
    """How many bytes are among `some`."""
    return len(content) - len(content.translate(None, some))
