"""Data layers whose files are in a bucket, in place of those over a folder."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import boto3
import pytest

from tests.ui.data_layer.s3.chats import NewLayer
from tests.ui.data_layer.s3.server import KEYS, S3Server, running_s3
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.s3_files import Bucket, S3Files
from ui.data_layer.storage import KeptFiles


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture
def s3(server: S3Server) -> S3Server:
    server.empty()
    return server


@pytest.fixture(autouse=True)
def credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # it remembers credentials
    for name, value in {**KEYS, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
async def new_layer(s3: S3Server, tmp_path: Path) -> AsyncIterator[NewLayer]:
    opened: list[DataLayer] = []

    def open_layer(files: KeptFiles | None = None, url: str = "", **options: object) -> DataLayer:
        history = History(url, data_folder=tmp_path)
        opened.append(DataLayer(history, files or S3Files(Bucket(s3.address())), **options))
        return opened[-1]

    yield open_layer
    for layer in opened:
        await layer.close()
