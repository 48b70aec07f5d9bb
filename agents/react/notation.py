"""Tool calls as models write them in JSON or in tags of their own: which tool, and with what. Knows no schema."""

import re
from dataclasses import dataclass
from typing import Any

from agents.lenient_json import NotReadable, read_value
from agents.react.captures import BracketCapture, MarkupCapture

_NAME_KEYS = ("name", "tool", "tool_name", "action", "function", "function_name")
_INPUT_KEYS = ("arguments", "parameters", "args", "action_input", "input", "tool_input", "params", "kwargs")
_THOUGHT_KEYS = ("thought", "thoughts", "reasoning", "思考")
_ANSWER_KEYS = ("answer", "final_answer", "response", "output", "result", "text", "content", "message", "回答", "答案")
_FOLDED = str.maketrans({"｜": "|", "‖": "|", "∣": "|", "▁": "_"})
_NAMED_IN_TAG = re.compile(r"<function=\s*[\"']?([^>\"']+)|invoke name=\s*[\"']?([^>\"']+)", re.IGNORECASE)
_NOISE = re.compile(r"<[^<>]*>|\[TOOL_CALLS\]|\[ARGS\]|```\w*|\[\s*$", re.IGNORECASE)
_VALUE_TAG = re.compile(
    r"<(?P<slash>/?)(?:[|｜‖∣]DSML[|｜‖∣])?(?P<tag>arg_key|arg_value|parameter)"
    r"(?:(?:=\s?|[ ]name=)(?P<name>[^>]{0,200}))?>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as written: `arguments` is anything, and None where there are none."""

    name: str
    arguments: Any = None


def call_in_json(value: Any) -> WrittenCall | None:
    """The call that a JSON value describes, or None if it describes none."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        return call_in_json(inner)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    return WrittenCall(name, next((value[key] for key in _INPUT_KEYS if key in value), None)) if name else None


def is_surely_call(value: Any) -> bool:
    """Whether JSON that names no known tool can still only be meant as a call."""
    if not isinstance(value, dict):
        return False
    keys = set(value) - set(_THOUGHT_KEYS)
    return keys in ({"action", "action_input"}, {"name", "arguments"}, {"tool", "tool_input"})


def thought_and_answer_in_json(value: Any) -> tuple[str, str] | None:
    """The two texts of `{"thought": ..., "answer": ...}`, the format of a reply put into JSON."""
    if not isinstance(value, dict):
        return None
    thought = next((value[key] for key in _THOUGHT_KEYS if isinstance(value.get(key), str)), None)
    answer = next((value[key] for key in _ANSWER_KEYS if isinstance(value.get(key), str)), None)
    if thought is None or answer is None or len(set(value) - {"action", "action_input"}) != 2:
        return None
    return thought, answer


def answer_in(value: Any) -> str:
    """The text of a final answer that was written as the input of a tool."""
    if isinstance(value, dict):
        named = [value[key] for key in (*_ANSWER_KEYS, "input") if isinstance(value.get(key), str)]
        texts = named or [text for text in value.values() if isinstance(text, str)]
        return texts[0].strip() if texts else ""
    return value.strip() if isinstance(value, str) else ""


def call_in_markup(capture: MarkupCapture) -> WrittenCall | None:
    """The call that was captured. Raises `NotReadable`."""
    name = _name_in(capture.header.translate(_FOLDED))
    if isinstance(capture.body, BracketCapture):
        value, _ = read_value(capture.text)
        return WrittenCall(name, value) if name else call_in_json(value)
    return WrittenCall(name, _parameters_in(capture.text)) if name else None


def _name_in(header: str) -> str:
    if found := _NAMED_IN_TAG.search(header):
        return (found[1] or found[2]).strip()
    words = [word for word in _NOISE.sub("\n", header).split() if word.lower() not in {"function", "json"}]
    return words[-1] if words else ""


def _parameters_in(text: str) -> dict[str, str]:
    """`<parameter=city>Oslo</parameter>` and `<arg_key>city</arg_key><arg_value>Oslo</arg_value>`, read tag by tag."""
    parameters: dict[str, str] = {}
    name, begin, is_open = "", 0, False
    for found in _VALUE_TAG.finditer(text):
        tag, is_open = found["tag"].lower(), not found["slash"]
        if is_open:
            begin = found.end()
            name = _attribute(found["name"] or "") if tag == "parameter" else name
        elif tag == "arg_key":
            name = text[begin : found.start()].strip()
        elif name:
            parameters[name] = text[begin : found.start()].removeprefix("\n").removesuffix("\n")
            name = ""
    if is_open:
        raise NotReadable("it is cut off")
    return parameters


def _attribute(written: str) -> str:
    """The name out of `city`, `"city"` and `"city" string="true"`."""
    quoted = written.split('"')
    return (quoted[1] if len(quoted) > 1 else written).strip(" '")
