"""People and threads to test with."""

import uuid
from typing import Any

from chainlit.user import PersistedUser, User

from ui.data_layer.layer import DataLayer

Step = dict[str, Any]


async def person(layer: DataLayer, name: str = "alice") -> PersistedUser:
    user = await layer.create_user(User(identifier=name, metadata={"provider": "credentials"}))
    assert user
    return user


async def thread_of(layer: DataLayer, user: PersistedUser, name: str = "A question") -> str:
    thread_id = new_id()
    await layer.update_thread(thread_id, name=name, user_id=user.id)
    return thread_id


def new_id() -> str:
    return str(uuid.uuid4())


def step(thread_id: str, output: str = "", **keys: Any) -> Step:
    """A step as Chainlit's `Message.to_dict` gives it."""
    return {
        "id": new_id(),
        "threadId": thread_id,
        "parentId": None,
        "createdAt": "2026-11-30T12:00:00.000000Z",
        "start": "2026-11-30T12:00:00.000000Z",
        "end": "2026-11-30T12:00:00.000000Z",
        "output": output,
        "name": "Assistant",
        "type": "assistant_message",
        "streaming": False,
        "isError": False,
        "waitForAnswer": False,
        "metadata": {},
        **keys,
    }


async def stored(layer: DataLayer, thread_id: str) -> list[Step]:
    thread = await layer.get_thread(thread_id)
    steps: list[Step] = thread["steps"] if thread else []
    return steps


async def texts(layer: DataLayer, thread_id: str) -> list[str]:
    return [step["output"] for step in await stored(layer, thread_id)]
