"""The elements of threads and their files, which are kept longer than Chainlit keeps what it was given."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chainlit.context import context_var

from ui.data_layer import reads, writes
from ui.data_layer.file_folder import object_key
from ui.data_layer.history import History
from ui.data_layer.rows import Row
from ui.data_layer.storage import KeptFiles

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upload:
    """An element as it was when it was sent. `number` is its place in the order of writes."""

    element: Row
    path: str | None
    content: bytes | str | None
    number: int

    @property
    def has_file(self) -> bool:
        """Custom elements have none: all they show is in their props."""
        return self.element["type"] != "custom" and bool(self.path or self.content)


class Elements:
    """Keeps, finds and deletes elements together with their files."""

    def __init__(self, history: History, files: KeptFiles) -> None:
        self._history = history
        self._files = files
        self._under_way: dict[tuple[str, str], asyncio.Task[None]] = {}

    @property
    def checks(self) -> Mapping[str, Callable[[], Awaitable[str | None]]]:
        return self._files.checks

    async def start(self) -> None:
        """Make sure that files can be kept, and delete those that had to stay. Raises `HistoryError`."""
        await self._files.start()
        await self.delete_files(await self._history.read(reads.doomed_files))

    async def keep(self, upload: Upload) -> None:
        """Keep an element, after those with its id that are under way. Raises OSError where its file is gone."""
        which = upload.element["threadId"], upload.element["id"]
        task = asyncio.create_task(self._keep_after(self._under_way.get(which), upload))
        self._under_way[which] = task
        task.add_done_callback(lambda done: self._arrived(which, done))
        await asyncio.shield(task)

    async def settled(self, thread_id: str | None = None) -> None:
        """Wait until all that is under way at this moment is kept, of a thread if one is named."""
        waiting = [task for (of, _), task in self._under_way.items() if thread_id in {None, of}]
        if waiting:
            await asyncio.wait(waiting)

    async def get(self, thread_id: str, element_id: str) -> Row | None:
        await self.settled(thread_id)
        element = await self._history.read(partial(reads.element, thread_id=thread_id, element_id=element_id))
        if element:
            await self.locate(element)
        return element

    async def locate(self, element: Row) -> None:
        """Put in where its file can be read."""
        if element["objectKey"]:
            element["url"] = await self._files.get_read_url(element["objectKey"])

    async def delete(self, element_id: str, thread_id: str | None) -> None:
        await self.settled(thread_id)
        if thread_id and not await self._may_change(thread_id):
            return
        delete = partial(writes.delete_element, element_id=element_id, thread_id=thread_id)
        await self.delete_files(await self._history.change(delete))

    async def delete_files(self, keys: list[str]) -> None:
        """Delete files whose rows are gone. After the first that can't be, the others wait for the next start, too."""
        gone = list[str]()
        for key in keys:
            if not await self._files.delete_file(key):
                break
            gone.append(key)
        if gone:
            await self._history.change(partial(writes.file_is_gone, keys=gone))

    async def close(self) -> None:
        await self._files.close()

    def _arrived(self, which: tuple[str, str], task: asyncio.Task[None]) -> None:
        if self._under_way.get(which) is task:
            del self._under_way[which]

    async def _keep_after(self, before: asyncio.Task[None] | None, upload: Upload) -> None:
        if before:
            await asyncio.wait({before})
        element = upload.element
        if not await self._may_change(element["threadId"]):
            return
        if upload.has_file:
            element["objectKey"], element["url"] = await self._key_for(element), None
            await self._store_file(upload)
        is_kept = await self._history.write_element(element, upload.number)
        if upload.has_file and not is_kept:
            await self._files.delete_file(element["objectKey"])

    async def _key_for(self, element: Row) -> str:
        owner = await self._history.read(partial(reads.owner_of_thread, thread_id=element["threadId"]))
        return object_key(owner["id"] if owner else None, element["threadId"], element["id"])

    async def _store_file(self, upload: Upload) -> None:
        key = upload.element["objectKey"]
        if upload.path:
            await self._files.upload_path(key, Path(upload.path))
        else:
            await self._files.upload_file(key, upload.content or b"")

    async def _may_change(self, thread_id: str) -> bool:
        """Whether the session around the call may. Chainlit takes an element's thread from the browser, unchecked."""
        owner = await self._history.read(partial(reads.owner_of_thread, thread_id=thread_id))
        context = context_var.get(None)
        if owner is None or context is None:
            return True
        user = context.session.user
        if user is not None and user.identifier == owner["identifier"]:
            return True
        logger.warning("a change to an element of somebody else's thread was refused")
        return False
