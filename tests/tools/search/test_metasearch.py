import asyncio
import threading
import time
from typing import Any, NoReturn

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from tools.http import ServiceError
from tools.search.engine import Hit, Query
from tools.search.metasearch import Metasearch

QUERY = Query(words="trams", topic="general", depth="basic", days=None, most=5)


async def test_text_and_news_results_become_hits() -> None:
    def ask(_: Query) -> list[dict[str, Any]]:
        return [
            {"title": "A", "href": "https://a.example/", "body": "text"},
            {"title": "B", "url": "https://b.example/", "body": "news", "date": "2026-11-03"},
            {"title": "no link", "body": "x"},
        ]

    assert await Metasearch(ask).search(QUERY) == [
        Hit("A", "https://a.example/", "text"),
        Hit("B", "https://b.example/", "news", "2026-11-03"),
    ]


async def test_no_results_is_no_failure() -> None:
    def ask(_: Query) -> NoReturn:
        raise DDGSException("No results found.")

    assert await Metasearch(ask).search(QUERY) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RatelimitException("202"), "too many requests"),
        (TimeoutException("timed out"), "took too long"),
        (DDGSException("DNSError: search.yahoo.com"), "can't be reached from here"),
    ],
)
async def test_failures_are_reasons(error: Exception, reason: str) -> None:
    def ask(_: Query) -> NoReturn:
        raise error

    with pytest.raises(ServiceError, match=reason):
        await Metasearch(ask).search(QUERY)


async def test_a_cancelled_search_returns_at_once_and_hangs_do_not_hold_up_name_look_ups() -> None:
    started, release = threading.Semaphore(0), threading.Event()

    def ask(_: Query) -> list[dict[str, Any]]:
        started.release()
        release.wait(10)
        return []

    metasearch = Metasearch(ask)
    try:
        searches = [asyncio.create_task(metasearch.search(QUERY)) for _ in range(40)]
        assert await asyncio.to_thread(started.acquire, timeout=5)
        await asyncio.wait_for(asyncio.get_running_loop().getaddrinfo("127.0.0.1", 80), 2)
        cancelled_at = time.monotonic()
        for search in searches:
            search.cancel()
        await asyncio.gather(*searches, return_exceptions=True)
        assert time.monotonic() - cancelled_at < 1
    finally:
        release.set()
