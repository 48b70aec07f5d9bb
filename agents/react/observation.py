"""Makes a tool's result fit to be read by the model as data: fenced, named, and with nothing in it that gives orders.

A zero-width character inside every ReAct label and every token of a chat template keeps them readable and takes away
their effect, on the model server's tokenizer too.
"""

import re

from agents.react.labels import LABEL_LINE, LABELS, WEAK_LABELS, key_of

_LABEL = re.compile(rf"(?:\A|(?<=\n)){LABEL_LINE}", re.IGNORECASE)
_TOKEN = re.compile(
    r"<(?=[|｜‖∣]|<SYS|/?(?:tool|function|invoke|parameter|think|thought|reasoning|seed:|minimax:|arg_|end_of_turn"
    r"|start_of_turn|s>|eos>|bos>))|\[(?=/?INST\]|TOOL_CALLS\])|◁",
    re.IGNORECASE,
)
_BREAK = "\u2060"


def fenced(text: str, *, source: str, is_error: bool = False) -> str:
    """A tool's result between marks that it cannot contain, with the tool that it came from."""
    kind = ' kind="error"' if is_error else ""
    return f'<tool_result source="{source}"{kind}>\n{defused(text)}\n</tool_result>'


def defused(text: str) -> str:
    """`text` with labels and template tokens broken up."""
    return _TOKEN.sub(lambda found: found.group() + _BREAK, _LABEL.sub(_broken_label, text))


def _broken_label(found: re.Match[str]) -> str:
    line, word = found.group(), found["word"]
    if key_of(word) not in LABELS and key_of(word) not in WEAK_LABELS:
        return line
    at = found.start("word") - found.start() + 1
    return f"{line[:at]}{_BREAK}{line[at:]}"
