"""What was edited away or deleted stays away, with all that hung on it, also against writes that come late."""

import asyncio
from collections.abc import Callable

import pytest
from chainlit.element import Text
from chainlit.types import Feedback

from tests.ui.data_layer.people import Step, new_id, person, step, stored, texts, thread_of
from ui.data_layer.layer import DataLayer
from ui.data_layer.rows import Row


class Conversation:
    """Two turns: each a question, a run, a thinking step with a child, and an answer with a file and feedback."""

    def __init__(self, layer: DataLayer, thread_id: str) -> None:
        self.layer = layer
        self.thread_id = thread_id
        self.questions: list[Step] = []

    async def turn(self, number: int) -> None:
        question = await self.put(f"question {number}", type="user_message")
        run = await self.put("", type="run", name="on_message", parentId=question["id"])
        thinking = await self.put(f"thinking {number}", type="tool", parentId=run["id"])
        await self.put(f"tool {number}", type="tool", parentId=thinking["id"])
        answer = await self.put(f"answer {number}", parentId=run["id"])
        element = Text(name="notes", content=f"file {number}", thread_id=self.thread_id, for_id=answer["id"])
        await self.layer.create_element(element)
        await self.layer.upsert_feedback(Feedback(forId=run["id"], value=1))
        self.questions.append(question)

    async def put(self, output: str, **keys: object) -> Step:
        written = step(self.thread_id, output, **keys)
        await self.layer.create_step(written)
        return written

    async def left(self) -> tuple[list[str], int, int]:
        thread: Row = await self.layer.get_thread(self.thread_id) or {"steps": [], "elements": []}
        feedback = [s for s in thread["steps"] if s["feedback"]]
        return [s["output"] for s in thread["steps"] if s["output"]], len(thread["elements"]), len(feedback)


FIRST_TURN = ["question 1", "thinking 1", "tool 1", "answer 1"]


@pytest.fixture
async def conversation(layer: DataLayer) -> Conversation:
    conversation = Conversation(layer, await thread_of(layer, await person(layer)))
    await conversation.turn(1)
    await conversation.turn(2)
    return conversation


async def test_what_came_after_an_edited_message_is_gone(conversation: Conversation) -> None:
    await conversation.layer.forget_after(conversation.thread_id, conversation.questions[1]["id"])
    assert await conversation.left() == ([*FIRST_TURN, "question 2"], 1, 1)


async def test_an_edit_of_the_first_message_leaves_it_alone(conversation: Conversation) -> None:
    await conversation.layer.forget_after(conversation.thread_id, conversation.questions[0]["id"])
    assert await conversation.left() == (["question 1"], 0, 0)


async def test_the_run_of_the_new_answer_stays(conversation: Conversation) -> None:
    question = conversation.questions[1]
    new_run = await conversation.put("new run", type="run", parentId=question["id"])
    await conversation.layer.forget_after(conversation.thread_id, question["id"], keep={new_run["id"]})
    await conversation.put("new answer", parentId=new_run["id"])
    assert (await conversation.left())[0] == [*FIRST_TURN, "question 2", "new run", "new answer"]


async def test_what_still_came_for_an_earlier_question_stays(conversation: Conversation) -> None:
    first_run = (await stored(conversation.layer, conversation.thread_id))[1]
    await conversation.put("late answer 1", parentId=first_run["id"])
    whole = [*FIRST_TURN, "late answer 1", "question 2", "thinking 2", "tool 2", "answer 2"]
    assert (await conversation.left())[0] == whole
    await conversation.layer.forget_after(conversation.thread_id, conversation.questions[1]["id"])
    assert (await conversation.left())[0] == whole[: whole.index("question 2") + 1]


async def test_a_late_write_of_the_old_answer_does_not_bring_it_back(conversation: Conversation) -> None:
    layer = conversation.layer
    old = (await stored(layer, conversation.thread_id))[-1]
    forgetting = asyncio.create_task(layer.forget_after(conversation.thread_id, conversation.questions[1]["id"]))
    await asyncio.sleep(0)
    await layer.update_step(old | {"output": "too late"})
    await conversation.put("a new child, too late", parentId=old["id"])
    await forgetting
    assert (await conversation.left())[0] == [*FIRST_TURN, "question 2"]


@pytest.mark.parametrize("wrong", ["step", "thread"])
async def test_an_unknown_place_to_forget_from_forgets_nothing(conversation: Conversation, wrong: str) -> None:
    before = await conversation.left()
    thread_id = new_id() if wrong == "thread" else conversation.thread_id
    step_id = new_id() if wrong == "step" else conversation.questions[0]["id"]
    await conversation.layer.forget_after(thread_id, step_id)
    assert await conversation.left() == before


async def test_a_deleted_step_takes_along_what_is_below_it(conversation: Conversation) -> None:
    await conversation.layer.delete_step(conversation.questions[1]["id"])
    assert await conversation.left() == (FIRST_TURN, 1, 1)


async def test_the_files_go_too(conversation: Conversation, count_files: Callable[[], int]) -> None:
    assert count_files() == 2
    await conversation.layer.delete_step(conversation.questions[1]["id"])
    assert count_files() == 1
    await conversation.layer.delete_thread(conversation.thread_id)
    assert count_files() == 0


async def test_a_deleted_thread_is_gone_for_good(conversation: Conversation) -> None:
    layer, thread_id = conversation.layer, conversation.thread_id
    await layer.delete_thread(thread_id)
    await conversation.put("too late")
    await layer.update_thread(thread_id, metadata={"chat_profile": "x"})
    await layer.create_element(Text(name="notes", content="too late", thread_id=thread_id, for_id=new_id()))
    assert await layer.get_thread(thread_id) is None
    assert await texts(layer, thread_id) == []


async def test_unknown_ids_are_no_error(layer: DataLayer) -> None:
    await layer.delete_step(new_id())
    await layer.delete_thread(new_id())
    await layer.delete_element(new_id())
    assert await layer.delete_feedback(new_id()) is False
    assert await layer.upsert_feedback(Feedback(forId=new_id(), value=0)) == ""
    assert await layer.get_thread(new_id()) is None
    assert await layer.get_element(new_id(), new_id()) is None
    assert await layer.get_user("nobody") is None
    assert await layer.get_thread_author(new_id()) == ""
    assert await layer.owner_of_step(new_id()) is None
    assert await layer.owner_of_feedback(new_id()) is None
