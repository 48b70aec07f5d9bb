"""The connection to one MCP server: made in the background, again after each loss, and closed with its process.

Knows the protocol's client and nothing of what the tools are for.
"""

import asyncio
import contextlib
import logging
import os
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, TypeAlias

import anyio
import httpx
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, McpError, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from tools.base import ToolError
from tools.mcp_servers.config import ServerConfig, StdioServer

logger = logging.getLogger(__name__)

CONNECT_LIMIT_S = 60
"""Until the server has told its tools. Long, because many a command first downloads what it runs."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
PING_EVERY_S = 30.0
_CLOSE_LIMIT_S = 6.0  # the protocol's library waits 2 s for the process to end, and 2 s more after SIGTERM
_MAX_PAGES = 20
_LOSSES = frozenset({types.CONNECTION_CLOSED, 32600})
"""Codes by which the library says that the connection has ended, or that an HTTP server has forgotten the session."""

_Incoming: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
_Outgoing: TypeAlias = MemoryObjectSendStream[SessionMessage]


class McpConnection:
    """Call `start` once and `close` at the end. `on_tools` is told the server's tools whenever they change."""

    def __init__(self, name: str, config: ServerConfig, *, on_tools: Callable[[list[types.Tool]], None]) -> None:
        self.name = name
        self._config = config
        self._on_tools = on_tools
        self._session: ClientSession | None = None
        self._lost = asyncio.Event()
        self._stirred = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._farewells = set[asyncio.Task[None]]()

    def start(self) -> None:
        """Begin to connect; returns at once."""
        self._keeper = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """Leave the server. Its process and all that this has started are ended within a few seconds."""
        if self._keeper:
            self._keeper.cancel()
            await asyncio.wait([self._keeper], timeout=_CLOSE_LIMIT_S)

    async def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """One call. Cancelling it cancels it at the server, too. Raises `ToolError`."""
        session, lost = self._session, asyncio.ensure_future(self._lost.wait())
        if session is None:
            lost.cancel()
            raise ToolError(f"The server {self.name} is not connected now. Tell the user so, or try again later.")
        request = asyncio.create_task(self._request(session, tool, arguments))
        try:
            await asyncio.wait([request, lost], return_when=asyncio.FIRST_COMPLETED)
            if not request.done():
                raise self._loss(session)
            return request.result()
        finally:
            request.cancel()
            lost.cancel()

    async def _request(self, session: ClientSession, tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
        call = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
        request_id = session._request_id  # the library tells it in no other way, and the server must be told it below
        try:
            return await session.send_request(types.ClientRequest(call), types.CallToolResult)
        except asyncio.CancelledError:
            self._say_farewell(session, request_id)
            raise
        except McpError as error:
            if error.error.code in _LOSSES:
                raise self._loss(session) from None
            raise ToolError(f"The server {self.name} refused: {error.error.message}", by_strangers=True) from None
        except ValidationError:
            raise ToolError(f"The answer of the server {self.name} could not be read. Tell the user so.") from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise self._loss(session) from None

    def _loss(self, session: ClientSession) -> ToolError:
        """The advice for a call in whose midst the connection was lost."""
        if session is self._session:
            self._lose()
        return ToolError(
            f"The connection to the server {self.name} was lost, and whether the call was done is not known. Tell the "
            "user so, or try again in a moment if a second time does no harm."
        )

    def _say_farewell(self, session: ClientSession, request_id: int) -> None:
        """Tell the server that nobody waits for this request; in the background, so that Stop waits for no server."""
        params = types.CancelledNotificationParams(requestId=request_id, reason="stopped")
        notification = types.ClientNotification(types.CancelledNotification(params=params))
        task = asyncio.create_task(_within(1.0, session.send_notification(notification)))
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)

    async def _keep(self) -> None:
        """Stay connected; after each loss wait a little longer than before."""
        pause = FIRST_PAUSE_S
        while True:
            began = time.monotonic()
            attempt = asyncio.create_task(self._stay_connected())
            try:
                await asyncio.wait([attempt])
            finally:
                await _ended(attempt)
            pause = FIRST_PAUSE_S if time.monotonic() - began > LONGEST_PAUSE_S else pause
            error = None if attempt.cancelled() else attempt.exception()
            logger.warning("MCP server %s: %s; next try in %.0f s", self.name, _reason(error), pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _stay_connected(self) -> None:
        self._lost.clear()
        self._stirred.clear()
        try:
            async with self._streams() as (incoming, outgoing), self._session_on(incoming, outgoing) as session:
                async with asyncio.timeout(CONNECT_LIMIT_S):
                    await session.initialize()
                    await self._list_tools(session)
                self._session = session
                while not self._lost.is_set():
                    await self._look_after(session)
        finally:
            self._lose()

    def _lose(self) -> None:
        """From now on there is no session, and whoever waits for it is told."""
        self._session = None
        self._lost.set()
        self._stirred.set()
        self._on_tools([])

    async def _look_after(self, session: ClientSession) -> None:
        """Wait until something stirs; if nothing does for a while, see whether the server is still there."""
        try:
            async with asyncio.timeout(PING_EVERY_S):
                await self._stirred.wait()
        except TimeoutError:
            async with asyncio.timeout(PING_EVERY_S):
                await session.send_ping()
            return
        self._stirred.clear()
        if not self._lost.is_set():
            async with asyncio.timeout(CONNECT_LIMIT_S):
                await self._list_tools(session)

    async def _list_tools(self, session: ClientSession) -> None:
        tools: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.nextCursor
            if not cursor:
                break
        self._on_tools(tools)

    @contextlib.asynccontextmanager
    async def _streams(self) -> AsyncGenerator[tuple[_Incoming, _Outgoing], None]:
        if isinstance(self._config, StdioServer):
            parameters = StdioServerParameters(**self._config.model_dump())
            with _where_servers_talk() as talk:
                async with stdio_client(parameters, errlog=talk) as streams:
                    yield streams
            return
        timeout = httpx.Timeout(30, read=300)
        async with (
            httpx.AsyncClient(headers=self._config.headers, timeout=timeout) as client,
            streamable_http_client(self._config.url, http_client=client) as (incoming, outgoing, _),
        ):
            yield incoming, outgoing

    @contextlib.asynccontextmanager
    async def _session_on(self, incoming: _Incoming, outgoing: _Outgoing) -> AsyncGenerator[ClientSession, None]:
        """A session that notices the end of what comes in: the library keeps that to itself."""
        sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def relay() -> None:
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                async with sender:
                    async for message in incoming:
                        await sender.send(message)
            self._lose()

        relaying = asyncio.create_task(relay())
        info = types.Implementation(name="thinkglass", version="1")
        try:
            async with ClientSession(receiver, outgoing, message_handler=self._hear, client_info=info) as session:
                yield session
        finally:
            await _ended(relaying)

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ServerNotification) and isinstance(
            message.root, types.ToolListChangedNotification
        ):
            self._stirred.set()


@contextlib.contextmanager
def _where_servers_talk() -> Any:
    """What programs write beside the protocol may hold anything, so it is seen only by who looks for faults."""
    if logger.isEnabledFor(logging.DEBUG):
        yield sys.stderr
        return
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123  # it is no file
        yield nowhere


async def _within(limit_s: float, work: Awaitable[None]) -> None:
    with contextlib.suppress(TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with asyncio.timeout(limit_s):
            await work


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])


def _reason(error: BaseException | None) -> str:
    """Why a connection ended, without anything that a server or the configuration said."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case None:
            return "it has ended"
        case FileNotFoundError():
            return "its command is not there"
        case TimeoutError():
            return "it did not answer in time"
        case httpx.HTTPStatusError(response=response):
            return f"it answered with status {response.status_code}"
        case httpx.TransportError():
            return "it can't be reached"
    return f"it failed ({type(error).__name__})"
