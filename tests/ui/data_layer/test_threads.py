"""Threads, their owners, the sidebar, the search and feedback."""

import asyncio

import pytest
from chainlit.types import Feedback, Pagination, ThreadFilter
from chainlit.user import PersistedUser, User

from tests.ui.data_layer.people import new_id, person, step, stored, thread_of
from ui.data_layer.layer import DataLayer


async def names(layer: DataLayer, user: PersistedUser, first: int = 50, **wanted: object) -> list[str | None]:
    page = await layer.list_threads(Pagination(first=first), ThreadFilter(userId=user.id, **wanted))
    return [thread["name"] for thread in page.data]


async def test_a_user_is_made_once_and_renewed(layer: DataLayer) -> None:
    made = await asyncio.gather(*(layer.create_user(User(identifier="bob", metadata={"n": n})) for n in range(5)))
    assert len({user.id for user in made if user}) == 1
    found = await layer.get_user("bob")
    assert found
    assert (found.id, found.metadata) == (made[0] and made[0].id, {"n": 4})


async def test_a_thread_comes_back_with_its_owner(layer: DataLayer) -> None:
    user = await person(layer)
    thread_id = new_id()
    await layer.update_thread(thread_id, name="Title", user_id=user.id, metadata={"a": [1]}, tags=["default"])
    thread = await layer.get_thread(thread_id)
    assert thread
    assert (thread["name"], thread["userId"], thread["userIdentifier"]) == ("Title", user.id, "alice")
    assert (thread["metadata"], thread["tags"]) == ({"a": [1]}, ["default"])
    assert await layer.get_thread_author(thread_id) == "alice"


async def test_a_title_takes_the_place_of_the_first_words_and_of_nothing_else(layer: DataLayer) -> None:
    words, own = "What is it? \x00" * 50, "A name of one's own"
    alice = await person(layer)
    thread_id, other_id = await thread_of(layer, alice, words), await thread_of(layer, alice, words)
    assert await layer.retitle(thread_id, "A title", instead_of=words)
    assert not await layer.retitle(thread_id, "A second title", instead_of=words)
    await layer.update_thread(other_id, name=own)
    assert not await layer.retitle(other_id, "A title", instead_of=words)
    assert await names(layer, alice) == [own, "A title"]
    await layer.delete_thread(thread_id)
    assert not await layer.retitle(thread_id, "A third title", instead_of="A title")
    assert await names(layer, alice) == [own]


async def test_an_owner_is_never_replaced(layer: DataLayer) -> None:
    alice, bob = await person(layer), await person(layer, "bob")
    thread_id = await thread_of(layer, alice)
    await layer.update_thread(thread_id, user_id=bob.id)
    await layer.update_thread(thread_id, user_id=new_id())
    assert await layer.thread_owner(thread_id) == "alice"


async def test_metadata_is_merged_whoever_writes_at_the_same_time(layer: DataLayer) -> None:
    thread_id = await thread_of(layer, await person(layer))
    await layer.update_thread(thread_id, metadata={"gone": 1})
    await asyncio.gather(*(layer.update_thread(thread_id, metadata={f"k{n}": n}) for n in range(20)))
    await layer.update_thread(thread_id, metadata={"gone": None})
    thread = await layer.get_thread(thread_id)
    assert thread
    assert thread["metadata"] == {f"k{n}": n for n in range(20)}


async def test_the_sidebar_shows_the_last_active_first_and_nobody_elses(layer: DataLayer) -> None:
    alice, bob = await person(layer), await person(layer, "bob")
    ids = [await thread_of(layer, alice, name) for name in ("one", "two", "three")]
    await thread_of(layer, bob, "bob's")
    await layer.create_step(step(ids[0], "again"))
    await layer.update_thread(ids[1], name="two, renamed")
    assert await names(layer, alice) == ["one", "three", "two, renamed"]
    assert await layer.list_threads(Pagination(first=5), ThreadFilter()) is not None


async def test_the_sidebar_holds_no_steps_and_short_names(layer: DataLayer) -> None:
    user = await person(layer)
    thread_id = await thread_of(layer, user, "很长的问题" * 10_000)
    await layer.create_step(step(thread_id, "secret text"))
    [thread] = (await layer.list_threads(Pagination(first=5), ThreadFilter(userId=user.id))).data
    assert (thread["steps"], len(thread["name"])) == ([], 70)


async def test_pages_follow_each_other_while_things_happen(layer: DataLayer) -> None:
    user = await person(layer)
    ids = [await thread_of(layer, user, str(number)) for number in range(25)]
    cursor, seen = None, []
    while True:
        page = await layer.list_threads(Pagination(first=10, cursor=cursor), ThreadFilter(userId=user.id))
        seen += [thread["name"] for thread in page.data]
        await layer.delete_thread(page.data[-1]["id"])  # the one that the cursor names
        await layer.create_step(step(ids[24], "active"))
        cursor = page.pageInfo.endCursor
        if not page.pageInfo.hasNextPage:
            break
    assert seen == [str(number) for number in reversed(range(25))]


@pytest.mark.parametrize("cursor", ["", "nonsense", "1", "9" * 40 + ".x", "12.", ".x"])
async def test_a_wrong_cursor_is_the_start(layer: DataLayer, cursor: str) -> None:
    user = await person(layer)
    await thread_of(layer, user, "one")
    page = await layer.list_threads(Pagination(first=10, cursor=cursor), ThreadFilter(userId=user.id))
    assert len(page.data) == 1


SAID = [
    ("Trams", "When does the tram museum in Turku open?"),
    ("Wetter", "In Zürich regnet es; die Straße ist naß"),
    ("天气", "北京明天会下雨吗？我想去故宫。"),
    ("日本語", "明日の天気を教えてください"),
    ("Code", 'print("hello_world") AND NOT "x" OR (y*) ^ - : C++'),
]
SEARCHES = [
    ("museum", ["Trams"]),
    ("MUS", ["Trams"]),
    ("tram turku", ["Trams"]),
    ("museum in Turku", ["Trams"]),
    ("turku zürich", []),
    ("zurich", ["Wetter"]),
    ("STRASSE", ["Wetter"]),
    ("北京", ["天气"]),
    ("雨", ["天气"]),
    ("会下雨", ["天气"]),
    ("下会雨", []),
    ("我想去故宫", ["天气"]),
    ("天气", ["天气"]),
    ("天気", ["日本語"]),
    ("教えて", ["日本語"]),
    ("wette", ["Wetter"]),
    ("ETTE", ["Wetter"]),
    ("hello_world", ["Code"]),
    ('"x"', ["Code"]),
    ("C++", ["Code"]),
    ("world*", ["Code"]),
    ("'; DROP TABLE steps", []),
    ("AND", ["Code"]),
    ("100%", []),
    ("!?", []),
    ("  ", ["Code", "日本語", "天气", "Wetter", "Trams"]),
]


@pytest.fixture
async def alice(layer: DataLayer) -> PersistedUser:
    """Has said all of `SAID`; bob has said it too."""
    for user in (await person(layer, "bob"), await person(layer)):
        for name, text in SAID:
            await layer.create_step(step(await thread_of(layer, user, name), text, type="user_message"))
    found = await layer.get_user("alice")
    assert found
    return found


async def test_the_search_finds_titles_and_texts_in_any_script(layer: DataLayer, alice: PersistedUser) -> None:
    found = [(query, await names(layer, alice, search=query)) for query, _ in SEARCHES]
    assert found == SEARCHES


async def test_the_search_follows_what_changes(layer: DataLayer) -> None:
    user = await person(layer)
    thread_id = await thread_of(layer, user, "T")
    said = step(thread_id, "about elephants")
    await layer.create_step(said)
    assert await names(layer, user, search="elephant") == ["T"]
    await layer.update_step(said | {"output": "about 长颈鹿"})
    assert await names(layer, user, search="elephant") == []
    assert await names(layer, user, search="颈鹿") == ["T"]
    await layer.delete_step(said["id"])
    assert await names(layer, user, search="颈鹿") == []


async def test_a_long_text_is_found_to_its_end(layer: DataLayer) -> None:
    user = await person(layer)
    thread_id = await thread_of(layer, user, "T")
    await layer.create_step(step(thread_id, "字" * 20_000 + "长颈鹿 " + "word " * 15_000 + "giraffe"))
    assert await names(layer, user, search="长颈鹿") == ["T"]
    assert await names(layer, user, search="giraffe") == ["T"]


async def test_feedback_is_one_for_each_step_and_belongs_to_its_thread(layer: DataLayer) -> None:
    alice, bob = await person(layer), await person(layer, "bob")
    mine, other = await thread_of(layer, alice, "mine"), await thread_of(layer, alice, "other")
    run = step(mine, type="run")
    await layer.create_step(run)
    first = await layer.upsert_feedback(Feedback(forId=run["id"], value=0, threadId=other, id=new_id()))
    again = await layer.upsert_feedback(Feedback(forId=run["id"], value=1, comment="好"))
    assert first == again
    [read] = await stored(layer, mine)
    assert read["feedback"] == {"forId": run["id"], "id": first, "value": 1, "comment": "好"}
    assert await layer.owner_of_feedback(first) == await layer.owner_of_step(run["id"]) == "alice"
    assert (await names(layer, alice, feedback=1), await names(layer, alice, feedback=0)) == (["mine"], [])
    assert await names(layer, bob, feedback=1) == []
    assert await layer.delete_feedback(first) is True
    [read] = await stored(layer, mine)
    assert read["feedback"] is None


async def test_health(layer: DataLayer) -> None:
    assert await layer.problem() is None
