"""What a tool call that a reply has begun comes to, and whose input it reads: a tool's, or that of `Finish`."""

import re
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from agents.arguments import BadArguments, fit, fit_positional, is_nothing
from agents.marks.notation import WrittenCall, answer_in
from agents.react import advice
from agents.react.reply import ToolRequest
from agents.toolbox import Toolbox, ToolSpec


@dataclass(frozen=True, slots=True)
class Called:
    """The call is complete and fits its tool."""

    request: ToolRequest


@dataclass(frozen=True, slots=True)
class Refused:
    """There is a call, but not one that may be run."""

    advice: str


@dataclass(frozen=True, slots=True)
class Finished:
    """It was no tool: the model gave its answer in the form of one."""

    answer: str
    thought: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFollows:
    """The same, and the answer is the text that comes next."""


@dataclass(frozen=True, slots=True)
class NoTool:
    """`Action: None`: whatever follows is for the user."""


@dataclass(frozen=True, slots=True)
class JustText:
    """It was no call at all but part of the text."""

    text: str


Outcome: TypeAlias = Called | Refused | Finished | AnswerFollows | NoTool | JustText


class Target(Protocol):
    """Whatever an input is for."""

    def from_value(self, value: Any, *, is_mended: bool = False) -> Outcome:
        """The input is JSON, or None for no input, or a text."""
        ...

    def from_call(self, positional: list[Any], named: dict[str, Any]) -> Outcome:
        """The input is written as in a call of a function."""
        ...

    def refuse(self, problem: str) -> Outcome:
        """The input cannot be read. `problem` is a sentence."""
        ...

    def has_parameter(self, name: str) -> bool:
        """Whether `name: value` is an argument."""
        ...

    def is_named(self, name: str) -> bool:
        """Whether `name(...)` is a call of it."""
        ...


@dataclass(frozen=True, slots=True)
class ToolTarget:
    """A tool."""

    spec: ToolSpec

    def from_value(self, value: Any, *, is_mended: bool = False) -> Outcome:
        value = None if isinstance(value, str) and is_nothing(value) else value
        try:
            fitted = fit(self.spec, value, is_mended=is_mended)
        except BadArguments as error:
            return self.refuse(str(error))
        return Called(ToolRequest(self.spec.name, fitted.arguments, fitted.left_out))

    def from_call(self, positional: list[Any], named: dict[str, Any]) -> Outcome:
        try:
            fitted = fit_positional(self.spec, positional, named)
        except BadArguments as error:
            return self.refuse(str(error))
        return Called(ToolRequest(self.spec.name, fitted.arguments, fitted.left_out))

    def refuse(self, problem: str) -> Outcome:
        return Refused(advice.for_call(self.spec, problem))

    def has_parameter(self, name: str) -> bool:
        return name in self.spec.properties

    def is_named(self, name: str) -> bool:
        return name.rpartition(".")[2] == self.spec.name


@dataclass(frozen=True, slots=True)
class FinishTarget:
    """`Finish`, `Final Answer` and the like, which models take for a tool."""

    def from_value(self, value: Any, *, is_mended: bool = False) -> Outcome:
        answer = answer_in(value)
        return Finished(answer) if answer and not is_nothing(answer) else NoTool()

    def from_call(self, positional: list[Any], named: dict[str, Any]) -> Outcome:
        return self.from_value(named or (positional[0] if positional else None))

    def refuse(self, problem: str) -> Outcome:
        return Refused(f"{problem} {advice.PLAIN_ANSWER}")

    def has_parameter(self, name: str) -> bool:
        return False

    def is_named(self, name: str) -> bool:
        return is_finish(name)


_FINISH = frozenset(
    {"finish", "finished", "finalanswer", "answer", "finalresponse", "respond", "response", "reply", "done", "submit"}
    | {"final", "terminate", "stop", "end", "output"}
    | {"结束", "完成", "最终答案", "最終答案", "回答", "答案", "回复", "直接回答", "直接回复", "给出答案", "給出答案"}
)

_FILLERS = frozenset(
    ["the", "a", "to", "user", "with", "direct", "directly", "provide", "give", "submit", "return", "none"]
)


def target_of(name: str, toolbox: Toolbox) -> Target | None:
    """What a written name of a tool means."""
    spec = toolbox.find(name)
    if spec:
        return ToolTarget(spec)
    return FinishTarget() if is_finish(name) else None


def is_finish(name: str) -> bool:
    """Whether this names no tool but the end."""
    words = re.sub(r"[\W_]+", " ", name).casefold().split()
    return "".join(word for word in words if word not in _FILLERS) in _FINISH


def outcome_of(call: WrittenCall, toolbox: Toolbox) -> Outcome:
    """What a call comes to that was written in JSON or in tags."""
    target = target_of(call.name, toolbox)
    if target is None:
        return Refused(advice.for_unknown_tool(call.name, toolbox))
    return target.from_call(*call.in_python) if call.in_python else target.from_value(call.arguments)
