"""Web search and pages by Tavily, with a key, through its own client. Facts: docs.tavily.com."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import tavily.errors
from pydantic import BaseModel
from tavily import AsyncTavilyClient

from tools.http import ServiceError, plain_client, reason_for_fault, reason_for_status
from tools.search.engine import Hit, PageText, Query
from tools.web_text import is_web_address

_MAX_WORDS_CHARS = 400
"""Tavily refuses longer queries."""


class Tavily:
    """Tavily's search and extract endpoints."""

    def __init__(self, base: str, key: str, *, timeout_s: float) -> None:
        self._base = base
        self._key = key
        self._timeout_s = timeout_s

    async def search(self, query: Query) -> list[Hit]:
        """What was found, best first; empty if nothing was.

        Raises:
            ServiceError: the search could not be done.
        """
        async with self._client() as client:
            answer = await client.search(
                query.words[:_MAX_WORDS_CHARS],
                search_depth=query.depth,
                topic=query.topic,
                days=query.days,
                max_results=query.most,
                timeout=self._timeout_s,
            )
            results = _Found.model_validate(answer).results
        return [_hit_from(result) for result in results]

    async def read(self, url: str) -> PageText:
        """The text of one page, which Tavily fetches.

        Raises:
            ServiceError: it could not be read.
        """
        if not is_web_address(url):
            raise ServiceError("only http and https addresses can be read")
        async with self._client() as client:
            answer = await client.extract(url, format="markdown", timeout=self._timeout_s)
            pages = _Extracted.model_validate(answer).results
        if not pages or not pages[0].raw_content.strip():
            raise ServiceError("Tavily found no text there")
        return PageText(pages[0].title or "", pages[0].url, pages[0].raw_content)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[AsyncTavilyClient]:
        """Tavily's client for one request, its many kinds of failure made into one.

        It takes any answer for JSON and a dictionary, hence the last ones; pydantic's error is a ValueError too.
        """
        async with plain_client() as http:
            try:
                yield AsyncTavilyClient(api_key=self._key, api_base_url=self._base, client=http)
            except tavily.errors.InvalidAPIKeyError:
                raise ServiceError(reason_for_status("Tavily", 401)) from None
            except tavily.errors.UsageLimitExceededError:
                raise ServiceError(reason_for_status("Tavily", 429)) from None
            except tavily.errors.ForbiddenError:
                raise ServiceError("the plan at Tavily is used up or does not cover this") from None
            except tavily.errors.BadRequestError:
                raise ServiceError(reason_for_status("Tavily", 400)) from None
            except tavily.errors.TimeoutError:
                raise ServiceError("Tavily took too long to answer") from None
            except httpx.HTTPStatusError as error:
                raise ServiceError(reason_for_status("Tavily", error.response.status_code)) from None
            except httpx.HTTPError as error:
                raise ServiceError(reason_for_fault("Tavily", error)) from None
            except (ValueError, AttributeError, TypeError, RecursionError):
                raise ServiceError("Tavily answered something unreadable") from None


class _Result(BaseModel):
    title: str | None = None
    url: str
    content: str | None = None
    published_date: str | None = None


class _Found(BaseModel):
    results: list[_Result]


class _ExtractedPage(BaseModel):
    url: str
    title: str | None = None
    raw_content: str


class _Extracted(BaseModel):
    results: list[_ExtractedPage]


def _hit_from(result: _Result) -> Hit:
    return Hit(result.title or "", result.url, result.content or "", result.published_date or "")
