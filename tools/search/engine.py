"""What `search_web` and `read_page` ask of the services behind them, with a key and without."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Topic: TypeAlias = Literal["general", "news", "finance"]
Depth: TypeAlias = Literal["basic", "advanced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to look for. `days` limits the age of what is found, or is None."""

    words: str
    topic: Topic
    depth: Depth
    days: int | None
    most: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One page that was found, in the engine's own words."""

    title: str
    url: str
    snippet: str
    published: str = ""


class SearchEngine(Protocol):
    """A web search."""

    async def search(self, query: Query) -> list[Hit]:
        """What was found, best first; empty if nothing was.

        Raises:
            ServiceError: the search could not be done.
        """


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page, whole; `url` is where it was found in the end."""

    title: str
    url: str
    text: str


class PageReader(Protocol):
    """Reads pages of the web."""

    async def read(self, url: str) -> PageText:
        """The text of one page.

        Raises:
            ServiceError: it could not be read.
        """
