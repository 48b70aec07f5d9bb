import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.calling import text_of
from tools.base import as_tool
from tools.cards import SourceCard
from tools.read_page import WebReader
from tools.search.engine import Hit, PageText, Query
from tools.search_web import WebSearch
from tools.sources import SourceList


def card(number: int, url: str, *, was_read: bool = False) -> SourceCard:
    return SourceCard("A title", url, "a.example", "text", number=number, was_read=was_read)


def test_numbers_count_up_from_one_and_stay() -> None:
    sources = SourceList()
    asked = ["https://a.example/", "https://b.example/", "https://a.example/", "https://c.example/"]
    assert [sources.found(url) for url in asked] == [1, 2, 1, 3]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/page#top", "https://a.example/page"),
        ("https://A.Example/page", "https://a.example/page"),
        ("HTTPS://a.example/page", "https://a.example/page"),
        ("https://a.example:443/page", "https://a.example/page"),
        ("http://a.example:80/page", "http://a.example/page"),
        ("https://a.example", "https://a.example/"),
        ("http://[broken#a", "http://[broken#b"),
        ("http://a.example:port/#a", "http://a.example:port/"),
    ],
)
def test_the_same_page_has_the_same_number(one: str, other: str) -> None:
    sources = SourceList()
    assert sources.number_of(one) == sources.number_of(other) == 1


@pytest.mark.parametrize(
    "other", ["http://a.example/p?q=1", "https://a.example/P?q=1", "https://a.example/p?q=2", "https://b.example/p?q=1"]
)
def test_another_page_has_another_number(other: str) -> None:
    sources = SourceList()
    assert (sources.number_of("https://a.example/p?q=1"), sources.number_of(other)) == (1, 2)


def test_where_an_address_leads_bears_its_number() -> None:
    sources = SourceList()
    first = sources.found("https://short.example/x")
    assert sources.number_of("https://short.example/x", ends_at="https://long.example/story") == first
    assert sources.found("https://long.example/story") == first


def test_only_what_a_search_gave_is_known_and_to_the_letter() -> None:
    sources = SourceList()
    sources.found("https://a.example/page")
    sources.number_of("https://b.example/")
    assert sources.knows("https://a.example/page")
    assert not sources.knows("https://a.example/page?secret=1")
    assert not sources.knows("https://a.example/page#x")
    assert not sources.knows("https://b.example/")


def test_a_stored_chat_goes_on_counting() -> None:
    sources = SourceList([card(1, "https://a.example/"), card(4, "https://d.example/", was_read=True)])
    assert sources.number_of("https://d.example/#part") == 4
    assert sources.found("https://e.example/") == 5
    assert sources.knows("https://a.example/")
    assert not sources.knows("https://d.example/")


@given(st.lists(st.sampled_from([f"https://{name}.example/{path}" for name in "abc" for path in "xyz"])))
def test_numbers_have_no_gaps_and_name_one_page_each(urls: list[str]) -> None:
    sources = SourceList()
    numbers = {url: sources.found(url) for url in urls}
    assert sorted(numbers.values()) == list(range(1, len(set(urls)) + 1))


class TwoPages:
    """A search engine and a reader that know two pages, one of which leads on to another address."""

    async def search(self, query: Query) -> list[Hit]:
        found = [Hit("First", "https://a.example/", "One."), Hit("Second", "https://b.example/", "Two.")]
        return found if query.words == "both" else found[1:]

    async def read(self, url: str) -> PageText:
        return PageText("Read", url.replace("b.example/", "b.example/final"), "All of it.")


async def test_search_and_reader_share_the_numbers_of_the_chat() -> None:
    pages, sources = TwoPages(), SourceList()
    search = as_tool(WebSearch(pages, sources).search_web, touches="network", timeout_s=5)
    reader = as_tool(WebReader(pages, sources).read_page, touches="network", timeout_s=5)
    assert "\n\n[1] First\n" in await text_of(search, query="both")
    assert "\n\n[2] Second\n" in await text_of(search, query="one")
    assert (await text_of(reader, url="https://b.example/")).startswith("[2] Read\nhttps://b.example/final\n")
    assert (await text_of(reader, url="https://c.example/")).startswith("[3] Read\n")
