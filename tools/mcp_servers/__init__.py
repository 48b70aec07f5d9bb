"""The tools of MCP servers that the operator has named: one connection per server for the whole app.

Nothing that a person or a page says decides which servers there are. Knows no agent and no page.
"""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mcp import types

from tools.base import OPEN_GATE, Gate, SchemaMetadata, Tool, ToolResult, never, presentable, tool_of
from tools.mcp_servers.config import BrokenMcpConfig, ServerConfig, load_mcp_config
from tools.mcp_servers.connection import McpConnection
from tools.mcp_servers.result import result_from
from tools.mcp_servers.schema import UnusableSchema, usable_schema

__all__ = ["BrokenMcpConfig", "McpServers", "load_mcp_config"]

logger = logging.getLogger(__name__)

MAX_TOOLS_PER_SERVER = 64
_MAX_DESCRIPTION_CHARS = 900
"""OpenAI's limit is 1,024, and the mark of what was cut needs room, too."""
_MAX_NAME_CHARS = 64


@dataclass(frozen=True, slots=True)
class _Offer:
    """A tool of a server, as far as all chats share it. `name` fits a model; `given_name` is the server's."""

    server: str
    name: str
    given_name: str
    description: str
    parameters: dict[str, Any]
    is_harmless: bool
    """It says of itself that it only reads, and only in its own closed world."""


class McpServers:
    """All servers. The tools of those that are connected now are offered; the others cost a line in the log."""

    def __init__(self, servers: Mapping[str, ServerConfig], *, timeout_s: float) -> None:
        self._offers: dict[str, list[_Offer]] = {name: [] for name in servers}
        self._connections = {
            name: McpConnection(name, config, on_tools=partial(self._take_over, name))
            for name, config in servers.items()
        }
        self._timeout_s = timeout_s

    async def start(self) -> None:
        """Begin to connect to all servers; waits for none of them."""
        if self._connections:
            logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs whole messages
        for connection in self._connections.values():
            connection.start()

    async def close(self) -> None:
        """Leave all servers at once and end their processes."""
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))

    def tools(self, gate: Gate = OPEN_GATE, *, taken: Iterable[str] = ()) -> list[Tool]:
        """The tools that there are now, behind one chat's gate. `taken` are names of other tools: they keep them."""
        offers = [offer for listed in self._offers.values() for offer in listed]
        claims = Counter([*map(_key, taken), *(_key(offer.name) for offer in offers)])
        used = {_key(name) for name in taken}
        tools: list[Tool] = []
        for offer in offers:
            name = offer.name if claims[_key(offer.name)] == 1 else _legal(f"{offer.server}__{offer.name}")
            if _key(name) in used:
                logger.warning("MCP server %s: its tool %s is left out: there is one of that name", offer.server, name)
                continue
            used.add(_key(name))
            tools.append(self._tool(offer, name, gate))
        return tools

    def _tool(self, offer: _Offer, name: str, gate: Gate) -> Tool:
        connection = self._connections[offer.server]

        async def work(**arguments: Any) -> ToolResult:
            return result_from(await connection.call(offer.given_name, arguments), tool=name)

        return tool_of(
            work,
            SchemaMetadata(offer.description, name, None, parameters=offer.parameters),
            check=dict,
            touches="network",
            timeout_s=self._timeout_s,
            acts_outside=never if offer.is_harmless else _always,
            gate=gate,
        )

    def _take_over(self, server: str, listed: list[types.Tool]) -> None:
        """What a server offers from now on."""
        if len(listed) > MAX_TOOLS_PER_SERVER:
            logger.warning("MCP server %s: only %d of its %d tools are used", server, MAX_TOOLS_PER_SERVER, len(listed))
        offers = (_offer_from(server, tool) for tool in listed[:MAX_TOOLS_PER_SERVER])
        self._offers[server] = [offer for offer in offers if offer]
        if listed:
            logger.info("MCP server %s: %d tools", server, len(self._offers[server]))


def _offer_from(server: str, tool: types.Tool) -> _Offer | None:
    name = _legal(tool.name)
    try:
        parameters = usable_schema(tool.inputSchema)
    except UnusableSchema as error:
        logger.warning("MCP server %s: its tool %s is left out: its schema can't be used: %s", server, name, error)
        return None
    words = " ".join((tool.description or tool.title or name).split())
    hints = tool.annotations or types.ToolAnnotations()
    return _Offer(
        server=server,
        name=name,
        given_name=tool.name,
        description=presentable(words, max_chars=_MAX_DESCRIPTION_CHARS),
        parameters=parameters,
        is_harmless=hints.readOnlyHint is True and hints.openWorldHint is False,
    )


def _always(arguments: dict[str, Any]) -> bool:
    return True


def _legal(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:_MAX_NAME_CHARS] or "tool"


def _key(name: str) -> str:
    """Names that a model could take for each other have the same key."""
    return re.sub(r"[_-]", "", name).casefold()
