"""Keeps the files of elements, as a storage client of Chainlit's: in a folder here, or in S3 (`s3_files.py`)."""

import asyncio
import io
import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from chainlit.data.storage_clients.base import BaseStorageClient
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response

from ui.data_layer.file_folder import FileFolder
from ui.data_layer.file_store import FileStore

P = ParamSpec("P")
T = TypeVar("T")

FILES_URL = "/files"
MOST_AT_A_TIME = 16
logger = logging.getLogger(__name__)


class KeptFiles(BaseStorageClient):  # type: ignore[misc] # Chainlit is not followed
    """Files in a store; they are read through the app's own route, which asks whose they are.

    The threads are its own: a store that hangs must not hold those in which others work.
    """

    def __init__(self, store: FileStore, *, root_path: str) -> None:
        """`root_path` is the prefix under which the app is served, such as `/chat`."""
        self._store = store
        self._url = root_path + FILES_URL
        self._threads = ThreadPoolExecutor(MOST_AT_A_TIME, thread_name_prefix="files")

    @abstractmethod
    async def response(self, object_key: str, asked: Headers, **how: Any) -> Response:
        """A file, or the part that the request's headers ask for. `how` is as for starlette's `FileResponse`.

        Raises FileNotFoundError, or another OSError where the store does not answer.
        """

    @property
    def checks(self) -> Mapping[str, Callable[[], Awaitable[str | None]]]:
        """What `/ready` should look at, by name: each says in a sentence what is wrong, or None."""
        return {}

    async def start(self) -> None:
        """Make sure that files can be kept. Raises `HistoryError` with words for whoever starts us."""

    async def upload_file(
        self,
        object_key: str,
        data: bytes | str,
        mime: str = "application/octet-stream",
        overwrite: bool = True,
        content_disposition: str | None = None,
    ) -> dict[str, Any]:
        """Keep a file; returns its key and its address. Text is UTF-8; the type is remembered by the element."""
        content = data.encode() if isinstance(data, str) else data
        await self.in_thread(self._store.copy_in, object_key, io.BytesIO(content))
        return {"object_key": object_key, "url": await self.get_read_url(object_key)}

    async def upload_path(self, object_key: str, path: Path) -> None:
        """Keep a copy of a file, however large. Raises OSError where it cannot be read or kept."""

        def copy() -> None:
            with path.open("rb") as source:
                self._store.copy_in(object_key, source)

        await self.in_thread(copy)

    async def delete_file(self, object_key: str) -> bool:
        """Whether the file is gone now; it need not have been there."""
        try:
            await self.in_thread(self._store.delete, object_key)
        except OSError as error:
            logger.warning("a file could not be deleted, which is tried again at the next start: %s", error)
            return False
        return True

    async def get_read_url(self, object_key: str) -> str:
        return f"{self._url}/{object_key}"

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, work: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Do what blocks in a thread of these files."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *arguments, **keywords))


class LocalFiles(KeptFiles):
    """Keeps files in a folder."""

    def __init__(self, folder: Path, *, root_path: str = "") -> None:
        self._folder = FileFolder(folder)
        super().__init__(self._folder, root_path=root_path)

    async def response(self, object_key: str, asked: Headers, **how: Any) -> Response:
        """See `KeptFiles`. starlette reads by itself what is asked for."""
        if not await self.in_thread(self._folder.has, object_key):
            raise FileNotFoundError(object_key)
        return FileResponse(self._folder.path(object_key), **how)
