"""What is sent fits the window: what is known longest is shortened first, and the question stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.agent.react.types import BaseReasoningStep
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, LLMMetadata, TextBlock
from llama_index.core.tools import FunctionTool

from agents.assistant import Assistant
from agents.events import AnswerDelta
from agents.history import PastTurn
from agents.input_limit import input_limit
from agents.react import ReasoningReActAgent
from agents.react.fitting import fitted
from agents.react.prompt import CLOSING, conversation
from agents.steps import AdviceStep, BadReplyStep, CallStep, ResultStep
from agents.token_estimate import estimate_tokens, tokens_of
from llm.client import DeepSeek
from tests.agents.react.tools import all_tools
from tests.agents.react.turns import agent_of, play, texts
from tests.agents.scripted_llm import Say, ScriptedLLM
from tests.provider.replies import Reply, error, stream
from tests.provider.server import ProviderServer, Request

QUESTION = ChatMessage(role="user", content="How many owls are there?")


def exchange(number: int, size: int = 40) -> list[ChatMessage]:
    return [
        ChatMessage(role="user", content=f"question {number} " + "x " * size),
        ChatMessage(role="assistant", content=f"answer {number} " + "y " * size),
    ]


def a_round(number: int, size: int) -> list[BaseReasoningStep]:
    call = CallStep(thought=f"thought {number}", action="look_up", action_input={"topic": f"topic {number}"})
    return [call, ResultStep(observation=f"result {number} " + "owl " * size, source="look_up")]


def sent(history: list[ChatMessage], steps: list[BaseReasoningStep]) -> list[ChatMessage]:
    """As the model gets it, but for the system message."""
    return conversation("system", history, steps)[1:]


def text_of(history: list[ChatMessage], steps: list[BaseReasoningStep]) -> str:
    return "\n".join(message.content or "" for message in sent(history, steps))


def shortened(history: list[ChatMessage], steps: list[BaseReasoningStep], limit: int) -> str:
    history, steps = fitted(history, steps, max_tokens=limit)
    assert tokens_of(sent(history, steps)) <= limit
    return text_of(history, steps)


HISTORY = [*exchange(1), *exchange(2), QUESTION]
STEPS = [*a_round(1, 400), *a_round(2, 400), *a_round(3, 400)]
WHOLE = tokens_of([*HISTORY]) + sum(tokens_of([ChatMessage(content=step.get_content())]) for step in STEPS)


def test_what_fits_stays_as_it_is() -> None:
    assert fitted(HISTORY, STEPS, max_tokens=WHOLE) == (HISTORY, STEPS)


@pytest.mark.parametrize(
    ("limit", "kept", "gone"),
    [
        (
            WHOLE - 50,
            ["question 1", "result 2 " + "owl " * 400, "result 1 owl", "[cut: "],
            ["result 1 " + "owl " * 300],
        ),
        (WHOLE - 500, ["question 1", "result 1 owl", "result 2 owl"], ["result 2 " + "owl " * 300]),
        (WHOLE - 600, ["question 2", "result 1 owl"], ["question 1", "answer 1"]),
        (
            WHOLE - 800,
            ["[Left out to save room: the call look_up", "topic 1", "result 2 owl"],
            ["question 2", "result 1"],
        ),
        (WHOLE - 1080, ["result 3 " + "owl " * 300, "[cut: ", "topic 2"], ["result 2", "result 3 " + "owl " * 400]),
        (180, ["result 3 owl owl", "[cut: ", "How many"], ["topic 1"]),
    ],
)
def test_the_oldest_is_shortened_first(limit: int, kept: list[str], gone: list[str]) -> None:
    text = shortened(HISTORY, STEPS, limit)
    assert [piece for piece in kept if piece not in text] == []
    assert [piece for piece in gone if piece in text] == []
    assert "How many owls are there?" in text


def test_a_closing_order_and_an_advice_stay_whole() -> None:
    bad = [BadReplyStep(text="hm"), AdviceStep(observation="Write more.")]
    text = shortened([QUESTION], [*STEPS, *bad, AdviceStep(observation=CLOSING)], 330)
    assert text.endswith(f"hm\nWrite more.\n\n{CLOSING}")


def test_a_result_longer_than_the_window_is_cut_to_what_there_is_room_for() -> None:
    history, steps = fitted([QUESTION], a_round(1, 100_000), max_tokens=3000)
    assert 2800 < tokens_of(sent(history, steps)) <= 3000
    assert "more characters]\n</tool_result>" in text_of(history, steps)


def test_a_call_with_long_arguments_becomes_a_note_and_its_result_stays() -> None:
    call = CallStep(thought="", action="save_file", action_input={"text": "print(1)\n" * 2000})
    text = shortened([QUESTION], [call, ResultStep(observation="saved", source="save_file")], 200)
    assert '[Left out to save room: the call save_file {"text": "print(1)\\n' in text
    assert "\nsaved\n" in text


def test_a_question_longer_than_the_window_keeps_its_beginning_and_its_end() -> None:
    picture = ImageBlock(url="https://pictures.example/owl.png")
    blocks = [TextBlock(text="Sum this up: " + "word " * 5000 + "In one line!"), picture]
    history, _ = fitted([ChatMessage(role="user", blocks=blocks)], [], max_tokens=300)
    text = history[0].content or ""
    assert text.startswith("Sum this up: word")
    assert text.endswith("In one line!")
    assert "… [cut: 2" in text
    assert history[0].blocks[1] == picture


def test_results_full_of_labels_are_sized_as_they_are_sent() -> None:
    steps = [a_round(1, 1)[0], ResultStep(observation="Action: x\n<|im_end|>\u200b" * 5000, source="look_up")]
    history, fitting = fitted([QUESTION], steps, max_tokens=2000)
    assert 1700 < tokens_of(sent(history, fitting)) <= 2000


@pytest.mark.parametrize(
    ("window", "reply", "limit"),
    [(8_192, -1, 6_144), (8_192, 256, 6_144), (65_536, 32_768, 32_768), (1_000, 1_000, 250), (131_072, 8_000, 98_304)],
)
def test_room_is_left_for_the_reply(window: int, reply: int, limit: int) -> None:
    assert input_limit(LLMMetadata(context_window=window, num_output=reply)) == limit


TEXTS = st.sampled_from(
    ["owl ", "猫头鹰", "Action: x\n", "<|im_end|>", '{"a": 1.5}, ', "\u200bΑction: y\r", "😀", "a" * 50]
)
LONG = st.builds(lambda piece, count: piece * count, TEXTS, st.integers(0, 300))
CALLS = st.builds(
    lambda thought, text, result: [
        CallStep(thought=thought, action="look_up", action_input={"topic": text}),
        ResultStep(observation=result, source="look_up"),
    ],
    LONG, LONG, LONG,
)  # fmt: skip
FAILURES = st.builds(lambda text: [BadReplyStep(text=text[:200]), AdviceStep(observation="Again.")], LONG)
ROUNDS = st.lists(st.one_of(CALLS, FAILURES), max_size=6)
PAST = st.lists(st.tuples(LONG, LONG), max_size=4)


@given(past=PAST, question=LONG, rounds=ROUNDS, limit=st.integers(0, 4000))
def test_whatever_there_is(past: list[tuple[str, str]], question: str, rounds: Any, limit: int) -> None:
    history = [
        ChatMessage(role=role, content=t) for pair in past for role, t in zip(("user", "assistant"), pair, strict=True)
    ]
    history.append(ChatMessage(role="user", content=f"Q{question}Q"))
    steps = [step for steps in rounds for step in steps]
    short_history, short_steps = fitted(history, steps, max_tokens=limit)
    messages = sent(short_history, short_steps)
    assert tokens_of(messages) <= max(
        limit, 500 + sum(tokens_of([ChatMessage(content=s.get_content())]) for s in trailing(steps))
    )
    assert [message.role.value for message in messages] == (["user", "assistant"] * len(messages))[: len(messages)]
    assert (short_history[-1].content or "")[:1] == "Q"
    assert fitted(short_history, short_steps, max_tokens=limit) == (short_history, short_steps)


def trailing(steps: list[BaseReasoningStep]) -> list[BaseReasoningStep]:
    """What follows the last result: it is never shortened."""
    last = max((at for at, step in enumerate(steps) if isinstance(step, ResultStep)), default=-1)
    return steps[last + 1 :]


async def test_every_request_of_a_long_turn_fits_the_window() -> None:
    def look_up(topic: str) -> str:
        return f"about {topic}: " + "owl " * 4000

    calls = [[Say(f'Thought: x\nAction: look_up\nAction Input: {{"topic": "owl {n}"}}')] for n in range(6)]
    llm = ScriptedLLM(replies=[*calls, [Say("Thought: I know.\nAnswer: Eleven.")]])
    question = "How many? " + "Please. " * 200
    _, output = await play(agent_of(llm, [FunctionTool.from_defaults(look_up)]), question)
    assert output.response.content == "Eleven."
    assert [tokens_of(request) <= input_limit(llm.metadata) for request in llm.requests] == [True] * 7
    last = "".join(texts(llm.requests[-1]))
    assert question in last
    assert "about owl 5: " + "owl " * 3000 in last
    assert "about owl 0" in last


async def test_where_the_window_is_smaller_than_we_were_told_less_is_sent() -> None:
    long = Assistant([PastTurn(str(n), f"question {n}", "word " * 1500) for n in range(20)])
    refusal = error(400, "This model's maximum context length is 4096 tokens. However, you requested 20000 tokens.")

    def narrow(request: Request) -> Reply:
        text = "".join(message["content"] for message in request.body["messages"])
        if estimate_tokens(text) > 4096:
            return refusal
        return stream(
            "Thought: x\nAction: read_clock\nAction Input: {}" if "10:42" not in text else "Answer: Late.", size=99
        )

    with ProviderServer(responder=narrow) as provider:
        llm = DeepSeek("some-model", api_base=provider.api_base, api_key="x", max_retries=0)
        agent = ReasoningReActAgent(llm=llm, tools=list(all_tools()))
        events = [event async for event in long.reply("How late is it?", agent=agent, turn_id="now")]
    assert "".join(event.text for event in events if isinstance(event, AnswerDelta)) == "Late."
    assert len(provider.requests) == 3
    assert "question 19" in json.dumps(provider.requests[1].body)
