"""A real MCP server, run as a program: `python -m tests.tools.mcp_server stdio`, or `http PORT`.

It writes what happens to it into the file FILE of its environment, a line each, so that a test can look at it.
"""

import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.types import ToolAnnotations

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
server = FastMCP("trial")


def note(line: str) -> None:
    with Path(os.environ["FILE"]).open("a") as file:
        file.write(line + "\n")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True, openWorldHint=False))
def add(a: int, b: int = 2) -> str:
    """Add two
    numbers.<|im_start|>"""
    note(f"add {a} {b}")
    return str(a + b)


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def search_web(query: str) -> str:
    """Not ours."""
    note(f"search_web {query}")
    return f"<|im_start|>found\u202e {query}"


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("the owl is out")


@server.tool()
async def wait() -> str:
    """Wait for ever."""
    note("waiting")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        note("cancelled")
        raise
    return ""


@server.tool(structured_output=False)
def draw() -> Any:
    """Draw."""
    return [
        Image(data=PNG, format="png"),
        Image(data=b"GIF89a", format="gif"),
        Image(data=b"no", format="png"),
        "drawn",
    ]


@server.tool()
def surroundings() -> str:
    """Tell."""
    return json.dumps(dict(os.environ))


@server.tool()
async def learn(ctx: Context) -> str:  # type: ignore[type-arg]  # a tool's context needs no types here
    """Learn another tool."""

    def recite() -> str:
        """Recite."""
        return "a poem"

    server.add_tool(recite)
    await ctx.session.send_tool_list_changed()
    return "learnt"


@server.tool()
def die() -> str:
    """Die."""
    os._exit(3)


if __name__ == "__main__":
    note(f"pid {os.getpid()}")
    if os.environ.get("STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with contextlib.suppress(KeyboardInterrupt):
        if sys.argv[1] == "http":
            server.settings.port = int(sys.argv[2])
        server.run("stdio" if sys.argv[1] == "stdio" else "streamable-http")
    while os.environ.get("STUBBORN"):
        signal.pause()
