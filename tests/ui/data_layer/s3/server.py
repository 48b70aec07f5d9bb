"""A server that speaks S3: moto in a process of its own, which believes everybody until it is told not to."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import boto3
import httpx

from tests.e2e.running_app import START_LIMIT_S, free_port

BUCKET = "chats"
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_EC2_METADATA_DISABLED": "true"}


@dataclass(frozen=True, slots=True)
class S3Server:
    """Where it answers; what it holds is looked at by a client of its own."""

    url: str
    client: Any
    process: "subprocess.Popen[bytes]"

    def address(self, name: str = BUCKET, **others: str) -> dict[str, str | None]:
        return {"name": name, "endpoint": self.url, "region": None, **others}

    def keys(self) -> list[str]:
        found = self.client.list_objects_v2(Bucket=BUCKET)
        return [each["Key"] for each in found.get("Contents", [])]

    def content(self, key: str) -> bytes:
        body: bytes = self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return body

    def checks_keys(self, yes: bool) -> None:
        """Whether it asks who somebody is from now on; then it knows nobody."""
        count = "0" if yes else "inf"
        httpx.post(f"{self.url}/moto-api/reset-auth", content=count).raise_for_status()

    def empty(self) -> None:
        self.checks_keys(False)
        httpx.post(f"{self.url}/moto-api/reset").raise_for_status()
        self.client.create_bucket(Bucket=BUCKET)


@contextmanager
def running_s3() -> Iterator[S3Server]:
    port = free_port()
    environment = {"PATH": os.environ["PATH"], "INITIAL_NO_AUTH_ACTION_COUNT": "inf"}
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
    url = f"http://127.0.0.1:{port}"
    client = boto3.client(
        "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="y"
    )
    try:
        _wait_until_it_answers(url)
        yield S3Server(url, client, process)
    finally:
        process.kill()
        process.wait()


def _wait_until_it_answers(url: str) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while time.monotonic() < limit:
        with suppress(httpx.TransportError):
            httpx.get(f"{url}/moto-api/", timeout=5)
            return
        time.sleep(0.05)
    raise AssertionError("the S3 server did not start")
