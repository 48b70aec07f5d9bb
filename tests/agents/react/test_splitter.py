"""What replies mean, however they are cut into chunks: the table of `cases`, and what must hold for any text."""

import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.react.reply import AnswerPart, Part, Reply, ReplyBuilder, ToolCallPart
from agents.react.splitter import Splitter, read_reply
from tests.agents.react.cases import CASES, Case
from tests.agents.react.tools import toolbox

TOOLBOX = toolbox()
SIZES = (1, 2, 3, 5, 7, 11)


def chunks_of(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def parts_of(chunks: list[str]) -> Iterator[Part]:
    splitter = Splitter(TOOLBOX)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.finish()


def reply_of(chunks: list[str]) -> Reply:
    reply = ReplyBuilder()
    for part in parts_of(chunks):
        reply.add(part)
    return reply.build()


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_every_reply_means_what_it_says(case: Case) -> None:
    reply = read_reply(case.text, TOOLBOX)
    call = reply.tool_call and (reply.tool_call.name, reply.tool_call.arguments)
    problem = reply.problem and reply.problem.reason
    assert (call, reply.answer, problem) == (case.call, case.answer, case.problem)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_chunks_never_change_what_a_reply_means(case: Case) -> None:
    whole = read_reply(case.text, TOOLBOX)
    assert [reply_of(chunks_of(case.text, size)) for size in SIZES] == [whole] * len(SIZES)


@given(
    pieces=st.lists(st.sampled_from([case.text[:size] for case in CASES for size in (9, 40, 400)]), max_size=3),
    noise=st.lists(
        st.sampled_from(["\n", " ", "```", "Thought:", "\nAction: ", "\nAnswer:", "{", '"', "'", "\\", "<"])
    ),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=7),
)
@settings(max_examples=300, deadline=None)
def test_no_text_is_read_differently_in_other_chunks(pieces: list[str], noise: list[str], sizes: list[int]) -> None:
    text = "".join(piece + "".join(noise) for piece in pieces)
    chunks, at = [], 0
    while at < len(text):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(text[at : at + size])
        at += size
    reply = reply_of(chunks)
    assert reply == read_reply(text, TOOLBOX)
    assert sum(end is not None for end in (reply.tool_call, reply.answer, reply.problem)) == 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("label", ["Answer: ", "**Answer:** ", "Final Answer：", "回答："])
def test_the_first_word_of_the_answer_comes_with_its_chunk(label: str, size: int) -> None:
    splitter = Splitter(TOOLBOX)
    for chunk in chunks_of(f"Thought: I know.\n{label}", size):
        assert not [part for part in splitter.feed(chunk) if isinstance(part, AnswerPart)]
    assert AnswerPart("Ele") in splitter.feed("Ele")
    assert splitter.feed("ven") == [AnswerPart("ven")]


@pytest.mark.parametrize("size", SIZES)
def test_a_call_is_known_with_its_last_brace_and_nothing_after_it_is_read(size: int) -> None:
    splitter = Splitter(TOOLBOX)
    for chunk in chunks_of('Thought: o\nAction: look_up\nAction Input: {"topic": "owls"', size):
        splitter.feed(chunk)
    assert not splitter.is_done
    assert [type(part) for part in splitter.feed("}")] == [ToolCallPart]
    assert splitter.is_done
    assert splitter.feed("\nObservation: none\nAnswer: none") + splitter.finish() == []


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_nothing_is_shown_that_is_not_the_answer(case: Case) -> None:
    shown = ""
    for part in parts_of(list(case.text)):
        shown += part.text if isinstance(part, AnswerPart) else ""
        assert (case.answer or "").startswith(shown)


def test_the_thought_is_shown_while_it_comes_and_without_its_label() -> None:
    splitter = Splitter(TOOLBOX)
    shown = [part for chunk in ("Thou", "ght: I am", " thinking", " of\nAct", "ion") for part in splitter.feed(chunk)]
    assert "".join(part.text for part in shown) == "I am thinking of"


def test_thought_and_thinking_are_told_apart() -> None:
    reply = read_reply("<think>Hm.</think>Thought: I know.\nAnswer: Yes.", TOOLBOX)
    assert (reply.thinking, reply.thought, reply.answer) == ("Hm.", "I know.", "Yes.")


def test_a_reply_that_must_be_an_answer_is_shown_from_its_first_word() -> None:
    splitter = Splitter(TOOLBOX, must_answer=True)
    assert splitter.feed("As far as ") == [AnswerPart("As far as")]
    assert splitter.feed("I know") == [AnswerPart(" I know")]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: all I have", "all I have"),
        ("Thought: all\nAction: look_up\nAction Input: {}", "all"),
        ("Thought: a\nAnswer: b", "b"),
        ("Perhaps ten.\nAction: look_up\nAction Input: {}", "Perhaps ten."),
        ("Perhaps ten.\n<tool_call>{}</tool_call>", "Perhaps ten."),
        ("To do:\nAction: write to Ann", "To do:\nAction: write to Ann"),
        ("Action: look_up", ""),
    ],
)
def test_if_it_must_be_an_answer_no_call_is_shown_and_a_thought_is_better_than_nothing(text: str, answer: str) -> None:
    splitter = Splitter(TOOLBOX, must_answer=True)
    parts = [*splitter.feed(text), *splitter.finish()]
    assert "".join(part.text for part in parts if isinstance(part, AnswerPart)) == answer


def test_what_the_tool_does_not_know_is_left_out_and_named() -> None:
    reply = read_reply('Action: look_up\nAction Input: {"topic": "owls", "mood": "good"}', TOOLBOX)
    assert reply.tool_call
    assert reply.tool_call.left_out == ("mood",)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "Thought: x\nAction: phone\nAction Input: {}",
            ["'phone'", "look_up(topic: string, limit: integer, optional)"],
        ),
        ('Action: look_up\nAction Input: {"animal": "owl"}', ["'topic'", "'animal'", "look_up(topic: string"]),
        ('Action: look_up\nAction Input: {"topic": "x", "limit": "many"}', ["'limit'", "valid integer"]),
        ('Action: run_code\nAction Input: {"code": "print("x")"}', ['\\"', "run_code(code: string)"]),
        ('Action: save_file\nAction Input: {"path": "a\\nb", "text": "x"}', ["'path'", "\\\\", "/"]),
        ("Thought: x", ["Answer:"]),
    ],
)
def test_advice_names_what_to_change(text: str, named: list[str]) -> None:
    problem = read_reply(text, TOOLBOX).problem
    assert problem
    assert [word for word in named if word not in problem.advice] == []


_INPUT = "Thought: t\nAction: run_code\nAction Input: "
KILLERS = {
    "line breaks": "\n",
    "blanks": " ",
    "angle brackets": "<",
    "square brackets": "\n[",
    "fences": "```\n",
    "actions": "Action: step\n",
    "thoughts": "Thought: a\n",
    "answers": "Answer: a\n",
    "weak labels": "Thought: x\nTool: a\n",
    "declined": "Action: None\nThought: y\n",
    "mentions": ". Answer: x ",
    "names": "run_code\n\n",
    "tags": "<tool_call>",
    "think tags": "<think>",
    "template tokens": "<|im_end|>x",
    "other keys": "\n1. Key: value",
    "sentences": "a b! ",
    "Chinese": "这是一个测试，回答",
    "calls": "Action: run_code(",
    "JSON": '{"a":1}',
    "paragraphs": "a\n\n",
    "prose": "the quick brown fox jumps over it\n",
    "objects on lines": "Thought: x\n{",
    "fences of tildes": "\n~~~",
    "questions": "Answer: x\nQuestion: y\n",
    "Python": "f()" + " " * 40,
    "tool names": "run_code read_clock ",
}
INPUT_KILLERS = {
    "braces": "{",
    "objects": '{"a":{},"b":',
    "escaped quotes": '{"code": "' + '\\"' * 40,
    "quotes": '{"code": "a"b',
    "single quotes": "{'code': 'a'b",
    "backslashes": '{"code": "' + "\\" * 40,
    "triple quotes": '{"code": """""',
    "comments": "{/*/* */",
    "line comments": "{//\n",
    "strings": '{"a": ["a","a",',
    "bare words": "abc ",
    "arguments in tags": "<tool_call><arg_key>a<arg_value>",
    "code": '{"code": "a b c',
    "backticks": "`",
    "end tags in a value": "<tool_call><arg_value></tool_call>",
}


@pytest.mark.parametrize(
    "text",
    [piece * (1_000_000 // len(piece)) for piece in KILLERS.values()]
    + [_INPUT + piece + piece[-6:] * (1_000_000 // len(piece[-6:])) for piece in INPUT_KILLERS.values()],
    ids=[*KILLERS, *INPUT_KILLERS],
)
def test_a_megabyte_of_anything_takes_less_than_a_tenth_of_a_second(text: str) -> None:
    def seconds() -> float:
        began = time.process_time()
        read_reply(text, TOOLBOX)
        return time.process_time() - began

    assert min(seconds() for _ in range(5)) < 0.1


@pytest.mark.parametrize("piece", [*KILLERS.values(), _INPUT + '{"code": "a b c'], ids=[*KILLERS, "code"])
def test_the_time_for_a_chunk_does_not_grow_with_the_reply(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece + piece[-6:] * length)[:length]
        began = time.process_time()
        reply_of(chunks_of(text, 4))
        return time.process_time() - began

    short, long = (min(seconds(length) for _ in range(3)) for length in (8_000, 64_000))
    assert long < short * 8 * 3
