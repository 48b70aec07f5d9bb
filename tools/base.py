"""What every tool is made of: its result, its errors, and the wrapper that makes an async function a tool.

Knows LlamaIndex's tool class and nothing of the agent, the page or the settings.
"""

import asyncio
import copy
import inspect
import logging
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, Protocol, TypeAlias, get_type_hints
from weakref import WeakKeyDictionary

from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, create_model

from tools.consent_request import Refusal

logger = logging.getLogger(__name__)

Touches: TypeAlias = Literal["nothing", "workspace", "network"]

Line: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A parameter that is some words and not text whose every blank counts."""

MAX_CHARS = 8_000
"""Most characters of a tool's text that the model is given."""

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control and direction characters, which hide text from people, and lone surrogates, which break JSON."""

_MARKUP = re.compile(
    r"<(?=[|｜][\w▁]+[|｜]>|/?(?:think|thinking|tool_calls?|tool_response|tools|function_calls|s)>)", re.IGNORECASE
)
"""Openings of the tokens by which chat templates mark roles, thinking and calls: a page could forge a turn."""


class ToolError(Exception):
    """Advice to the model: what failed and what to try instead. The agent hands it on as the call's error.

    `by_strangers` says that the words are not ours: a server's own message, for instance. `refusal` is why a person did
    not let the call run, which is no fault of anybody's. `asked_s` as in `ToolResult`.
    """

    def __init__(
        self, advice: str, *, by_strangers: bool = False, refusal: Refusal | None = None, asked_s: float = 0.0
    ) -> None:
        super().__init__(advice)
        self.by_strangers = by_strangers
        self.refusal = refusal
        self.asked_s = asked_s


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back to its two readers.

    `text` is for the model; `display` holds what the person sees instead: frozen dataclasses of `tools.cards`.
    `asked_s` are the seconds for which the gate held the call back, while a person was asked: no time of the tool's.
    """

    text: str
    display: tuple[Any, ...] = ()
    asked_s: float = field(default=0.0, compare=False)

    def __str__(self) -> str:
        """The model's text: LlamaIndex takes a tool output's content from here."""
        return self.text


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that is about to run, with exactly the arguments that it will run with.

    `acts_outside`: it can carry something out of the chat, or change something elsewhere.
    """

    tool: str
    arguments: dict[str, Any]
    acts_outside: bool


class Gate(Protocol):
    """What every call of one chat's tools passes through."""

    async def admit(self, call: PlannedCall) -> None:
        """Return if the call may run, after any time; raise `ToolError` if not."""

    def note_strangers_text(self, tool: str) -> None:
        """The model is given a result of this tool that may hold text by strangers."""


class OpenGate:
    """Lets everything run."""

    async def admit(self, call: PlannedCall) -> None:
        """Lets it run."""

    def note_strangers_text(self, tool: str) -> None:
        """Forgets it."""


OPEN_GATE = OpenGate()

Check: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Makes of a model's arguments those that the tool runs with, or raises `ToolError`."""

ActsOutside: TypeAlias = Callable[[dict[str, Any]], bool]
"""Whether a call with these arguments can carry something out of the chat, or change something elsewhere."""


def never(arguments: dict[str, Any]) -> bool:
    """The `acts_outside` of a tool that stays inside, whatever it is given."""
    return False


@dataclass
class SchemaMetadata(ToolMetadata):
    """Metadata with its parameters' JSON schema at hand: pydantic would make it anew each time it is asked for."""

    parameters: dict[str, Any] = field(default_factory=dict)

    def get_parameters_dict(self) -> dict[str, Any]:
        """A copy: one chat's agent may not change what another's model reads."""
        return copy.deepcopy(self.parameters)


class Tool(FunctionTool):
    """A LlamaIndex tool that says what it can touch. `ToolOutput.raw_output` of a good call is its `ToolResult`."""

    touches: Touches

    def __init__(self, async_fn: Callable[..., Awaitable[Any]], *, metadata: ToolMetadata, touches: Touches) -> None:
        super().__init__(async_fn=async_fn, metadata=metadata)
        self.touches = touches


def as_tool(
    function: Callable[..., Awaitable[ToolResult]],
    *,
    touches: Touches,
    timeout_s: float,
    max_chars: int = MAX_CHARS,
    acts_outside: ActsOutside = never,
    brings_strangers_text: bool | None = None,
    gate: Gate = OPEN_GATE,
) -> Tool:
    """Make a tool of an async function.

    The docstring is the description (at most 1,024 characters: OpenAI's limit), the `Annotated` parameters are the
    schema. Arguments are validated and coerced; unknown ones are dropped, a null means the default. For the rest see
    `tool_of`.
    """
    metadata, check = _described(function)
    return tool_of(
        function,
        metadata,
        check=check,
        touches=touches,
        timeout_s=timeout_s,
        max_chars=max_chars,
        acts_outside=acts_outside,
        brings_strangers_text=brings_strangers_text,
        gate=gate,
    )


def tool_of(
    work: Callable[..., Awaitable[ToolResult]],
    metadata: ToolMetadata,
    *,
    check: Check,
    touches: Touches,
    timeout_s: float,
    max_chars: int = MAX_CHARS,
    acts_outside: ActsOutside = never,
    brings_strangers_text: bool | None = None,
    gate: Gate = OPEN_GATE,
) -> Tool:
    """Make a tool of `work`, which is called with what `check` makes of the arguments.

    A call that fails raises `ToolError` and nothing else: LlamaIndex marks what a tool raises as an error and gives
    the exception's words to the model. `timeout_s` counts from when the gate has let the call in.
    `brings_strangers_text`: whether results may hold text by strangers; None means so if the tool touches anything.
    """
    name = metadata.get_name()
    brings_text = touches != "nothing" if brings_strangers_text is None else brings_strangers_text
    faults = partial(_faults_as_advice, name, gate, timeout_s=timeout_s, max_chars=max_chars)

    async def call(**arguments: Any) -> ToolResult:
        checked, began = check(arguments), time.monotonic()
        with faults():
            await gate.admit(PlannedCall(name, checked, acts_outside(checked)))
        asked_s = time.monotonic() - began
        with faults(asked_s=asked_s):
            async with asyncio.timeout(timeout_s):
                result = await work(**checked)
        if brings_text:
            gate.note_strangers_text(name)
        return ToolResult(presentable(result.text, max_chars=max_chars), result.display, asked_s)

    return Tool(call, metadata=metadata, touches=touches)


@contextmanager
def _faults_as_advice(
    name: str, gate: Gate, *, timeout_s: float, max_chars: int, asked_s: float = 0.0
) -> Iterator[None]:
    try:
        yield
    except ToolError as error:
        if error.by_strangers:
            gate.note_strangers_text(name)
        advice = presentable(str(error), max_chars=max_chars)
        raise ToolError(advice, refusal=error.refusal, asked_s=asked_s) from None
    except TimeoutError:
        raise ToolError(_too_slow(name, timeout_s), asked_s=asked_s) from None
    except Exception as error:  # noqa: BLE001  # the edge: one tool's fault may not end the turn
        _log_fault(name, error)
        raise ToolError(_fault(name), asked_s=asked_s) from None


def presentable(text: str, *, max_chars: int) -> str:
    """The text as the model may read it: no unseen characters, no chat-template tokens, clipped with a visible mark."""
    return clip(_MARKUP.sub("< ", visible(text)), max_chars)


def visible(text: str) -> str:
    """The text without the characters that nobody sees."""
    return _UNSEEN.sub("", text)


def clip(text: str, max_chars: int) -> str:
    """The text cut to about `max_chars`, with a mark that says how much is missing."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars].rstrip()} … [cut: {len(text) - max_chars:,} more characters]"


_DESCRIBED: WeakKeyDictionary[Any, tuple[SchemaMetadata, Check]] = WeakKeyDictionary()
"""By function: the tools are built for each chat, and what describes them is the same for all chats."""


def _described(function: Callable[..., Any]) -> tuple[SchemaMetadata, Check]:
    key = getattr(function, "__func__", function)
    if key not in _DESCRIBED:
        schema = _schema_from(function)
        parameters = ToolMetadata("", function.__name__, schema).get_parameters_dict()
        metadata = SchemaMetadata(inspect.getdoc(function) or "", function.__name__, schema, parameters=parameters)
        _DESCRIBED[key] = metadata, partial(_checked, schema)
    return _DESCRIBED[key]


def _schema_from(function: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
    }
    return create_model(function.__name__, __config__=ConfigDict(extra="ignore"), **fields)


def _checked(schema: type[BaseModel], arguments: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        checked = schema.model_validate(given)
    except ValidationError as error:
        raise ToolError(_advice(schema, error)) from None
    return {name: getattr(checked, name) for name in schema.model_fields}


def _advice(schema: type[BaseModel], error: ValidationError) -> str:
    wrong = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    known = ", ".join(schema.model_fields)
    return f"Nothing was done, because the arguments are wrong. {wrong}. The parameters are: {known}."


def _too_slow(name: str, timeout_s: float) -> str:
    return f"{name} had no result after {timeout_s:g} s and was stopped. Tell the user so; do not make up its result."


def _fault(name: str) -> str:
    return f"{name} failed by a fault of its own, so there is no result. Tell the user so; do not make up its result."


def _log_fault(name: str, error: Exception) -> None:
    """Where it happened, without the exception's words: those may hold a key or what a person wrote."""
    where = "".join(traceback.format_tb(error.__traceback__))
    logger.error("Tool %s failed with %s at\n%s", name, type(error).__name__, where)
