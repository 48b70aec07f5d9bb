"""Makes a tool's result fit to be read by the model as data: fenced, named, and with nothing in it that gives orders.

A zero-width character inside every ReAct label and every token of a chat template keeps them readable and takes away
their effect, on the model server's tokenizer too. It stays where the model copies them, so that a copied label is not
read as the model's own; before a person or a tool sees the text, `restored` takes it out again.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from agents.labels import LABEL_LINE, LABELS, WEAK_LABELS, Label, key_of

_BREAK = "\u2060"

_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    r"|(?<=[\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f])"
)
"""What nobody sees: it hides orders from people and splits words that we look for. Joiners stay within other scripts,
where they are part of the spelling."""

_LINE_BREAK = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")

_LABEL = re.compile(rf"(?:\A|(?<=\n)){LABEL_LINE}", re.IGNORECASE)
_INLINE_LABEL = re.compile(
    r"(?<=[\s。，；！？.,;!?(\[{（【「“\"'`*_>|])(?P<word>[^\W\d_]{1,12}(?:[ _-][^\W\d_]{1,12})?)[*_]{0,3}[ ]?[:：]"
)
_JSON_CALL = re.compile(
    r"[\"'](?P<word>thoughts?|action|action_input|tool|tool_name|tool_calls|function|function_name|name(?=[\"']\s{0,9}:\s{0,9}"
    r"[\"'][^\"'\n]{1,80}[\"']\s{0,9},\s{0,9}[\"'](?:arguments|parameters|args|params|kwargs|input)\b))[\"']\s{0,9}[:：]"
)
_TOKEN = re.compile(
    r"[<＜﹤](?=[|｜‖∣]|<?\s?/?SYS\b"
    r"|/?(?:tool|function|invoke|parameter|think|thought|reasoning|seed:|minimax:|arg_|im_|mask:|extra_id_|unused\d"
    r"|reserved_|special_|(?:start|end|begin)_of_|[be]os_token|(?:s|eos|bos|pad|unk|sop|eop|mask|sep|cls)>"
    r"|(?:system|user|assistant|human|developer|instructions?)\b)"
    r"|\s{0,3}/?\s{0,3}tool_result)"
    r"|\[(?=/?(?:(?-i:[A-Z][A-Z_]{2,24}|gMASK)|inst|tool_calls)\])|\](?=~!?b[\[\]])|\[(?=e~\[)|◁",
    re.IGNORECASE,
)
"""The openings of what chat templates mark turns, thinking and calls with, in all families that we know of."""

_ROLE_WORDS = (
    "assistant system developer ai bot model tool_result tool_response system_message instruction instructions "
    "new_instructions response 助手 助理 系统 系統 系统消息 指令"
)
"""Other sides of a conversation, as old templates write them. Text only loses its effect by being taken for one."""

_LINE_WORDS = frozenset([*LABELS, *WEAK_LABELS, *map(key_of, _ROLE_WORDS.split())])
_INLINE_LABELS = {Label.THOUGHT, Label.ACTION, Label.ANSWER, Label.OBSERVATION}
_INLINE_WORDS = frozenset(["actioninput", *(word for word, label in LABELS.items() if label in _INLINE_LABELS)])
_LOOK_ALIKES = str.maketrans("аеіοорсухАВЕІКМНОРСТΑΒΕΙΚΜΝΟΡΤ", "aeioopcyxABEIKMHOPCTABEIKMNOPT")


def fenced(text: str, *, source: str, is_error: bool = False) -> str:
    """A tool's result between marks that it cannot contain, with the tool that it came from."""
    kind = ' kind="error"' if is_error else ""
    return f'<tool_result source="{source}"{kind}>\n{defused(text)}\n</tool_result>'


def defused(text: str) -> str:
    """`text` as what it looks like, with labels and template tokens broken up."""
    text = without_unseen(text)
    text = _INLINE_LABEL.sub(_broken_inline, _LABEL.sub(_broken_label, text))
    return without_tokens(_JSON_CALL.sub(_broken, text))


def without_unseen(text: str) -> str:
    """`text` with what people see of it, and all line breaks of one kind."""
    return _UNSEEN.sub("", _LINE_BREAK.sub("\n", text))


def without_tokens(text: str) -> str:
    """`text` with template tokens broken up, and labels as they are: for what the model itself has written."""
    return _TOKEN.sub(lambda found: found.group() + _BREAK, text)


def restored(text: str) -> str:
    """What the model wrote, without the characters that we had put into what it copied."""
    return text.replace(_BREAK, "")


def in_all_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value, such as a tool's arguments, with all texts in it changed."""
    match value:
        case str():
            return change(value)
        case list():
            return [in_all_texts(one, change) for one in value]
        case dict():
            return {change(name): in_all_texts(one, change) for name, one in value.items()}
    return value


def _broken_label(found: re.Match[str]) -> str:
    return _broken(found) if _is_one_of(_LINE_WORDS, found["word"]) else found.group()


def _broken_inline(found: re.Match[str]) -> str:
    return _broken(found) if _is_one_of(_INLINE_WORDS, found["word"]) else found.group()


def _is_one_of(words: frozenset[str], written: str) -> bool:
    looks_like = unicodedata.normalize("NFKC", written).translate(_LOOK_ALIKES)
    return key_of(written) in words or key_of(looks_like) in words


def _broken(found: re.Match[str]) -> str:
    at = found.start("word") - found.start() + 1
    return f"{found.group()[:at]}{_BREAK}{found.group()[at:]}"
