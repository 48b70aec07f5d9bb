"""Chainlit's data layer over the history: only here do Chainlit's types and the stored chats meet."""

import asyncio
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

from chainlit.context import context_var, local_steps
from chainlit.data.base import BaseDataLayer
from chainlit.element import Element
from chainlit.session import WebsocketSession
from chainlit.types import Feedback, PageInfo, PaginatedResponse, Pagination, ThreadFilter
from chainlit.user import PersistedUser, User
from sqlalchemy.exc import SQLAlchemyError

from ui.data_layer import reads, writes
from ui.data_layer.elements import Elements, Upload
from ui.data_layer.errors import HistoryError
from ui.data_layer.history import History, StepWrite
from ui.data_layer.order import moment
from ui.data_layer.presence import Presence
from ui.data_layer.rows import Row, json_text
from ui.data_layer.storage import KeptFiles

_MOST_LISTED = 100
_HELD = "history"
"""The name of Chainlit's queue of writes that wait for the first message. One for all kinds keeps them in order."""


class DataLayer(BaseDataLayer):  # type: ignore[misc] # Chainlit is not followed
    """Keeps threads, steps, elements and feedback. Unknown ids are no error: they read as None and delete nothing."""

    def __init__(
        self,
        history: History,
        files: KeptFiles,
        *,
        forget_chat: Callable[[str], None] | None = None,
        tell_unkept: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """`forget_chat` removes what else is kept of a deleted thread, in a thread of its own.

        `tell_unkept` tells people that the file with this name could not be kept.
        """
        self.history = history
        self._forget_chat = forget_chat
        self._tell_unkept = tell_unkept
        self._elements = Elements(history, files)
        self._presence = Presence(history.database)

    async def start(self) -> None:
        """Open the database and bring it up to date. Raises `HistoryError` with words for the person who starts us.

        So it does where files can't be kept.
        """
        await self.history.start()
        await self._elements.start()

    async def flush(self) -> None:
        """Wait until every write asked for so far is on disk."""
        await self._elements.settled()
        await self.history.flush()

    async def close(self) -> None:
        await self._elements.settled()
        await self._presence.close()
        await self.history.close()
        await self._elements.close()

    @property
    def checks(self) -> Mapping[str, Callable[[], Awaitable[str | None]]]:
        """What `/ready` should look at, by name."""
        return {"database": self.problem, **self._elements.checks}

    async def problem(self) -> str | None:
        """None if the database answers, else a few words for whoever runs the server."""
        try:
            return None if await self.history.health() else "no answer"
        except (SQLAlchemyError, HistoryError, OSError) as error:
            return type(error).__name__

    # Users

    async def get_user(self, identifier: str) -> PersistedUser | None:
        row = await self.history.read(partial(reads.user_by_identifier, identifier=identifier))
        return PersistedUser(**row) if row else None

    async def create_user(self, user: User) -> PersistedUser | None:
        """Create the user, or renew the metadata of the one with the same identifier."""
        row = {
            "id": str(uuid.uuid4()),
            "identifier": user.identifier,
            "createdAt": moment(self.history.number()),
            "metadata": json_text(user.metadata or {}),
        }
        await self.history.change(partial(writes.write_user, user=row))
        return await self.get_user(user.identifier)

    # Steps

    async def create_step(self, step_dict: Row) -> None:
        await self._write(self.history.step_write(step_dict))

    async def update_step(self, step_dict: Row) -> None:
        await self._write(self.history.step_write(step_dict))

    async def delete_step(self, step_id: str) -> None:
        """Delete a step and all below it, with their elements, feedback and files."""
        await self._in_order(DataLayer._delete_step, step_id)

    async def forget_after(self, thread_id: str, step_id: str, *, keep: Collection[str] = ()) -> None:
        """Delete all that came after a user message that was edited, with elements, feedback and files.

        The steps in `keep` stay, and so do those that are running around the call: the run of the new answer.
        """
        running = {step.id for step in local_steps.get() or []}
        await self._elements.delete_files(await self.history.forget_after(thread_id, step_id, keep={*keep, *running}))

    async def get_favorite_steps(self, user_id: str) -> list[Row]:
        return await self.history.read(partial(reads.favorites, user_id=user_id))

    async def _write(self, write: StepWrite) -> None:
        await self._in_order(DataLayer._write_now, write)

    async def _write_now(self, write: StepWrite) -> None:
        await self.history.write(write)

    async def _delete_step(self, step_id: str) -> None:
        await self._elements.delete_files(await self.history.delete_step(step_id))

    # Threads

    async def get_thread_author(self, thread_id: str) -> str:
        """The identifier of the owner; empty where the thread is unknown or nobody's."""
        owner = await self.thread_owner(thread_id)
        return owner or ""

    async def get_thread(self, thread_id: str) -> Row | None:
        await self._elements.settled(thread_id)
        thread = await self.history.read(partial(reads.thread, thread_id=thread_id))
        for element in thread["elements"] if thread else []:
            await self._elements.locate(element)
        return thread

    async def update_thread(
        self,
        thread_id: str,
        name: str | None = None,
        user_id: str | None = None,
        metadata: Row | None = None,
        tags: list[str] | None = None,
    ) -> None:
        await self.history.change_thread(thread_id, name=name, user_id=user_id, metadata=metadata, tags=tags)

    async def retitle(self, thread_id: str, title: str, *, instead_of: str) -> bool:
        """See `writes.retitle`."""
        return bool(
            await self.history.change(partial(writes.retitle, thread_id=thread_id, title=title, instead_of=instead_of))
        )

    async def delete_thread(self, thread_id: str) -> None:
        await self._elements.delete_files(await self.history.delete_thread(thread_id))
        if self._forget_chat:
            await asyncio.to_thread(self._forget_chat, thread_id)

    async def list_threads(self, pagination: Pagination, filters: ThreadFilter) -> PaginatedResponse:
        """Names only, the last active first; `createdAt` is the moment of that activity."""
        page = await self.history.list_threads(
            filters.userId or "",
            search_for=filters.search,
            first=max(1, min(pagination.first, _MOST_LISTED)),
            cursor=pagination.cursor,
            feedback=filters.feedback,
        )
        ends = PageInfo(hasNextPage=page.has_next, startCursor=page.start, endCursor=page.end)
        return PaginatedResponse(pageInfo=ends, data=page.threads)

    def writing_in(self, thread_id: str) -> AbstractAsyncContextManager[None]:
        """See `Presence`."""
        return self._presence.writing_in(thread_id)

    async def is_written_in(self, thread_id: str) -> bool:
        """See `Presence`."""
        return await self._presence.is_written_in(thread_id)

    # Whose is it? For those who guard what Chainlit does not.

    async def thread_owner(self, thread_id: str) -> str | None:
        """The identifier of the user whose thread this is."""
        return _identifier(await self.history.read(partial(reads.owner_of_thread, thread_id=thread_id)))

    async def owner_of_step(self, step_id: str) -> str | None:
        """The identifier of the user in whose thread this step is; `forId` of a feedback is such a step."""
        return _identifier(await self.history.read(partial(reads.owner_of_step, step_id=step_id)))

    async def owner_of_feedback(self, feedback_id: str) -> str | None:
        """The identifier of the user in whose thread this feedback was given."""
        return _identifier(await self.history.read(partial(reads.owner_of_feedback, feedback_id=feedback_id)))

    # Feedback

    async def upsert_feedback(self, feedback: Feedback) -> str:
        """Keep one feedback for each step; returns its id, empty where there is no such step."""
        write = partial(
            writes.write_feedback,
            feedback_id=str(uuid.uuid4()),
            step_id=feedback.forId,
            value=feedback.value,
            comment=feedback.comment,
        )
        return str(await self.history.change(write) or "")

    async def delete_feedback(self, feedback_id: str) -> bool:
        return bool(await self.history.change(partial(writes.delete_feedback, feedback_id=feedback_id)))

    # Elements

    async def create_element(self, element: Element) -> None:
        """Keep an element as it is at this moment; its file is copied to where it stays. Again: it is replaced."""
        upload = Upload(element.to_dict(), element.path, element.content, self.history.number())
        await self._in_order(DataLayer._keep, upload)

    async def get_element(self, thread_id: str, element_id: str) -> Row | None:
        return await self._elements.get(thread_id, element_id)

    async def delete_element(self, element_id: str, thread_id: str | None = None) -> None:
        await self._in_order(DataLayer._delete_element, element_id, thread_id)

    async def build_debug_url(self) -> str:
        return ""

    async def _keep(self, upload: Upload) -> None:
        try:
            await self._elements.keep(upload)
        except OSError:
            if self._tell_unkept:
                await self._tell_unkept(upload.element["name"])
            raise

    async def _delete_element(self, element_id: str, thread_id: str | None) -> None:
        await self._elements.delete(element_id, thread_id)

    async def _in_order(self, method: Any, *arguments: Any) -> None:
        """Do it now, or after the first message: a page that was only opened leaves no thread behind."""
        context = context_var.get(None)
        session = context and context.session
        if isinstance(session, WebsocketSession) and not session.has_first_interaction:
            session.thread_queues.setdefault(_HELD, deque()).append((method, self, arguments, {}))
        else:
            await method(self, *arguments)


def _identifier(owner: Row | None) -> str | None:
    return owner["identifier"] if owner else None
