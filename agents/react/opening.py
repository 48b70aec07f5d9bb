"""Text at the beginning of a reply that no label has announced, kept until it is certain what it is."""

import re

_OPENED_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_OPENED_JSON = re.compile(r"\s*(?:```\w*[ \t]*\n\s*)?(?=[{｛]|\[\s*[{｛])")
_MAY_OPEN_JSON = re.compile(r"\s*(?:(?:```|~~~)\w*\s*)?\[?\s*")
_BLANKS = " \t\n\v\f\u00a0\u200b\u200e\u200f\u2028\u2060\u3000\ufeff"
_LONGEST_FENCE = 40
_JSON_LINE = re.compile(r"\n[ \t]*(?=[{｛])")
_DOCUMENT = re.compile(r"^(?:#{1,6} |\||```|~~~)|\n[ \t]*\n", re.MULTILINE)
_QUIZ = re.compile(
    r"^\W{0,6}(?:question|q|问|问题|問題|题目|題目)\W{0,3}\d{0,3}\W{0,3}[:：]", re.MULTILINE | re.IGNORECASE
)
_SENTENCE_THEN_ANSWER = re.compile(
    r"\s*[^\n]{1,300}?[.!?。！？][*_\"')]{0,2}\s{0,3}(?:final )?(?:answer|回答|答案)[:：](?P<answer>.+)",
    re.DOTALL | re.IGNORECASE,
)


class Opening:
    """Add to it; `take` it when it has turned out to be a thought, thinking or the answer."""

    def __init__(self) -> None:
        self.has_begun = False
        """Whether there is anything but blanks."""
        self.is_in_fence = False
        self._pieces: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        """More of it; blanks before the first word count for nothing."""
        text = text if self.has_begun else text.lstrip(_BLANKS)
        if text:
            self.has_begun = True
            self._pieces.append(text)
            self._size += len(text)

    def take(self) -> str:
        """All of it; it begins anew."""
        text = "".join(self._pieces).strip()
        self.has_begun, self.is_in_fence, self._pieces, self._size = False, False, [], 0
        return text

    def is_only_a_fence(self) -> bool:
        """Whether there is nothing but the line that opens a fence, which then stands round the whole reply."""
        return self._size <= _LONGEST_FENCE and _OPENED_FENCE.fullmatch("".join(self._pieces)) is not None

    def take_fence(self) -> bool:
        """Whether there is only the line that opens a fence; then it is taken."""
        is_fence = self.is_only_a_fence()
        if is_fence:
            self.take()
        return is_fence

    def with_json(self, text: str) -> str:
        """All of it and `text`, taken, if that makes JSON the first thing in the reply, in a fence or not; else ""."""
        if self._size > _LONGEST_FENCE:
            return ""
        before = "".join(self._pieces)
        if self.has_begun and not _MAY_OPEN_JSON.fullmatch(before):
            return ""
        whole = before + text
        if not _OPENED_JSON.match(whole):
            return ""
        self.take()
        return whole


class JsonLines:
    """Watches text for an object that begins a line."""

    def __init__(self) -> None:
        self._is_new_line = False

    def find(self, text: str) -> int:
        """Where in `text`, the next piece, an object begins its line; the end of it if nowhere."""
        before = "\n" if self._is_new_line else ""
        found = _JSON_LINE.search(before + text)
        self._is_new_line = not found and (before + text).rstrip(" \t").endswith("\n")
        return found.end() - len(before) if found else len(text)


def is_document(text: str) -> bool:
    """Whether text before `Answer:` is what the user asked for and no mere thought: it has headings or paragraphs."""
    return _DOCUMENT.search(text) is not None


def is_quiz(text: str) -> bool:
    """Whether `Answer:` after this text is one of its own lines."""
    return _QUIZ.search(text) is not None


def answer_behind_sentence(text: str) -> tuple[str, str]:
    """Thought and answer of `I can tell. Answer: yes`; else no thought and all of it."""
    found = _SENTENCE_THEN_ANSWER.fullmatch(text)
    return (text[: found.start("answer")].strip(), found["answer"].strip()) if found else ("", text)
