"""The chat profiles that a person can pick, read from `profiles/*.md`, and the agent that each one stands for.

To add one, add a file: a YAML head between two lines of `---`, and the system prompt below. Knows no page.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

import yaml  # type: ignore[import-untyped]  # it ships no types
from llama_index.core.llms.llm import LLM
from llama_index.core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, field_validator, model_validator

from agents.native import NoNativeTools, ReasoningFunctionAgent
from agents.react import ReasoningReActAgent
from agents.react.guide import Guide

PROFILES_FOLDER = Path(__file__).parent / "profiles"

AgentKind: TypeAlias = Literal["react", "native", "plain"]
ChatAgent: TypeAlias = ReasoningReActAgent | ReasoningFunctionAgent
_Line: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, strict=True)]

_FILE_NAME = re.compile(r"\d+-(?P<id>[a-z0-9]+(?:-[a-z0-9]+)*)")


class BrokenChatProfile(ValueError):
    """A profile can't be used. The message names its file and says what is wrong there."""


class Words(BaseModel):
    """The same words in both languages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: _Line
    zh: _Line


class ProfileStarter(BaseModel):
    """A question to begin a chat with: `label` is shown, `message` is sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Words
    message: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProfile:
    """One way to chat. `id` is the file's name without its number; `tools` are names, or all that there are."""

    id: str
    name: Words
    description: Words
    agent: AgentKind
    tools: tuple[str, ...] | Literal["all"]
    starters: tuple[ProfileStarter, ...] = ()
    prompt: str


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Words
    description: Words
    agent: AgentKind
    tools: Literal["all"] | tuple[str, ...]
    starters: tuple[ProfileStarter, ...] = ()

    @field_validator("tools", mode="before")
    @classmethod
    def _are_names(cls, tools: Any) -> Any:
        is_list = isinstance(tools, list) and all(isinstance(name, str) for name in tools)
        if not is_list and tools not in ("all", "none"):
            raise ValueError("must be all, none or a list of names of tools")
        return () if tools == "none" else tools

    @model_validator(mode="after")
    def _fits_its_agent(self) -> Self:
        if self.agent == "plain" and self.tools:
            raise ValueError("tools: a plain chat has none")
        return self


def load_profiles(*, tool_names: Iterable[str], folder: Path = PROFILES_FOLDER) -> tuple[ChatProfile, ...]:
    """All profiles in the order of their files' names; the first is the default one. Raises `BrokenChatProfile`."""
    known = frozenset(tool_names)
    profiles = tuple(_profile_from(path, known) for path in sorted(folder.glob("*.md")))
    if not profiles:
        raise BrokenChatProfile(f"{folder}: there is no chat profile (*.md)")
    ids = [profile.id for profile in profiles]
    for profile_id in ids:
        if ids.count(profile_id) > 1:
            raise BrokenChatProfile(f"{folder}: two files are named {profile_id}.md, apart from their numbers")
    return profiles


def build_agent(
    profile: ChatProfile, llm: LLM, tools: Sequence[BaseTool], *, max_rounds: int, guide: Guide | None = None
) -> ChatAgent:
    """The profile's agent on this model. Raises `NoNativeTools`.

    `guide` steers a model that is too small to call tools by itself or to chat without one: it always gets ReAct.
    """
    chosen = [tool for tool in tools if profile.tools == "all" or tool.metadata.get_name() in profile.tools]
    if guide:
        chosen = [tool for tool in chosen if tool.metadata.get_name() in guide.tools]
    settings: dict[str, Any] = {"llm": llm, "system_prompt": profile.prompt, "max_rounds": max_rounds}
    match profile.agent:
        case "react":
            return ReasoningReActAgent(tools=chosen, guide=guide, **settings)
        case "native":
            if guide or not llm.metadata.is_function_calling_model:
                raise NoNativeTools(model=llm.metadata.model_name)
            return ReasoningFunctionAgent(tools=chosen, **settings)
        case "plain" if guide:
            return ReasoningReActAgent(tools=[], guide=guide, **settings)
        case "plain":
            return ReasoningFunctionAgent(tools=[], **settings)


def _profile_from(path: Path, known_tools: frozenset[str]) -> ChatProfile:
    try:
        return _read(path, known_tools)
    except OSError as error:
        problem = f"it can't be read: {error.strerror}"
    except UnicodeDecodeError:
        problem = "it is not UTF-8 text"
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else "its head"
        problem = f"{line}: {error.problem} (text with : or ? needs quotes)"
    except yaml.YAMLError:
        problem = "its head holds characters that are not text"
    except ValidationError as error:
        problem = "; ".join(_fault(one) for one in error.errors())
    except ValueError as error:
        problem = str(error)
    raise BrokenChatProfile(f"{path}: {problem}")


def _read(path: Path, known_tools: frozenset[str]) -> ChatProfile:
    named = _FILE_NAME.fullmatch(path.stem)
    if not named:
        raise ValueError("its name must be a number, a hyphen and small letters, such as 40-research.md")
    text, prompt = _parted(path.read_text("utf-8-sig"))
    content = yaml.safe_load(f"\n{text}")  # the errors count lines from the top of the file
    if not isinstance(content, dict):
        raise ValueError("its head must have lines such as agent: react")
    head = _Head.model_validate(content)
    named_tools = () if head.tools == "all" else head.tools
    if unknown := [name for name in named_tools if name not in known_tools]:
        raise ValueError(
            f"tools: there is no {', '.join(unknown)}; there are {', '.join(sorted(known_tools)) or 'none'}"
        )
    return ChatProfile(
        id=named["id"], name=head.name, description=head.description, agent=head.agent, tools=head.tools,
        starters=head.starters, prompt=prompt,
    )  # fmt: skip


def _parted(text: str) -> tuple[str, str]:
    """The head and the prompt."""
    first, *lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == "---"]
    if first.rstrip() != "---" or not ends:
        raise ValueError("it must begin with a head between two lines of ---")
    prompt = "\n".join(lines[ends[0] + 1 :]).strip()
    if not prompt:
        raise ValueError("there is no system prompt below its head")
    return "\n".join(lines[: ends[0]]), prompt


def _fault(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    words = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {words}" if place else words
