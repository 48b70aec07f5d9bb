"""One call of an endpoint, from wishes to responses, with its retries: once for async and once for sync code.

How bytes are posted and fetched is handed in; everything that is read and decided is shared.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from llm.complaints import Peer
from llm.errors import LLMError
from llm.learned import Lessons
from llm.model_profiles import ModelProfile
from llm.reads import Reads
from llm.reply import Reply
from llm.request import Wishes, request_body
from llm.response import ReasoningChatResponse
from llm.retry import Attempts
from llm.translation import translated

AsyncPost = Callable[[dict[str, Any], Mapping[str, Any]], AbstractAsyncContextManager[AsyncIterator[bytes]]]
SyncPost = Callable[[dict[str, Any], Mapping[str, Any]], AbstractContextManager[Iterator[bytes]]]
"""Posts a body with the SDK's options; within the context, the bytes of the reply as they come."""

GOODBYE_S = 0.5
"""How long the end of the body is waited for once the reply is over, so that the connection can be used again."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be asked, of whom, and with how much patience. Timeouts in seconds."""

    peer: Peer
    profile: ModelProfile
    lessons: Lessons
    wishes: Wishes
    idle_timeout: float
    notice_after: float
    max_retries: int

    async def responses(self, post: AsyncPost) -> AsyncGenerator[ReasoningChatResponse, None]:
        """The responses as they come. Raises `LLMError` after all that had arrived was given out."""
        attempts = Attempts(self.max_retries, self.lessons)
        while attempts.delay is not None:
            await asyncio.sleep(attempts.delay)
            async with _Exchange(self, post) as exchange:
                while (response := await exchange.next()) is not None:
                    attempts.was_seen |= self.wishes.stream and response.silent_s is None
                    yield response
                self._conclude(exchange.reply, attempts)

    def responses_sync(self, post: SyncPost) -> Generator[ReasoningChatResponse, None, None]:
        """The same for code that is not async. A silence is not told of here; it ends with `Stalled`."""
        attempts = Attempts(self.max_retries, self.lessons)
        while attempts.delay is not None:
            time.sleep(attempts.delay)
            yield from self._attempt_sync(post, attempts)

    def _attempt_sync(self, post: SyncPost, attempts: Attempts) -> Generator[ReasoningChatResponse, None, None]:
        reply = self.new_reply()
        for response in self._responses_to(post, reply):
            attempts.was_seen |= self.wishes.stream
            yield response
        self._conclude(reply, attempts)

    def _responses_to(self, post: SyncPost, reply: Reply) -> Generator[ReasoningChatResponse, None, None]:
        cut = None
        try:
            with self._opened_sync(post) as reads:
                while not reply.is_over and (read := next(reads, b"")):
                    yield from reply.feed(read)
        except LLMError as error:
            cut = error
        yield from reply.end(cut)

    @asynccontextmanager
    async def opened(self, post: AsyncPost) -> AsyncIterator[AsyncIterator[bytes]]:
        """The bytes of one attempt; what goes wrong is an `LLMError`."""
        with translated(self.peer, idle_timeout=self.idle_timeout):
            async with post(self._body(), self.wishes.options) as pieces:
                yield pieces

    @contextmanager
    def _opened_sync(self, post: SyncPost) -> Iterator[Iterator[bytes]]:
        with (
            translated(self.peer, idle_timeout=self.idle_timeout),
            post(self._body(), self.wishes.options) as pieces,
        ):
            yield pieces

    def _body(self) -> dict[str, Any]:
        return request_body(self.wishes, self.profile, self.lessons)

    def new_reply(self) -> Reply:
        """A reader for the reply of one attempt."""
        may_be_opened = self.profile.opening_tag_may_be_missing or self.lessons.opens_block_in_prompt
        opened = may_be_opened and (self.profile.always_thinks or self.wishes.thinking is not False)
        return Reply(self.peer, self.profile.family, opened=opened)

    def _conclude(self, reply: Reply, attempts: Attempts) -> None:
        if reply.began_inside_block is not None:
            self.lessons.opens_block_in_prompt = reply.began_inside_block
        attempts.conclude(reply.failure)


class _Exchange:
    """One attempt: a request and its reply, response by response. The connection ends with the context."""

    def __init__(self, call: Call, post: AsyncPost) -> None:
        self.reply = call.new_reply()
        self._reads = Reads(lambda: call.opened(post), notice_after=call.notice_after)
        self._responses: deque[ReasoningChatResponse] = deque()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._reads.close()

    async def next(self) -> ReasoningChatResponse | None:
        """The next response, or None once `reply` is over."""
        while not self._responses:
            if self.reply.is_over:
                await self._reads.finish(GOODBYE_S)
                return None
            self._responses.extend(await self._more())
        return self._responses.popleft()

    async def _more(self) -> list[ReasoningChatResponse]:
        """What the next read brings, or the end of the body, or its failure."""
        try:
            read = await self._reads.next()
        except LLMError as cut:
            return self.reply.end(cut)
        if isinstance(read, float):
            return [self.reply.silent(read)]
        if read is None:
            return self.reply.end()
        responses = self.reply.feed(read)
        return [*responses, *self.reply.end()] if self.reply.is_over else responses
