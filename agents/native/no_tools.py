"""What to tell people whose endpoint can't call tools, whether its profile says so or only its refusal."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from llm.errors import LLMError

_REFUSAL = re.compile(
    r"\b(?:tools?|functions?)(?: ?(?:calls?|calling|use|choice))?\b[^.]{0,40}?"
    r"\b(?:not (?:yet )?(?:support|available|enabled|allowed)|unsupported|disabled)"
    r"|(?:not (?:yet )?support|unsupported|not permitted)[^.]{0,30}?\b(?:tools?\b|tool_choice|functions?\b)"
    r"|support(?:s|ing)? tool use|tool choice requires|tools param requires",
    re.IGNORECASE,
)
"""Ollama, vLLM without a tool parser, llama.cpp without a template, OpenRouter and resellers of small models."""


class NoNativeTools(LLMError):
    """The endpoint has no tool calling of its own for this model."""

    template: ClassVar[str] = "{model} can't call tools by itself here. Choose the ReAct profile: it works everywhere."


@contextmanager
def refusal_named() -> Iterator[None]:
    """Raises `NoNativeTools` for an endpoint's refusal of the tools."""
    try:
        yield
    except LLMError as error:
        if _REFUSAL.search(error.detail):
            raise NoNativeTools(error.detail, **error.facts) from error
        raise
