"""A tool's schema as a foreign server wrote it, made safe to be put before a model, or refused. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from tools.base import presentable

MAX_SCHEMA_CHARS = 16_000
_MAX_DEPTH = 10
_MAX_PROPERTIES = 60
_MAX_WORDS_CHARS = 400
_MAX_NAME_CHARS = 64

_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_LIMITS = frozenset({"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "format", "uniqueItems"})
_VALUES = frozenset({"const", "default", *_LIMITS})
_DEFINITIONS = ("$defs", "definitions")


class UnusableSchema(ValueError):
    """No model can be told of this schema. The message says why."""


def usable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a tool's parameters with only what a model reads. Raises `UnusableSchema`.

    Words are clipped and lose what could deceive; keywords that models do not read, such as patterns, are dropped: the
    server checks them. References may lead only to places within the schema.
    """
    if schema.get("type", "object") != "object":
        raise UnusableSchema("it is not an object")
    known = {name for folder in _DEFINITIONS for name in _mapping(schema.get(folder, {}))}
    usable = {"type": "object", "properties": {}, **_cleaned(schema, known, depth=0)}
    if definitions := {name: part for folder in _DEFINITIONS for name, part in schema.get(folder, {}).items()}:
        usable["$defs"] = _named(definitions, known, depth=1)
    if not {*map(str, usable.get("required", ()))} <= set(usable["properties"]):
        raise UnusableSchema("it requires what it does not describe")
    if len(json.dumps(usable, ensure_ascii=False)) > MAX_SCHEMA_CHARS:
        raise UnusableSchema("it is too long")
    return usable


def _cleaned(schema: Any, known: set[str], *, depth: int) -> dict[str, Any]:
    if schema is True:
        return {}
    if depth > _MAX_DEPTH:
        raise UnusableSchema("it is nested too deeply")
    parts = {keyword: _part(keyword, part, known, depth=depth) for keyword, part in _mapping(schema).items()}
    return {keyword: part for keyword, part in parts.items() if part is not None}


def _part(keyword: str, part: Any, known: set[str], *, depth: int) -> Any:
    """The value of one keyword, or None where it is dropped."""
    match keyword:
        case "title" | "description":
            return presentable(" ".join(str(part).split()), max_chars=_MAX_WORDS_CHARS)
        case "type":
            return _type(part)
        case "$ref":
            return _reference(part, known)
        case "properties":
            return _named(part, known, depth=depth + 1)
        case "items" | "additionalProperties":
            return part if isinstance(part, bool) else _cleaned(part, known, depth=depth + 1)
        case "anyOf" | "oneOf" | "allOf":
            return [_cleaned(one, known, depth=depth + 1) for one in _list(part)]
        case "enum" | "required":
            return _plain(_list(part))
    return _plain(part) if keyword in _VALUES else None


def _named(schemas: Any, known: set[str], *, depth: int) -> dict[str, Any]:
    if len(_mapping(schemas)) > _MAX_PROPERTIES:
        raise UnusableSchema("it has too many properties")
    return {_name(name): _cleaned(one, known, depth=depth) for name, one in schemas.items()}


def _name(name: str) -> str:
    if (
        name == "self"
        or not 0 < len(name) <= _MAX_NAME_CHARS
        or not all(one.isalnum() or one in "_-.$" for one in name)
    ):
        raise UnusableSchema("the name of a property can't be used")
    return name


def _type(kinds: Any) -> Any:
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if not isinstance(kind, str) or kind not in _TYPES:
            raise UnusableSchema("it has a type that does not exist")
    return kinds


def _reference(reference: Any, known: set[str]) -> str:
    folder, _, name = str(reference).removeprefix("#/").partition("/")
    if folder not in _DEFINITIONS or name not in known:
        raise UnusableSchema("it refers to something outside of it")
    return f"#/$defs/{name}"


def _plain(value: Any) -> Any:
    """A value that the model may have to give back as it is: whatever hides something in it makes it unusable."""
    text = json.dumps(value, ensure_ascii=False)
    if presentable(text, max_chars=MAX_SCHEMA_CHARS) != text:
        raise UnusableSchema("it holds characters that nobody sees")
    return value


def _mapping(part: Any) -> dict[str, Any]:
    if not isinstance(part, dict):
        raise UnusableSchema("a part of it is not an object")
    return part


def _list(part: Any) -> list[Any]:
    if not isinstance(part, list):
        raise UnusableSchema("a part of it is not a list")
    return part
