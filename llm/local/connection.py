"""The way to a model: a configured endpoint, a server that runs on this machine, or the built-in model.

Owns what it starts, the engine and the download, and says at any time how far it is. Takes plain values; knows
nothing of settings, agents or the page.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import httpx

from llm.endpoint import Endpoint, with_model
from llm.errors import LLMError
from llm.local.detect import USUAL_ADDRESSES, detect
from llm.local.errors import EngineFailed, ModelFileMissing, NoModel
from llm.local.fetch import fetch, is_fetched
from llm.local.machine import free_memory
from llm.local.read_ahead import Message, read_ahead, restore
from llm.local.server import EngineServer, Model, open_server, require_engine
from llm.local.weights import LocalModel, Weights, choose_weights, known_weights

_log = logging.getLogger(__name__)

_THINK_TEMPLATE = Path(__file__).with_name("think.jinja")
_OWN_CONTEXT_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Asking:
    """The endpoint at `server` is set without a model and is asked which it has."""

    server: str


@dataclass(frozen=True, slots=True)
class Looking:
    """A model server is being looked for on this machine."""


@dataclass(frozen=True, slots=True)
class Fetching:
    """The weights called `name` are being downloaded; it happens once."""

    done_bytes: int
    total_bytes: int
    name: str


@dataclass(frozen=True, slots=True)
class Starting:
    """The engine loads the model called `name` and reads the opening; the first time ever that takes half a minute."""

    name: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The endpoint answers, as far as we know."""

    endpoint: Endpoint


@dataclass(frozen=True, slots=True)
class Unavailable:
    """There is no model. The next `endpoint()` or `start()` tries again."""

    reason: LLMError


ConnectionState: TypeAlias = Asking | Looking | Fetching | Starting | Ready | Unavailable


class Connection:
    """One for the whole app. Use within one event loop; `close` it, or the engine lives until the process ends."""

    def __init__(
        self,
        *,
        configured: Endpoint | None,
        local_model: LocalModel | Literal["off"],
        local_model_path: Path | None,
        cache_folder: Path,
        own_ports: Collection[int] = (),
        opening: Sequence[Message] = (),
        addresses: Mapping[str, str] = USUAL_ADDRESSES,
    ) -> None:
        """`opening` are the messages with which every chat with the built-in model begins; they are read ahead.

        `configured` wins over all; `local_model_path` is a choice, too, so nothing is looked for then.
        """
        self._configured = configured
        self._local_model = local_model
        self._local_model_path = local_model_path
        self._cache_folder = cache_folder
        self._own_ports = own_ports
        self._opening = opening
        self._addresses = addresses
        self._server: EngineServer | None = None
        self._attempt: asyncio.Task[None] | None = None
        self._attending: asyncio.Task[None] | None = None
        self._closed = False
        self._changed = asyncio.Event()
        self._state = self._first_state()

    @property
    def state(self) -> ConnectionState:
        """How far it is now."""
        return self._state

    async def problem(self) -> str | None:
        """None if a model answers as far as we know, else a few words for whoever runs the server."""
        match self._state:
            case Ready():
                return None
            case Unavailable(reason):
                return type(reason).__name__
        return "not yet"

    async def states(self) -> AsyncIterator[ConnectionState]:
        """The state now and each later one until `close`; a slow reader gets the latest and misses some between."""
        while not self._closed:
            changed = self._changed
            yield self._state
            await changed.wait()

    def start(self) -> None:
        """Begin in the background, or again after a failure. Does nothing while it is under way or ready."""
        if self._closed or isinstance(self._state, Ready) or (self._attempt and not self._attempt.done()):
            return
        self._enter(self._first_state())
        self._attempt = asyncio.create_task(self._connect())

    async def endpoint(self) -> Endpoint:
        """Wait for the endpoint. Raises the `LLMError` of the attempt; a failed or crashed one is tried anew."""
        self.start()
        async for state in self.states():
            match state:
                case Ready(endpoint):
                    return endpoint
                case Unavailable(reason):
                    raise reason
        raise RuntimeError("The connection is closed.")

    async def close(self) -> None:
        """End the engine and any download. Finished parts stay for the next time."""
        self._closed = True
        self._changed.set()
        for task in (self._attempt, self._attending):
            await _cancelled(task)
        if self._server:
            await self._server.close()

    def _enter(self, state: ConnectionState) -> None:
        self._state = state
        self._changed.set()
        self._changed = asyncio.Event()

    async def _connect(self) -> None:
        try:
            endpoint = await self._set_endpoint() or await self._running_server() or await self._builtin()
        except LLMError as error:
            _log.warning("No model: %s (%s)", error.user_message, error.detail)
            self._enter(Unavailable(error))
        else:
            self._enter(Ready(endpoint))
        finally:
            if not isinstance(self._state, Ready | Unavailable):  # a defect of ours: whoever waits must not wait on
                self._enter(Unavailable(EngineFailed("the attempt was broken off")))

    def _first_state(self) -> ConnectionState:
        match self._configured:
            case None:
                return Looking()
            case Endpoint(model=""):
                return Asking(self._configured.server)
            case _:
                return Ready(self._configured)

    async def _set_endpoint(self) -> Endpoint | None:
        return await with_model(self._configured) if self._configured else None

    async def _running_server(self) -> Endpoint | None:
        if self._local_model_path:
            return None
        return await detect(skip_ports=self._own_ports, addresses=self._addresses)

    async def _builtin(self) -> Endpoint:
        model = await self._model()
        self._enter(Starting(model.name))
        server = self._server = await open_server(model, self._slot_folder)
        self._attending = asyncio.create_task(self._attend(server))
        await self._prepare(server.endpoint)
        if self._server is not server:
            raise EngineFailed("the engine ended while it read the opening")
        return server.endpoint

    async def _model(self) -> Model:
        if self._local_model_path:
            return _own_model(self._local_model_path)
        if self._local_model == "off":
            raise NoModel
        weights = choose_weights(self._local_model, free_memory())
        if not is_fetched(weights, self._cache_folder):
            await require_engine()
        path = await fetch(
            weights,
            self._cache_folder,
            lambda progress: self._enter(Fetching(progress.done_bytes, progress.total_bytes, weights.name)),
        )
        return _built_in(weights, path)

    @property
    def _slot_folder(self) -> Path:
        return self._cache_folder / "slots"

    async def _attend(self, server: EngineServer) -> None:
        """Wait for a crash and make it known."""
        crash = await server.ended()
        _log.error("The built-in model's engine ended: %s", crash.detail)
        self._server = None
        self._enter(Unavailable(crash))

    async def _prepare(self, endpoint: Endpoint) -> None:
        """Have the opening's state in the engine: from the disk at once, else by reading it, which takes a while."""
        if not self._opening:
            return
        try:
            if not await restore(endpoint, self._opening, slot_folder=self._slot_folder):
                await read_ahead(endpoint, self._opening, slot_folder=self._slot_folder)
        except httpx.HTTPError as error:  # the first answer will be slow, nothing more
            _log.warning("The opening could not be read ahead: %r", error)


def _built_in(weights: Weights, path: Path) -> Model:
    return Model(
        path=path,
        name=weights.name,
        server="built-in",
        context_tokens=weights.context_tokens,
        chat_template=_THINK_TEMPLATE.read_text(encoding="utf-8"),
    )


def _own_model(path: Path) -> Model:
    """A file of the user's own brings its chat template; one of our weights is run as ours, wherever it lies."""
    if not _is_gguf(path):
        raise ModelFileMissing(str(path), path=str(path))
    known = known_weights(path)
    if known:
        return _built_in(known, path)
    return Model(path=path, name=path.stem, server="llama.cpp", context_tokens=_OWN_CONTEXT_TOKENS)


def _is_gguf(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return file.read(4) == b"GGUF"
    return False


async def _cancelled(task: asyncio.Task[None] | None) -> None:
    if task:
        task.cancel()
        await asyncio.wait([task])
