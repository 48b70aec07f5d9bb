"""How the client's tests ask: one question, one key, and what became of it."""

from typing import Any

from llama_index.core.base.llms.types import ChatMessage

from llm.client import DeepSeek
from llm.errors import LLMError
from tests.provider.server import ProviderServer

ASK = [ChatMessage("How far is it?")]
KEY = "sk-4f7a1c9d2e8b6035-fjord"


def client(server: ProviderServer, **fields: Any) -> DeepSeek:
    return DeepSeek(**{"api_base": server.api_base, "api_key": KEY, "max_retries": 0, **fields})


async def outcome(llm: DeepSeek) -> tuple[str, str, LLMError | None]:
    """Thinking and text that were given out, and the error."""
    thinking = text = ""
    try:
        async for response in await llm.astream_chat(ASK):
            thinking, text = thinking + response.thinking_delta, text + (response.delta or "")
    except LLMError as failure:
        return thinking, text, failure
    return thinking, text, None
