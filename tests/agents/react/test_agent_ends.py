"""How turns of the agent end: always with an answer, and with the best so far if no better one can be had."""

import pytest
from llama_index.core.tools import FunctionTool

from agents.react.prompt import CLOSING
from agents.stream_events import NOTHING_TO_SAY
from tests.agents.react.turns import ANSWER, CALL, USELESS, agent_of, play, texts
from tests.agents.scripted_llm import Item, Say, ScriptedLLM, Think


async def test_a_thought_that_stays_alone_is_the_answer() -> None:
    llm = ScriptedLLM(replies=[[Say("Thought: Good day to you!")]] * 2)
    story, output = await play(agent_of(llm))
    assert output.response.content == "Good day to you!"
    assert story[-1] == ("answer", "Good day to you!")
    assert output.get("gave_up") is None


async def test_two_useless_replies_in_a_row_end_in_the_best_answer_so_far() -> None:
    llm = ScriptedLLM(replies=[CALL, USELESS, USELESS, [Say("Answer: Ele"), Say("ven, perhaps.")]])
    story, output = await play(agent_of(llm))
    assert story[-4:] == [("gave up", "unreadable"), ("asked",), ("answer", "Ele"), ("answer", "ven, perhaps.")]
    assert (output.response.content, output.get("gave_up")) == ("Eleven, perhaps.", "unreadable")
    assert "3 pages about owls" in "".join(texts(llm.requests[3]))


async def test_a_good_reply_between_useless_ones_counts_anew() -> None:
    llm = ScriptedLLM(replies=[USELESS, CALL, USELESS, ANSWER])
    _, output = await play(agent_of(llm))
    assert output.get("gave_up") is None


@pytest.mark.parametrize("result", ["", "[]", "None", ValueError("no such page")])
async def test_the_same_call_in_vain_twice_ends_the_turn(result: str | Exception) -> None:
    def look_up(topic: str) -> str:
        if isinstance(result, Exception):
            raise result
        return result

    llm = ScriptedLLM(replies=[CALL, CALL, [Say("I found nothing.")]])
    story, output = await play(agent_of(llm, [FunctionTool.from_defaults(look_up)]))
    assert story[-3:] == [("gave up", "repeated_call"), ("asked",), ("answer", "I found nothing.")]
    assert output.get("gave_up") == "repeated_call"
    assert "You have no tools." in (llm.requests[2][0].content or "")
    assert texts(llm.requests[2])[-1].endswith(CLOSING)


async def test_the_same_call_with_a_result_may_be_made_again() -> None:
    llm = ScriptedLLM(replies=[CALL, CALL, CALL, ANSWER])
    _, output = await play(agent_of(llm))
    assert output.get("gave_up") is None


@pytest.mark.parametrize("limits", [{"max_rounds": 2}, {"max_iterations": 2}])
async def test_the_last_allowed_reply_counts_if_it_is_an_answer(limits: dict[str, int]) -> None:
    llm = ScriptedLLM(replies=[CALL, ANSWER])
    options = {key: value for key, value in limits.items() if key == "max_rounds"}
    run = {key: value for key, value in limits.items() if key == "max_iterations"}
    _, output = await play(agent_of(llm, **options), **run)
    assert (output.response.content, output.get("gave_up")) == ("It is eleven.", None)


@pytest.mark.parametrize("limits", [{"max_rounds": 3}, {"max_iterations": 3}])
@pytest.mark.parametrize("last", [CALL, USELESS])
async def test_at_the_limit_the_best_answer_so_far_is_given(last: list[Item], limits: dict[str, int]) -> None:
    llm = ScriptedLLM(replies=[CALL, CALL, last, [Say("Thought: enough\nAnswer: Eleven.")]])
    options = {key: value for key, value in limits.items() if key == "max_rounds"}
    run = {key: value for key, value in limits.items() if key == "max_iterations"}
    story, output = await play(agent_of(llm, **options), **run)
    assert (output.response.content, output.get("gave_up")) == ("Eleven.", "rounds_used_up")
    assert [one for one in story if one[0] == "gave up"] == [("gave up", "rounds_used_up")]
    assert "".join(texts(llm.requests[3])).count("3 pages about owls") == 2


@pytest.mark.parametrize(
    ("closing", "response", "shown"),
    [([], NOTHING_TO_SAY, ""), (CALL, "to be looked up", "to be looked up"), ([Think("hm")], NOTHING_TO_SAY, "")],
)
async def test_even_without_a_closing_answer_there_is_a_response(
    closing: list[Item], response: str, shown: str
) -> None:
    llm = ScriptedLLM(replies=[[], [], closing])
    story, output = await play(agent_of(llm))
    assert output.response.content == response
    assert "".join(one[1] for one in story if one[0] == "answer") == shown
