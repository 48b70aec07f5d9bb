"""The ways into a running app that an attacker has: HTTP requests and the socket, with whatever headers he likes."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import socketio

from tests.e2e.running_app import RunningApp

APP = "tests/security/app_under_attack.py"


APP = "tests/security/app_under_attack.py"


async def upgrade_status(app: RunningApp, headers: dict[str, str]) -> int:
    """Knock at the websocket with `headers` and return the status: 101 where it opens."""
    address = f"{app.url}/ws/socket.io/?EIO=4&transport=websocket"
    async with aiohttp.ClientSession() as session:
        try:
            async with session.ws_connect(address, headers=headers):
                return 101
        except aiohttp.WSServerHandshakeError as error:
            return error.status


def handshake(**changes: Any) -> dict[str, Any]:
    """What a browser sends on connecting, with `changes`."""
    auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "threadId": "", "userEnv": "{}", "chatProfile": ""}
    return {**auth, **changes}


@asynccontextmanager
async def connected(server: RunningApp, auth: Any) -> AsyncIterator["Chat"]:
    client = socketio.AsyncClient(reconnection=False)
    chat = Chat(client)
    try:
        await client.connect(server.url, auth=auth, transports=["websocket"], socketio_path="/ws/socket.io")
        await client.emit("connection_successful")
        yield chat
    finally:
        await client.disconnect()


class Chat:
    """One browser's chat: say something, and wait for what comes back."""

    def __init__(self, client: socketio.AsyncClient) -> None:
        self._client = client
        self._events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        for name in ("new_message", "element"):
            client.on(name, self._keeper(name))

    def _keeper(self, name: str) -> Any:
        async def keep(payload: Any) -> None:
            await self._events.put((name, payload))

        return keep

    async def say(self, text: str) -> None:
        message = {
            "id": str(uuid.uuid4()),
            "threadId": "",
            "name": "User",
            "type": "user_message",
            "output": text,
            "createdAt": "2026-01-01T00:00:00.000Z",
        }
        await self._client.emit("client_message", {"message": message, "fileReferences": []})

    async def next(self, name: str, *, step_type: str | None = None) -> Any:
        async with asyncio.timeout(10):
            while True:
                event, payload = await self._events.get()
                if event == name and step_type in {None, payload.get("type")}:
                    return payload
