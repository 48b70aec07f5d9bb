"""Tool calls as models write them in JSON or in tags of their own: which tool, and with what. Knows no schema."""

import re
from dataclasses import dataclass
from typing import Any

from agents.labels import key_of
from agents.lenient_json import NotReadable, read_call, read_value
from agents.marks.captures import NAMESPACE, BracketCapture, MarkupCapture

_NAME_KEYS = ("name", "tool", "toolname", "action", "function", "functionname")
_INPUT_KEYS = ("arguments", "parameters", "args", "actioninput", "input", "toolinput", "params", "kwargs")
_CALL_KEYS = ("function", "action", "tool", "toolcall", "functioncall", "toolcalls")
_THOUGHT_KEYS = ("thought", "thoughts", "reasoning", "思考")
_ANSWER_KEYS = ("answer", "finalanswer", "response", "output", "result", "text", "content", "message", "回答", "答案")
_FOLDED = str.maketrans({"｜": "|", "‖": "|", "∣": "|", "▁": "_"})
_NAMED_IN_TAG = re.compile(
    r"<function=\s*[\"']?([^>\"']+)|(?:invoke|function|call) name=\s*[\"']?([^>\"']+)", re.IGNORECASE
)
_NOISE = re.compile(
    r"<[^<>]*>|\[TOOL_CALLS\]|\[CALL_ID\]\w*|\[ARGS\]|```\w*|\[\s*$|\bcall:|to=(?=functions)", re.IGNORECASE
)
_PYTHON_CALL = re.compile(r"\[?\s*([A-Za-z_][\w.]*?)(?:\.call)?\s?\(")
_ALL_IN_PYTHON = re.compile(
    r"(?:```tool_code\s++)?(?:print\()?(?:default_api\.)?"
    r"(\[?\s*+[A-Za-z_][\w.]*+\(.*\)\s*+\]?)\)?\s*+(?:```)?+",
    re.DOTALL,
)
_OBJECT_AT_LINE = re.compile(r"(?:^|\n)(?:```(?:json)?\s*+)?+(?=\{)", re.IGNORECASE)
_LONGEST_CALL = 20_000
_VALUE_TAG = re.compile(
    rf"<(?P<slash>/?){NAMESPACE}(?P<tag>arg_key|arg_value|parameter)"
    r"(?:(?:=\s?|[ ]name=)(?P<name>[^>]{0,200}))?>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as written: `arguments` is anything, and None where there are none.

    `in_python`, positional and named arguments, is set in their place for `get_weather("Oslo", days=2)`.
    """

    name: str
    arguments: Any = None
    in_python: tuple[list[Any], dict[str, Any]] | None = None
    is_bare: bool = False
    """Whether the arguments stand in JSON beside the name and not under a word of their own."""


def call_in_json(value: Any) -> WrittenCall | None:
    """The call that a JSON value describes, or None if it describes none."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    folded = _folded(value)
    inner = next((folded[key] for key in _CALL_KEYS if isinstance(folded.get(key), dict | list)), None)
    if inner:
        return call_in_json(inner)
    key = next((key for key in _NAME_KEYS if isinstance(folded.get(key), str)), None)
    if key is None:
        return None
    named = next((folded[other] for other in _INPUT_KEYS if other in folded), None)
    others = {name: one for name, one in value.items() if key_of(name) not in {key, "type", "id", *_THOUGHT_KEYS}}
    is_bare = not set(_INPUT_KEYS) & set(folded)
    return WrittenCall(folded[key], (others or None) if is_bare else named, is_bare=is_bare)


def calls_in_json(value: Any) -> list[WrittenCall]:
    """All calls that a JSON value describes: one, or those of a list."""
    folded = _folded(value) if isinstance(value, dict) else {}
    several = folded.get("toolcalls", value)
    values = several if isinstance(several, list) else [value]
    return [call for one in values if (call := call_in_json(one))]


def may_begin_call(key: str) -> bool:
    """Whether a call in JSON may begin with this key."""
    return key_of(key) in {*_NAME_KEYS, *_INPUT_KEYS, *_CALL_KEYS, *_THOUGHT_KEYS, "type", "id"}


def call_in_python(text: str) -> WrittenCall | None:
    """The first call in `get_weather(city="Oslo")` or in a list of such; None if `text` is something else."""
    return next(iter(calls_in_python(text)), None)


def calls_in_python(text: str) -> list[WrittenCall]:
    """All calls in a list of such, as far as they can be read."""
    calls: list[WrittenCall] = []
    while found := _PYTHON_CALL.match(text):
        arguments = BracketCapture()
        rest = arguments.feed(text[found.end() - 1 :])
        try:
            calls.append(WrittenCall(found[1], in_python=read_call(arguments.text)))
        except NotReadable:
            break
        text = (rest or "").lstrip(", \n")
    return calls


def call_in_whole_reply(text: str) -> WrittenCall | None:
    """The call that a reply without labels is, or ends with, beyond doubt: in Python, or in JSON with ReAct's words."""
    if len(text) > _LONGEST_CALL:
        return None
    if found := _ALL_IN_PYTHON.fullmatch(text):
        return call_in_python(found[1])
    found = _OBJECT_AT_LINE.search(text)
    if not found or text[: found.start()].count("```") % 2:
        return None
    try:
        value, _ = read_value(text[found.end() :].removesuffix("```").rstrip())
    except NotReadable:
        return None
    return call_in_json(value) if is_surely_call(value) else None


def is_surely_call(value: Any) -> bool:
    """Whether JSON that names no known tool can still only be meant as a call."""
    if not isinstance(value, dict):
        return False
    keys = set(_folded(value)) - set(_THOUGHT_KEYS)
    return keys in ({"action", "actioninput"}, {"name", "arguments"}, {"tool", "toolinput"})


def thought_and_answer_in_json(value: Any) -> tuple[str, str] | None:
    """The two texts of `{"thought": ..., "answer": ...}`, the format of a reply put into JSON."""
    if not isinstance(value, dict):
        return None
    folded = _folded(value)
    thought = next((folded[key] for key in _THOUGHT_KEYS if isinstance(folded.get(key), str)), None)
    answer = next((folded[key] for key in _ANSWER_KEYS if isinstance(folded.get(key), str)), None)
    if thought is None or answer is None or len(set(folded) - {"action", "actioninput"}) != 2:
        return None
    return thought, answer


def _folded(value: dict[str, Any]) -> dict[str, Any]:
    return {key_of(name): one for name, one in value.items()}


def answer_in(value: Any) -> str:
    """The text of a final answer that was written as the input of a tool."""
    if isinstance(value, dict):
        folded = _folded(value)
        named = [folded[key] for key in (*_ANSWER_KEYS, "input") if isinstance(folded.get(key), str)]
        texts = named or [text for text in value.values() if isinstance(text, str)]
        return texts[0].strip() if texts else ""
    if isinstance(value, list):
        return answer_in(value[0]) if value else ""
    return value.strip() if isinstance(value, str) else ""


def call_in_markup(capture: MarkupCapture) -> WrittenCall | None:
    """The first call that was captured. Raises `NotReadable`."""
    return next(iter(calls_in_markup(capture)), None)


def calls_in_markup(capture: MarkupCapture) -> list[WrittenCall]:
    """The calls that were captured. Raises `NotReadable`."""
    header = capture.header.translate(_FOLDED)
    if "(" in header and (calls := calls_in_python(_NOISE.sub("", header + capture.text).strip())):
        return calls
    name = name_in(header)
    if isinstance(capture.body, BracketCapture):
        value, _ = read_value(capture.text)
        return [WrittenCall(name, value)] if name else calls_in_json(value)
    return [WrittenCall(name, _parameters_in(capture.text))] if name else []


def name_in(header: str) -> str:
    """The tool that the header of a call names, or "" if its body has to."""
    header = header.translate(_FOLDED)
    if found := _NAMED_IN_TAG.search(header):
        return (found[1] or found[2]).strip()
    words = words_in(header)
    return words[-1] if words else ""


def words_in(header: str) -> list[str]:
    """What a header holds beside its tags: at most a tool's name, unless it is no header but text."""
    words = _NOISE.sub("\n", header.translate(_FOLDED)).split()
    return [word for word in words if word.lower() not in {"function", "json"}]


def is_python(header: str) -> bool:
    """Whether a call as in Python stands in the tags of a header."""
    return _PYTHON_CALL.match(_NOISE.sub("", header.translate(_FOLDED)).strip()) is not None


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
