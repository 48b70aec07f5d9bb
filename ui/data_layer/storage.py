"""Keeps the files of elements on this machine, as a storage client of Chainlit's; its S3 client fits the same seam."""

import asyncio
from pathlib import Path
from typing import Any

from chainlit.data.storage_clients.base import BaseStorageClient

from ui.data_layer.file_folder import FileFolder

FILES_URL = "/files"


class LocalFiles(BaseStorageClient):  # type: ignore[misc] # Chainlit is not followed
    """Keeps files in a folder; they are read through the app's own route, which asks whose they are."""

    def __init__(self, folder: Path, *, root_path: str = "") -> None:
        """`root_path` is the prefix under which the app is served, such as `/chat`."""
        self.folder = FileFolder(folder)
        self._url = root_path + FILES_URL

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
        await asyncio.to_thread(self.folder.write, object_key, content)
        return {"object_key": object_key, "url": await self.get_read_url(object_key)}

    async def upload_path(self, object_key: str, path: Path) -> None:
        """Keep a copy of a file, however large. Raises OSError where it cannot be read."""

        def copy() -> None:
            with path.open("rb") as source:
                self.folder.copy_in(object_key, source)

        await asyncio.to_thread(copy)

    async def delete_file(self, object_key: str) -> bool:
        return await asyncio.to_thread(self.folder.delete, object_key)

    async def get_read_url(self, object_key: str) -> str:
        return f"{self._url}/{object_key}"

    async def close(self) -> None:
        """Nothing is held open."""
