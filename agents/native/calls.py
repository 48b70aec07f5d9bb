"""Checks the calls of a reply: which may be run, with which arguments, and what is told about the others. Pure."""

import json
import re
import uuid
from dataclasses import dataclass

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms.llm import ToolSelection

from agents.arguments import BadArguments, Fitted, fit
from agents.lenient_json import NotReadable, read_value
from agents.native import advice
from agents.observation import in_all_texts, restored
from agents.toolbox import Toolbox, ToolSpec

_NO_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_-]+")
_MAX_NAME = 64
_MAX_QUOTED = 500


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A call and either what to run or the advice why it can't be. `block` is how it goes back to the model."""

    key: str
    """Equal for calls of the same tool with the same arguments."""
    block: ToolCallBlock
    selection: ToolSelection | None = None
    advice: str = ""
    left_out: tuple[str, ...] = ()
    """Arguments that the model gave and the tool does not know."""

    @property
    def call_id(self) -> str:
        return self.block.tool_call_id or ""


def key_of_call(name: str, arguments: object) -> str:
    """Equal for calls of the same tool with the same arguments."""
    return f"{name} {json.dumps(arguments, sort_keys=True, default=str)}"


def check(call: ToolCallBlock, toolbox: Toolbox, *, is_cut: bool = False) -> CheckedCall:
    """The call, held against the tools. `is_cut`: the limit of tokens may have cut it."""
    spec = toolbox.find(call.tool_name)
    if is_cut and (spec or not call.tool_name):
        return _refused(call, spec.name if spec else _legal(""), advice.CUT)
    if spec is None:
        return _refused(call, _legal(call.tool_name), advice.for_unknown_tool(call.tool_name, toolbox))
    try:
        fitted = _fitted(call.tool_kwargs, spec)
    except NotReadable as error:
        problem = f"The arguments {str(call.tool_kwargs)[:_MAX_QUOTED]!r} are not valid JSON: {error}."
        return _refused(call, spec.name, advice.for_arguments(spec, problem))
    except BadArguments as error:
        return _refused(call, spec.name, advice.for_arguments(spec, str(error)))
    return _accepted(call, spec, fitted)


def _accepted(call: ToolCallBlock, spec: ToolSpec, fitted: Fitted) -> CheckedCall:
    block, arguments = _block(call, spec.name, fitted.arguments), fitted.arguments
    selection = ToolSelection(tool_id=block.tool_call_id or "", tool_name=spec.name, tool_kwargs=arguments)
    return CheckedCall(key_of_call(spec.name, arguments), block, selection, left_out=fitted.left_out)


def _refused(call: ToolCallBlock, name: str, words: str) -> CheckedCall:
    return CheckedCall(key_of_call(name, call.tool_kwargs), _block(call, name, {}), advice=words)


def _fitted(arguments: object, spec: ToolSpec) -> Fitted:
    if not isinstance(arguments, str):
        return fit(spec, in_all_texts(arguments, restored))
    if not arguments.strip():
        return fit(spec, None)
    value, is_mended = read_value(arguments)
    return fit(spec, in_all_texts(value, restored), is_mended=is_mended)


def _block(call: ToolCallBlock, name: str, otherwise: dict[str, object]) -> ToolCallBlock:
    """The call with an id, a legal name and, as servers parse them again, arguments that are a JSON object."""
    given = call.tool_kwargs
    if not isinstance(given, str) or not _is_object(given):
        given = json.dumps(given if isinstance(given, dict) else otherwise, ensure_ascii=False, default=str)
    call_id = call.tool_call_id or uuid.uuid4().hex[:9]
    return call.model_copy(update={"tool_call_id": call_id, "tool_name": name, "tool_kwargs": given})


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _legal(name: str) -> str:
    """A name that no endpoint refuses in the history."""
    return _NO_NAME_CHARACTER.sub("_", name).strip("_")[:_MAX_NAME] or "unknown"
