"""How the tests call a tool: the way the agent does, through LlamaIndex."""

import asyncio
from threading import Event
from typing import Any

from llama_index.core.tools import ToolOutput

from tools.base import Tool, ToolError


async def text_of(tool: Tool, **arguments: Any) -> str:
    output = await tool.acall(**arguments)
    return output.content


async def output_of(tool: Tool, **arguments: Any) -> ToolOutput:
    return await tool.acall(**arguments)


async def advice_of(tool: Tool, **arguments: Any) -> str:
    """The advice of a call that must fail."""
    try:
        output = await tool.acall(**arguments)
    except ToolError as error:
        return str(error)
    raise AssertionError(f"no error but {output.content!r}")


async def reached(event: Event) -> None:
    assert await asyncio.to_thread(event.wait, 5), "the service was never asked"


def named(tools: list[Tool], name: str) -> Tool:
    return next(tool for tool in tools if tool.metadata.name == name)
