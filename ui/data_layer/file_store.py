"""Where the files of chats are: in a folder of this machine, or in a bucket that speaks S3. Knows no Chainlit."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from ui.data_layer.errors import NoS3Client
from ui.data_layer.file_folder import FileFolder
from ui.data_layer.places import files_folder


class FileStore(Protocol):
    """Files by key, such as `<user>/<thread>/<element>`. Blocking; what goes wrong is an OSError."""

    def has(self, key: str) -> bool:
        """Whether there is such a file."""

    def open(self, key: str) -> BinaryIO:
        """The file, to read it from its beginning; whoever opens it closes it. Raises FileNotFoundError."""

    def copy_in(self, key: str, source: BinaryIO) -> None:
        """Create or replace a file, without holding all of it in memory."""

    def delete(self, key: str) -> None:
        """Delete a file; it need not be there."""

    def delete_all_of(self, user_id: str) -> None:
        """Delete all that is kept for somebody, also what no element knows any more."""


def file_store(data_folder: Path, bucket: Mapping[str, str | None] | None) -> FileStore:
    """The store for commands: the bucket with this name, endpoint and region, else a folder. Raises `HistoryError`."""
    if not bucket:
        return FileFolder(files_folder(data_folder))
    require_s3_client()
    from ui.data_layer.s3_files import Bucket  # needs boto3, which only those with a bucket have

    return Bucket(bucket)


def require_s3_client() -> None:
    """Raises `NoS3Client` where boto3 is not installed."""
    if importlib.util.find_spec("boto3") is None:
        raise NoS3Client("boto3 is not installed")
