"""What a reply gives as a tool's input, made to fit the tool's schema, or refused with what to write instead."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from agents.labels import key_of
from agents.lenient_json import NotReadable, read_value
from agents.toolbox import ToolSpec, types_of

_WRAPPERS = frozenset(
    {"kwargs", "arguments", "args", "parameters", "params", "input", "action_input", "tool_input", "properties"}
)
_ONE_TEXT = frozenset({"input", "query", "text", "value", "arg", "argument", "action_input", "tool_input"})
_CALL_WORDS = frozenset({"name", "tool", "action", "tool_name", "function"})
_SCHEMA_WORDS = frozenset(
    {"type", "title", "description", "default", "enum", "items", "properties", "required", "format", "anyOf", "allOf"}
    | {"oneOf", "$ref", "$defs", "minimum", "maximum", "additionalProperties", "examples"}
)
_PATH_WORDS = frozenset({"path", "file", "filename", "filepath", "folder", "directory", "dir"})
_NOTHING = frozenset(
    {"", "none", "null", "nil", "n/a", "na", "-", "{}", "()", "[]", "empty", "no input", "none needed"}
    | {"no input needed", "no input required", "not applicable", "not needed", "nothing", "undefined", "void", "no"}
    | {
        "无",
        "無",
        "没有",
        "沒有",
        "空",
        "不需要",
        "无需",
        "なし",
        "없음",
        "нет",
        "aucun",
        "keine",
        "ninguno",
        "nenhum",
        "لا شيء",
    }
)


class BadArguments(ValueError):
    """The input does not fit the tool. The message is advice to the model."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Arguments that fit, and the names of those that the tool does not know and that were left out."""

    arguments: dict[str, Any]
    left_out: tuple[str, ...] = ()


def is_nothing(text: str) -> bool:
    """Whether a written input says that there is none."""
    return text.strip(" \t\n.。*_`\"'<>()（）").casefold() in _NOTHING


def fit(spec: ToolSpec, value: Any, *, is_mended: bool = False) -> Fitted:
    """`value` as arguments of the tool. Raises `BadArguments`.

    `is_mended` says that the value's structure was guessed: then nothing in it may be dropped.
    """
    given = _renamed(spec, _unwrapped(spec, _as_dict(spec, value)))
    unknown = tuple(name for name in given if name not in spec.properties)
    if unknown and is_mended:
        raise BadArguments(f"The input is not valid JSON, and {', '.join(map(repr, unknown))} is no parameter.")
    if _accepts_more(spec):
        unknown = ()
    known = {name: _prepared(spec, name, given[name]) for name in given if name not in unknown}
    known = {name: value for name, value in known.items() if not (value is None and name not in spec.required)}
    missing = [name for name in spec.required if name not in known]
    if missing:
        instead = f" (there is no {', '.join(map(repr, unknown))})" if unknown else ""
        raise BadArguments(f"The parameter {', '.join(map(repr, missing))} is missing{instead}.")
    return Fitted(_validated(spec, known), unknown)


def fit_positional(spec: ToolSpec, positional: list[Any], named: dict[str, Any]) -> Fitted:
    """The arguments of a call as in Python, `get_weather("Turku", days=2)`."""
    return fit(spec, named_arguments(spec, positional, named))


def named_arguments(spec: ToolSpec, positional: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """The same by name, not held against the schema. Raises `BadArguments`."""
    if not named and len(positional) == 1 and isinstance(positional[0], dict):
        return positional[0]
    if not spec.properties:
        return named
    names = list(spec.properties)
    if len(positional) > len(names) or set(names[: len(positional)]) & set(named):
        raise BadArguments("The arguments do not match the parameters.")
    return {**dict(zip(names, positional, strict=False)), **named}


def _as_dict(spec: ToolSpec, value: Any) -> dict[str, Any]:
    match value:
        case None:
            return {}
        case dict():
            return value
        case [dict() | str() as only]:
            return _as_dict(spec, only)
        case [] | str() if not spec.properties:
            return {}
        case str() if is_nothing(value) and not spec.required:
            return {}
        case str() if value.lstrip()[:1] == "{":
            return _double_encoded(spec, value)
    parameter = spec.only_text_parameter
    if parameter is None or not isinstance(value, str):
        raise BadArguments("The input must be a JSON object.")
    return {parameter: value}


def _double_encoded(spec: ToolSpec, text: str) -> dict[str, Any]:
    try:
        value, _ = read_value(text)
    except NotReadable as error:
        raise BadArguments(f"The input is not valid JSON: {error}.") from error
    return _as_dict(spec, value)


def _unwrapped(spec: ToolSpec, given: dict[str, Any]) -> dict[str, Any]:
    """Without what models put round the arguments: `{"kwargs": {...}}`, the tool's name, the frame of a schema."""
    for name, value in given.items():
        is_wrapper = name in _WRAPPERS or name == spec.name
        others = set(given) - {name} - _SCHEMA_WORDS - _CALL_WORDS
        if not is_wrapper or name in spec.properties or others:
            continue
        inner = _decoded(value) if isinstance(value, str) else value
        if isinstance(inner, dict):
            return _unwrapped(spec, inner)
    if given.get("type") == "object" and "type" not in spec.properties:
        return {name: value for name, value in given.items() if name in spec.properties or name not in _SCHEMA_WORDS}
    return given


def _renamed(spec: ToolSpec, given: dict[str, Any]) -> dict[str, Any]:
    """Names spelt otherwise (`maxResults`) as the schema spells them, and a lone generic name as the one parameter."""
    by_key = {key_of(name): name for name in spec.properties}
    renamed = {}
    for name, value in given.items():
        right = name if name in spec.properties else by_key.get(key_of(name), name)
        renamed[name if right in given else right] = value
    only = spec.only_text_parameter
    generic = [name for name in renamed if name in _ONE_TEXT and name not in spec.properties]
    if only and only not in renamed and len(generic) == 1 and isinstance(renamed[generic[0]], str):
        renamed[only] = renamed.pop(generic[0])
    return renamed


def _accepts_more(spec: ToolSpec) -> bool:
    return spec.model is not None and spec.model.model_config.get("extra") == "allow"


def _prepared(spec: ToolSpec, name: str, value: Any) -> Any:
    schema = spec.properties.get(name, {})
    kinds = types_of(schema) or {"any"}
    if isinstance(value, dict) and "type" in value and set(value) <= _SCHEMA_WORDS:
        raise BadArguments(f"{name!r} holds the schema; give the value itself.")
    if isinstance(value, str) and _is_path(name, schema) and any(character < " " for character in value):
        raise BadArguments(f"{name!r} holds a line break or another control character; write each \\ as \\\\ or use /.")
    if isinstance(value, int | float) and not isinstance(value, bool) and kinds <= {"string", "null"}:
        return str(value)
    if isinstance(value, list) and len(value) == 1 and kinds <= {"string", "null"}:
        return value[0]
    if isinstance(value, str) and kinds & {"array", "object"} and "string" not in kinds:
        return _decoded(value)
    return value


def _is_path(name: str, schema: dict[str, Any]) -> bool:
    return schema.get("format") in {"path", "file-path"} or bool(_PATH_WORDS & set(name.lower().split("_")))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _validated(spec: ToolSpec, known: dict[str, Any]) -> dict[str, Any]:
    if spec.model is None:
        return known
    try:
        model = spec.model.model_validate(known)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))!r}: {one['msg']}" for one in error.errors())
        raise BadArguments(f"The input does not fit: {wrong}.") from error
    dumped = model.model_dump()
    return {name: dumped.get(name, value) for name, value in known.items()}
