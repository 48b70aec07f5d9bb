"""Text at the beginning of a reply that no label has announced, kept until it is certain what it is."""

import re

_OPENED_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_OPENED_JSON = re.compile(r"\s*(?:```\w*[ \t]*\n\s*)?(?=[{｛])")
_LONGEST_FENCE = 40
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
        text = text if self.has_begun else text.lstrip()
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

    def with_json(self, text: str) -> str:
        """All of it and `text`, taken, if that makes JSON the first thing in the reply, in a fence or not; else ""."""
        if self.has_begun and not self.is_only_a_fence():
            return ""
        whole = "".join([*self._pieces, text])
        if not _OPENED_JSON.match(whole):
            return ""
        self.take()
        return whole


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
