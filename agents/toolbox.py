"""The tools of one round as a reply sees them: their names, however spelt, and their parameters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from llama_index.core.tools import BaseTool
from pydantic import BaseModel

_WRAPPING = " \t\r\n*_`\"'“”‘’「」『』《》【】[](){}<>.。:：,，;；!！"
_FILLERS = frozenset(["the", "a", "use", "call", "using", "with", "tool", "function", "api", "action"])
_CLOSE_ENOUGH = 0.9
_MAX_REFERENCES = 3


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool: `properties` by parameter name as JSON schemas; `model` validates all of them, where there is one."""

    name: str
    description: str
    properties: dict[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    model: type[BaseModel] | None = None

    @property
    def only_text_parameter(self) -> str | None:
        """The parameter that a bare string must be meant for, or None if there is a choice."""
        names = self.required or tuple(self.properties)
        texts = [name for name in names if "string" in types_of(self.properties[name])]
        return texts[0] if len(names) == 1 and texts else None

    @property
    def signature(self) -> str:
        """`get_weather(city: string, days: integer, optional)`, for the model to read."""
        return f"{self.name}({', '.join(self._parameter(name) for name in self.properties)})"

    def _parameter(self, name: str) -> str:
        kind = " or ".join(sorted(types_of(self.properties[name]) - {"null"})) or "any"
        return f"{name}: {kind}" + ("" if name in self.required else ", optional")


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    """The JSON types that a parameter's schema allows; empty where it does not say."""
    kinds = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    for option in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        found |= types_of(option)
    return frozenset(found)


class Toolbox:
    """Finds the tool that a reply means."""

    def __init__(self, specs: Sequence[ToolSpec] = ()) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self._by_key = {_squeezed(spec.name): spec for spec in specs}

    @property
    def names(self) -> frozenset[str]:
        """Every tool's name, exactly."""
        return frozenset(self.specs)

    def find(self, written: str) -> ToolSpec | None:
        """The one tool that `written` can mean: wrapped, in other case, with a namespace, shortened or misspelt."""
        name = written.strip(_WRAPPING)
        if not name or len(name) > 80 or "\n" in name:
            return None
        last = re.split(r"[./:：]|__", name.rstrip("0123456789:"))[-1]
        for candidate in (name, last):
            if spec := self.specs.get(candidate) or self._by_key.get(_squeezed(candidate)):
                return spec
        return self._by_words(name) or self._by_likeness(name) or self._by_mention(name)

    def _by_words(self, name: str) -> ToolSpec | None:
        """By some of its words, the last among them: `python` is `run_python`, but `run` may be anything."""
        words = set(_words(name))
        fitting = [
            spec
            for spec in self.specs.values()
            if words and words <= set(own := _words(spec.name)) and (own[-1] in words or words == set(own))
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _by_mention(self, name: str) -> ToolSpec | None:
        """The one name of several words that stands in a remark, spelt exactly: `get_weather, to see the sky`."""
        mentioned = {word for word in re.findall(r"[A-Za-z0-9_]+", name) if "_" in word} & self.names
        return self.specs[mentioned.pop()] if len(mentioned) == 1 else None

    def _by_likeness(self, name: str) -> ToolSpec | None:
        key = _squeezed(name)
        fitting = [
            spec
            for other, spec in self._by_key.items()
            if other[:2] == key[:2] and SequenceMatcher(None, other, key).ratio() >= _CLOSE_ENOUGH
        ]
        return fitting[0] if len(fitting) == 1 else None


def toolbox_of(tools: Sequence[BaseTool]) -> Toolbox:
    """The tools of LlamaIndex as a toolbox."""
    return Toolbox([_spec(tool) for tool in tools])


def _spec(tool: BaseTool) -> ToolSpec:
    metadata = tool.metadata
    schema = metadata.get_parameters_dict()
    return ToolSpec(
        name=metadata.get_name(),
        description=metadata.description,
        properties=_inlined(schema.get("properties", {}), schema.get("$defs", {})),
        required=tuple(schema.get("required", ())),
        model=metadata.fn_schema,
    )


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _words(name: str) -> list[str]:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word for word in re.findall(r"[^\W_]+", split.casefold()) if word not in _FILLERS]


def _inlined(schema: Any, definitions: dict[str, Any], depth: int = 0) -> Any:
    """The schema with its references replaced by what they refer to, as far as a model can be expected to read."""
    if isinstance(schema, list):
        return [_inlined(one, definitions, depth) for one in schema]
    if not isinstance(schema, dict):
        return schema
    target = definitions.get(str(schema.get("$ref", "")).rpartition("/")[2])
    if target and depth < _MAX_REFERENCES:
        schema, depth = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}, depth + 1
    return {key: _inlined(value, definitions, depth) for key, value in schema.items()}
