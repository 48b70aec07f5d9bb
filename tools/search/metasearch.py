"""Web search without a key, by the metasearch library ddgs, which asks several public engines."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from ddgs import DDGS
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from tools.http import ServiceError
from tools.search.engine import Hit, Query

_ENGINE_TIMEOUT_S = 5
_THREADS = 4
"""Of its own: the loop's default threads also look up host names, and slow searches would hold those up."""

_Results: TypeAlias = list[dict[str, Any]]


def ask_engines(query: Query) -> _Results:
    """Ask the engines through ddgs, blocking; each engine has five seconds."""
    ddgs = DDGS(timeout=_ENGINE_TIMEOUT_S)
    find = ddgs.news if query.topic == "news" else ddgs.text
    return find(query.words, max_results=query.most, timelimit=_span(query.days))


class Metasearch:
    """The public engines. A cancelled search returns at once; its thread ends by the engines' own time limits."""

    def __init__(self, ask: Callable[[Query], _Results] = ask_engines) -> None:
        self._ask = ask
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="metasearch")

    async def search(self, query: Query) -> list[Hit]:
        """What was found, best first; empty if nothing was. The engines know no topic but news, and no depth.

        Raises:
            ServiceError: the search could not be done.
        """
        loop = asyncio.get_running_loop()
        try:
            results = await loop.run_in_executor(self._threads, self._ask, query)
        except RatelimitException:
            raise ServiceError("the free search engines have had too many requests for now") from None
        except TimeoutException:
            raise ServiceError("the free search engines took too long to answer") from None
        except DDGSException as error:
            if "No results" in str(error):  # the library's only way to say so
                return []
            raise ServiceError("the free search engines can't be reached from here") from None
        return [hit for hit in map(_hit_from, results) if hit.url]


def _hit_from(result: dict[str, Any]) -> Hit:
    url = result.get("href") or result.get("url") or ""
    return Hit(str(result.get("title", "")), str(url), str(result.get("body", "")), str(result.get("date", "")))


def _span(days: int | None) -> str | None:
    """The engines' time limits: a day, a week, a month, a year."""
    spans = {1: "d", 7: "w", 31: "m", 366: "y"}
    return next((span for limit, span in spans.items() if days and days <= limit), None)
