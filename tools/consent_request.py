"""What a person is asked before a tool runs, and what they can answer. Pure data: the page may know it, too."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Answer: TypeAlias = Literal["allow", "deny", "always", "unanswered"]
"""`always` means this tool in this chat; `unanswered` that nobody answered in time, which is a no."""

Refusal: TypeAlias = Literal["deny", "unanswered"]
"""The answers by which a call is not run."""

Setting: TypeAlias = Literal["none", "risky", "all"]
"""Which calls are asked about: none; those that act outside once text by strangers has come in; or all."""

Reason: TypeAlias = Literal["strangers_text", "every_call"]


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """A call that waits for a person. `arguments` are all of those that the tool runs with.

    `read_before` names the tools that brought text by strangers into the chat, in the order of their first results.
    """

    tool: str
    arguments: dict[str, Any]
    reason: Reason
    read_before: tuple[str, ...] = ()
