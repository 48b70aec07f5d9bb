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
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_PAIR = re.compile(rb"[\x81-\xfe][\xa1-\xfe]")
"""Two high bytes in a row: how Chinese looks in GB2312. Western letters mostly stand alone between ASCII ones."""
_HIGH = re.compile(rb"[\x80-\xff]")


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
    return "utf-8" if len(_CONTROLS.findall(content)) <= len(content) / 200 else None


def _utf16_without_mark(content: bytes) -> str | None:
    """By where the zeros are: half of each letter of a western text, line ends and digits of a Chinese one."""
    even, odd = content[0::2].count(0), content[1::2].count(0)
    if odd > 20 * even and odd * 50 > len(content):
        return "utf-16-le"
    if even > 20 * odd and even * 50 > len(content):
        return "utf-16-be"
    return None


def _likely(content: bytes) -> tuple[str, ...]:
    high = len(_HIGH.findall(content))
    is_chinese = 2 * len(_PAIR.findall(content)) > high / 2
    return ("gb18030", "cp1252") if is_chinese else ("cp1252", "gb18030")
