"""What was on the page comes back: every field, in order, at any speed."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ui.data_layer.conftest import NewLayer
from tests.ui.data_layer.people import new_id, person, step, stored, texts, thread_of
from ui.data_layer.layer import DataLayer

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
JSON = st.recursive(
    PLAIN, lambda part: st.lists(part, max_size=3) | st.dictionaries(TEXT, part, max_size=3), max_leaves=5
)
FLAG = st.none() | st.booleans()
STEPS = st.fixed_dictionaries(
    {"input": TEXT, "output": TEXT, "metadata": st.dictionaries(TEXT, JSON, max_size=3)},
    optional={
        **dict.fromkeys(
            ("name", "type", "command", "language", "createdAt", "start", "end", "parentId"), st.none() | TEXT
        ),
        **dict.fromkeys(("streaming", "isError", "waitForAnswer", "defaultOpen", "autoCollapse"), FLAG),
        "showInput": FLAG | TEXT,
        "tags": st.none() | st.lists(TEXT, max_size=3),
        "generation": st.none() | st.dictionaries(TEXT, JSON, max_size=3),
        "modes": st.none() | st.dictionaries(TEXT, TEXT, max_size=3),
        "aKeyOfTheFuture": JSON,
    },
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=STEPS)
async def test_a_step_comes_back_as_it_was(layer: DataLayer, fields: dict[str, Any]) -> None:
    written = {"id": new_id(), "threadId": new_id(), **fields}
    await layer.create_step(written)
    [read] = await stored(layer, written["threadId"])
    assert {key: read.get(key) for key in written} == written


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a\x00b", "a\ufffdb"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ({"not": "text"}, {"not": "text"}),
        (7, 7),
        ("x" * 1_000_000, "x" * 1_000_000),
    ],
    ids=["nul", "surrogate", "dict", "number", "long"],
)
async def test_no_text_breaks_a_write(layer: DataLayer, sent: Any, kept: Any) -> None:
    written = step(new_id(), sent)
    await layer.create_step(written)
    [read] = await stored(layer, written["threadId"])
    assert read["output"] == kept


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"number": float("nan")}, {"number": None}),
        ({"what": {1}}, {"what": [1]}),
        ({1: {"path": ValueError("no")}}, {"1": {"path": "no"}}),
        ({"half": "\ud83d", "nul": "\x00"}, {"half": "\ufffd", "nul": "\ufffd"}),
    ],
    ids=["nan", "set", "object", "surrogate"],
)
async def test_no_metadata_breaks_a_write_or_the_page(layer: DataLayer, sent: Any, kept: Any) -> None:
    written = step(new_id(), "text", metadata=sent)
    await layer.create_step(written)
    [read] = await stored(layer, written["threadId"])
    assert read["metadata"] == kept


async def test_writes_that_overtake_each_other_lose_nothing(layer: DataLayer) -> None:
    thread_id = new_id()
    for _ in range(200):
        created = step(thread_id, "", type="tool", end=None)
        finished = created | {"output": "the whole text", "end": "2026-11-30T12:00:01.000000Z"}
        tasks = [asyncio.create_task(layer.create_step(created)), asyncio.create_task(layer.update_step(finished))]
        await asyncio.wait(tasks)
    read = await stored(layer, thread_id)
    assert [(s["output"], s["end"]) for s in read] == [("the whole text", "2026-11-30T12:00:01.000000Z")] * 200


async def test_all_at_once_keeps_the_order_of_the_calls_where_the_clock_does_not_tell(layer: DataLayer) -> None:
    thread_id = new_id()
    steps = [step(thread_id, str(number)) for number in range(300)]
    creating = [layer.create_step(s) for s in steps]
    updating = [layer.update_step(s | {"output": s["output"] + "!"}) for s in steps]
    await asyncio.gather(*creating, *updating)
    assert await texts(layer, thread_id) == [f"{number}!" for number in range(300)]


async def test_an_update_changes_what_it_names_and_keeps_the_place(layer: DataLayer) -> None:
    thread_id = new_id()
    first = step(thread_id, "first", tags=["a"], defaultOpen=True)
    await layer.create_step(first)
    await layer.create_step(step(thread_id, "second"))
    await layer.update_step({"id": first["id"], "threadId": thread_id, "output": "new", "isError": True})
    [read, _] = await stored(layer, thread_id)
    assert (read["output"], read["tags"], read["defaultOpen"], read["isError"]) == ("new", ["a"], True, True)


async def test_an_update_that_comes_first_is_enough(layer: DataLayer) -> None:
    only = step(new_id(), "text")
    await layer.update_step(only)
    assert await texts(layer, only["threadId"]) == ["text"]


async def test_a_restart_goes_on_where_it_was(layer: DataLayer, new_layer: NewLayer) -> None:
    thread_id = new_id()
    await layer.create_step(step(thread_id, "before"))
    await layer.close()
    again = new_layer()
    await again.create_step(step(thread_id, "after"))  # nobody called start
    assert await texts(again, thread_id) == ["before", "after"]


async def test_a_growing_text_is_there_at_every_moment(layer: DataLayer) -> None:
    growing = step(new_id(), "")
    for length in range(0, 20_000, 1_000):
        writing = asyncio.create_task(layer.update_step(growing | {"output": "x" * length, "streaming": True}))
        await asyncio.sleep(0)
        assert await texts(layer, growing["threadId"]) == ["x" * length]
        await writing


async def test_a_stranger_who_guesses_an_id_changes_nothing(layer: DataLayer) -> None:
    mine, theirs = step(new_id(), "mine"), step(new_id(), "theirs")
    await layer.create_step(mine)
    await layer.create_step(theirs | {"id": mine["id"]})
    await layer.update_step(theirs | {"id": mine["id"]})
    assert await texts(layer, mine["threadId"]) == ["mine"]
    assert await texts(layer, theirs["threadId"]) == []


async def test_favorites(layer: DataLayer) -> None:
    alice, bob = await person(layer), await person(layer, "bob")
    thread_id = await thread_of(layer, alice)
    marked = step(thread_id, "keep this")
    await layer.create_step(step(thread_id, "other"))
    await layer.create_step(marked)
    await layer.set_step_favorite(marked, True)
    assert [s["output"] for s in await layer.get_favorite_steps(alice.id)] == ["keep this"]
    assert await layer.get_favorite_steps(bob.id) == []
    await layer.set_step_favorite((await layer.get_favorite_steps(alice.id))[0], False)
    assert await layer.get_favorite_steps(alice.id) == []
    assert await texts(layer, thread_id) == ["other", "keep this"]
