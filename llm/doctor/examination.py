"""One short question to an endpoint, and what its reply shows: the facts on which everything else here relies.

It is asked through the client that every turn uses, so what is found holds for a chat. Says nothing to people.
"""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponseAsyncGen,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from llm.client import ReasoningChatResponse, client_for
from llm.endpoint import Endpoint, with_model
from llm.errors import (
    LLMError,
    ModelUnknown,
    OutOfTokens,
    RequestRefused,
    ServerFailed,
    Stalled,
    Unreachable,
    UnreadableReply,
    WrongAddress,
)
from llm.model_hosts import host_name, shown_address

LIMIT_S = 120.0
"""A large model on one's own machine may have to be loaded first."""
_MOST_TOKENS = 1000
"""Few are needed; a model that thinks at length still gets to its answer."""
_QUESTION = ChatMessage("What is 17 plus 25? Use the tool if you have one. Answer with the number alone.")
_TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds two whole numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
_MAY_MEAN_THE_TOOL = (RequestRefused, ModelUnknown, WrongAddress, ServerFailed)
"""With these endpoints refuse a request because of the tools in it; seen at Ollama, vLLM, OpenRouter and llama.cpp."""

IN_TAGS, IN_LIST, HIDDEN, NONE_SEEN = "tags", "list", "hidden", "none"
"""Where thinking may be besides in a field of its own: in the text, among the parts of the content, kept back by the
server (it counts the tokens and shows nothing), nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What an examination found. None: not known, because the reply did not get so far."""

    address: str
    """Without a name or a password, which an address can hold."""
    server: str
    model: str
    """Empty if none is set and the endpoint lists none."""
    has_key: bool | None
    """None where none is wanted: the built-in model."""
    is_reachable: bool
    thinking: str | None = None
    """The name of the field in which it arrives, or `IN_TAGS`, `IN_LIST`, `HIDDEN`, `NONE_SEEN`."""
    calls_tools: bool | None = None
    """Whether it called the tool that it was offered. False is no fault: not every model or server can."""
    reports_usage: bool | None = None
    first_token_s: float | None = None
    """Seconds from the question to the first piece of the reply, connecting included."""
    error: LLMError | None = None
    """Why a chat would not work; None if it would."""


@dataclass(slots=True)
class _Seen:
    """What has come of one reply. `is_whole`: it came to its end, be it our limit of tokens."""

    last: ReasoningChatResponse | None = None
    first_token_s: float | None = None
    is_whole: bool = False
    may_only_think: bool = False
    error: LLMError | None = None

    @property
    def has_call(self) -> bool:
        return any(isinstance(block, ToolCallBlock) for block in self._blocks)

    @property
    def lacks_an_answer(self) -> bool:
        """Whether it ended well and said nothing, or nothing but thinking."""
        has_text = any(isinstance(block, TextBlock) and block.text.strip() for block in self._blocks)
        is_enough = has_text or self.has_call or (self.may_only_think and self._thinking)
        return self.is_whole and not is_enough

    @property
    def thinking(self) -> str | None:
        if self._thinking:  # without a field, only its encrypted details have come
            return str(self._thinking.additional_information.get("field", HIDDEN))
        if not self.is_whole:
            return None
        return HIDDEN if self.last and self.last.usage and self.last.usage.thinking_tokens else NONE_SEEN

    @property
    def reports_usage(self) -> bool | None:
        return bool(self.last and self.last.usage) if self.is_whole else None

    @property
    def _thinking(self) -> ThinkingBlock | None:
        return next((block for block in self._blocks if isinstance(block, ThinkingBlock)), None)

    @property
    def _blocks(self) -> list[Any]:
        return list(self.last.message.blocks) if self.last else []


async def examine(endpoint: Endpoint, *, limit_s: float = LIMIT_S, connect_timeout: float = 10.0) -> Diagnosis:
    """Ask the endpoint one short question. Raises nothing of ours: what fails is in the diagnosis.

    Takes at most `limit_s` seconds. A reply that is under way by then proves enough and counts as no fault.
    """
    deadline = asyncio.get_running_loop().time() + limit_s
    try:
        endpoint = await with_model(endpoint, timeout_s=min(limit_s, connect_timeout))
    except LLMError as error:
        return _diagnosis(endpoint, _Seen(error=error), calls_tools=None)
    ask = partial(_ask, endpoint, deadline=deadline, connect_timeout=connect_timeout)
    seen = await ask(tools=[_TOOL])
    if not isinstance(seen.error, _MAY_MEAN_THE_TOOL) and not seen.lacks_an_answer:
        return _diagnosis(endpoint, seen, calls_tools=seen.has_call or (False if seen.is_whole else None))
    seen = await ask()
    if seen.lacks_an_answer:
        seen.error = UnreadableReply("no text and no call", **_facts(endpoint))
    return _diagnosis(endpoint, seen, calls_tools=None if seen.error else False)


def _diagnosis(endpoint: Endpoint, seen: _Seen, *, calls_tools: bool | None) -> Diagnosis:
    return Diagnosis(
        address=shown_address(endpoint.api_base),
        server=endpoint.server,
        model=endpoint.model,
        has_key=None if endpoint.source == "builtin" else bool(endpoint.api_key),
        is_reachable=not isinstance(seen.error, Unreachable),
        thinking=seen.thinking,
        calls_tools=calls_tools,
        reports_usage=seen.reports_usage,
        first_token_s=seen.first_token_s,
        error=seen.error,
    )


async def _ask(endpoint: Endpoint, *, deadline: float, connect_timeout: float, **offer: Any) -> _Seen:
    began = time.monotonic()
    seen = _Seen(may_only_think=endpoint.needs_guide)  # such a model comes to its answer under a grammar only
    llm = client_for(endpoint, connect_timeout=connect_timeout, max_retries=0, reuse_client=False)
    try:
        async with asyncio.timeout_at(deadline):
            await _read(await llm.astream_chat([_QUESTION], max_tokens=_MOST_TOKENS, **offer), seen, began=began)
        seen.is_whole = True
    except OutOfTokens as error:  # the limit is ours, so this is no fault
        seen.is_whole = seen.may_only_think = True
        seen.last = cast(ReasoningChatResponse, error.partial)
    except LLMError as error:
        seen.error = error
    except TimeoutError:
        if not seen.last:
            seconds = round(time.monotonic() - began)
            seen.error = Stalled("nothing came within the limit", **_facts(endpoint), seconds=seconds)
    return seen


async def _read(responses: ChatResponseAsyncGen, seen: _Seen, *, began: float) -> None:
    async with aclosing(responses):
        async for response in responses:
            if isinstance(response, ReasoningChatResponse) and response.silent_s is None:
                seen.last = response
                seen.first_token_s = seen.first_token_s or time.monotonic() - began


def _facts(endpoint: Endpoint) -> dict[str, Any]:
    return {"host": host_name(endpoint.api_base), "model": endpoint.model}
