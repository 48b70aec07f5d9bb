"""Ways to keep and to read the files of chats, to test with."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from chainlit.auth import get_current_user
from chainlit.element import Element, Text
from chainlit.user import User
from fastapi import FastAPI

from tests.ui.data_layer.people import new_id
from tests.ui.data_layer.s3.server import BUCKET, KEYS, S3Server
from ui.data_layer.files_route import files_router
from ui.data_layer.layer import DataLayer
from ui.data_layer.storage import KeptFiles

ROOT = Path(__file__).parents[4]
NewLayer = Callable[..., DataLayer]


async def keep(layer: DataLayer, thread_id: str, kind: type[Element] = Text, **values: object) -> str:
    """Keep an element in a thread; returns where its file can be read."""
    element = kind(**{"name": "t", "content": "x", "thread_id": thread_id, "for_id": new_id(), **values})
    await layer.create_element(element)
    read = await layer.get_element(thread_id, element.id)
    return str(read["url"]) if read else ""


@asynccontextmanager
async def page_of(layer: DataLayer, files: KeptFiles, name: str) -> AsyncIterator[httpx.AsyncClient]:
    server = FastAPI()
    server.include_router(files_router(layer, files))
    server.dependency_overrides[get_current_user] = lambda: User(identifier=name)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(server), base_url="http://localhost") as page:
        yield page


def environment(s3: S3Server, folder: Path) -> dict[str, str]:
    return {
        **KEYS, "PATH": os.environ["PATH"], "HOME": str(folder), "THINKGLASS_DATA": str(folder), "LOCAL_MODEL": "off",
        "FILES_S3_BUCKET": BUCKET, "FILES_S3_ENDPOINT": s3.url,
    }  # fmt: skip
