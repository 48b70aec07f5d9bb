"""Keeps the files of chats in a bucket that speaks S3, by Chainlit's client for it. Imported late: it needs boto3.

Nobody but us reads the bucket: no address of it is ever given away.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)
from chainlit.data.storage_clients.s3 import S3StorageClient
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ui.data_layer.errors import FilesForbidden, FilesUnavailable, NoBucket, NoCredentials
from ui.data_layer.file_folder import plain_name
from ui.data_layer.storage import MOST_AT_A_TIME, KeptFiles

_PATIENCE = {"connect_timeout": 5, "read_timeout": 30, "retries": {"total_max_attempts": 2, "mode": "standard"}}
_FOR_ALL_SERVERS = {"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required"}
"""Others than Amazon refuse the checksums that boto3 has added by default since 1.36."""
_ONE_RANGE = re.compile(r"bytes=(\d+-\d*|-\d+)", re.ASCII)
_CHUNK_BYTES = 256 * 1024
_TRIAL = "trial"
_CREDENTIALS_AT_FAULT = {"ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch"}


class Bucket:
    """Files by key in one bucket. See `FileStore`; errors are `FilesUnavailable` of all kinds."""

    def __init__(self, address: Mapping[str, str | None]) -> None:
        """`address` has the `name` of the bucket, and `endpoint` and `region` or None for what boto3 finds itself."""
        self._name = str(address["name"])
        config = Config(**_PATIENCE, **_FOR_ALL_SERVERS, max_pool_connections=4 * MOST_AT_A_TIME)
        self._s3 = S3StorageClient(
            self._name, endpoint_url=address["endpoint"], region_name=address["region"], config=config
        )
        if not hasattr(self._s3, "client"):
            raise FilesUnavailable("boto3 made no client")  # Chainlit's has logged why

    def has(self, key: str) -> bool:
        try:
            self.get(key)["Body"].close()
        except FileNotFoundError:
            return False
        return True

    def open(self, key: str) -> BinaryIO:
        body: BinaryIO = self.get(key)["Body"]
        return body

    def get(self, key: str, **options: str) -> dict[str, Any]:
        """An object with its headers, and its `Body` to be read and closed. Raises FileNotFoundError.

        `options` are those of S3's GetObject, such as `Range`.
        """
        with translated():
            found: dict[str, Any] = self._s3.client.get_object(Bucket=self._name, Key=key, **options)
            return found

    def copy_in(self, key: str, source: BinaryIO) -> None:
        if not self._s3.sync_upload_file(key, source):
            raise self._refused("the file was not taken")

    def delete(self, key: str) -> None:
        if not self._s3.sync_delete_file(key):
            raise self._refused("the file was not deleted")

    def delete_all_of(self, user_id: str) -> None:
        for key in self._keys(f"{plain_name(user_id)}/"):
            self.delete(key)

    def ask(self) -> None:
        """Make sure that the bucket answers."""
        with translated():
            self._s3.client.head_bucket(Bucket=self._name)

    def try_out(self) -> None:
        """Make sure that all that is done with a bucket may be done."""
        with translated():
            self._s3.client.put_object(Bucket=self._name, Key=_TRIAL, Body=b"")
            self.has(_TRIAL)
            list(self._keys(_TRIAL))
            self._s3.client.delete_object(Bucket=self._name, Key=_TRIAL)

    def _refused(self, what: str) -> FilesUnavailable:
        """Why Chainlit's client did not do a thing, which it only logs: no answer, or no leave to do it."""
        self.ask()
        return FilesForbidden(what)

    def _keys(self, prefix: str) -> Iterator[str]:
        pages = self._s3.client.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=prefix)
        with translated():
            for page in pages:
                yield from [found["Key"] for found in page.get("Contents", ())]


class S3Files(KeptFiles):
    """Keeps files in a bucket."""

    def __init__(self, bucket: Bucket, *, root_path: str = "") -> None:
        self._bucket = bucket
        super().__init__(bucket, root_path=root_path)

    @property
    def checks(self) -> Mapping[str, Callable[[], Awaitable[str | None]]]:
        return {"files": self.problem}

    async def start(self) -> None:
        """Raises `FilesUnavailable` where files can't be kept."""
        await self.in_thread(self._bucket.try_out)

    async def problem(self) -> str | None:
        """None if the bucket answers, else a sentence for whoever runs the server."""
        try:
            await self.in_thread(self._bucket.ask)
        except FilesUnavailable as error:
            return error.user_message
        return None

    async def response(self, object_key: str, asked: Headers, **how: Any) -> Response:
        """See `KeptFiles`. One range is answered; of several, as of one that came too late, the whole file."""
        wish = asked.get("range", "")
        options = {"Range": wish} if _ONE_RANGE.fullmatch(wish) else {}
        try:
            found = await self.in_thread(self._bucket.get, object_key, **options)
            if options and not _is_same(found, asked.get("if-range")):
                found["Body"].close()
                found = await self.in_thread(self._bucket.get, object_key)
        except _OutOfRange:
            return Response(status_code=416, headers=how["headers"])
        return _Streamed(found["Body"], self._chunks(found["Body"]), headers=_headers(found, object_key, **how))

    async def _chunks(self, body: Any) -> AsyncIterator[bytes]:
        while chunk := await self.in_thread(_read, body):
            yield chunk


class _Streamed(StreamingResponse):
    """An object on its way to the page; the connection to the bucket is let go however that ends."""

    def __init__(self, body: Any, chunks: AsyncIterator[bytes], *, headers: Mapping[str, str]) -> None:
        super().__init__(chunks, 206 if "content-range" in headers else 200, headers)
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._body.close()


class _OutOfRange(FilesUnavailable):
    """The file ends before the range begins."""


def _read(body: Any) -> bytes:
    with translated():
        chunk: bytes = body.read(_CHUNK_BYTES)
        return chunk


def _headers(found: Mapping[str, Any], object_key: str, **how: Any) -> dict[str, str]:
    """Those of a file of this machine, whose own the object's take the place of."""
    own = {"etag": found["ETag"], "content-length": str(found["ContentLength"])}
    if "ContentRange" in found:
        own["content-range"] = found["ContentRange"]
    return {**FileResponse(object_key, **how).headers, **own}


def _is_same(found: Mapping[str, Any], known: str | None) -> bool:
    """Whether the object is still the one that `If-Range` knows. By date it is not said: a second is too coarse."""
    return known is None or known == found["ETag"]


@contextmanager
def translated() -> Iterator[None]:
    """What boto3 raises, as an OSError with words for whoever runs the server."""
    try:
        yield
    except (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError) as error:
        raise NoCredentials(str(error)) from error
    except ClientError as error:
        raise _refusal(error.response, str(error)) from error
    except ParamValidationError as error:
        raise NoBucket(str(error)) from error
    except BotoCoreError as error:
        raise FilesUnavailable(str(error)) from error


def _refusal(response: Mapping[str, Any], detail: str) -> OSError:
    status, code = response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]
    if code == "NoSuchKey":
        return FileNotFoundError(detail)
    if status == 416:
        return _OutOfRange(detail)
    if status in {401, 403} or code in _CREDENTIALS_AT_FAULT:
        return FilesForbidden(detail)
    return NoBucket(detail) if status < 500 else FilesUnavailable(detail)
