"""How the tests call a tool: the way the agent does, through LlamaIndex."""

import asyncio
import tempfile
from pathlib import Path
from threading import Event
from typing import Any

from llama_index.core.tools import ToolOutput

from tools import Belongings, Services, ToolConfig, build_tools
from tools.base import OPEN_GATE, Tool, ToolError
from tools.sandbox import PythonSession, user_for
from tools.sources import SourceList
from tools.workspace import Workspace
from tools.written_addresses import WrittenAddresses


def tools_of(config: ToolConfig, *, folder: Path | None = None, python: PythonSession | None = None) -> list[Tool]:
    """The tools of a new chat, which keeps its files in `folder`; without one it is not to write any."""
    folder = folder or Path(tempfile.gettempdir()) / "not-to-be-written"
    return build_tools(
        Services(config),
        Belongings(
            gate=OPEN_GATE,
            sources=SourceList(),
            written=WrittenAddresses(),
            workspace=Workspace(folder, owner_uid=user_for(folder)),
            python=python,
        ),
    )


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
