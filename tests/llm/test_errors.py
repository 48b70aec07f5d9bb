"""The error tree: sentences are whole, say what to do, and can be filled by a translation with the same facts."""

from collections.abc import Iterator
from string import Formatter

import pytest

from llm import errors
from llm.complaints import Complaint, Peer, complaint_from, error_from
from llm.errors import LLMError

KEY = "sk-4f7a1c9d2e8b6035-fjord"
PEER = Peer("https://there.example/v1", "there.example", "ride-1", 32_768, key=KEY)
FACTS = {"host", "model", "address", "seconds", "reason", "limit", "tokens", "successor"}


def tree(kind: type[LLMError]) -> Iterator[type[LLMError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from tree(child)


@pytest.mark.parametrize("kind", list(tree(LLMError)))
def test_a_sentence_is_whole_and_uses_known_facts(kind: type[LLMError]) -> None:
    names = {name for _, name, _, _ in Formatter().parse(kind.template) if name}
    assert names <= FACTS
    sentence = kind("detail", **dict.fromkeys(FACTS, "X")).user_message
    assert sentence.endswith(".")
    assert sentence.count(".") + sentence.count(";") >= 2 or kind is LLMError  # what happened, and what to do
    assert "detail" not in sentence


@pytest.mark.parametrize(
    "words",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Incorrect API key provided: {KEY[:12]}...",
        "Your api key: ****jord is invalid",
        "Incorrect API key provided: sk-4f7a1***********************jord.",
        f"header Authorization: Bearer {KEY}",
        "header Authorization: Bearer something-else-secret",
    ],
)
def test_no_trace_of_a_key_is_kept(words: str) -> None:
    for status in (400, 401, 500, 200):
        error = error_from(Complaint(words), PEER, status=status)
        shown = f"{error} {error.detail} {error.facts} {error.user_message}"
        assert not [trace for trace in (KEY, KEY[:8], KEY[-4:], "secret") if trace in shown]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"error": {"message": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ({"error": {"code": 400, "metadata": {"raw": "inner"}, "message": "no"}}, "no: inner"),
        ([{"error": {"message": "no"}}], "no"),
        ({"detail": "no"}, "no"),
        ({"code": 20015, "message": "no", "data": None}, "no"),
        ({"base_resp": {"status_code": 1004, "status_msg": "no"}, "choices": None}, "no"),
        ({"object": "error", "message": "no"}, "no"),
    ],
)
def test_every_envelope_is_opened(payload: object, words: str) -> None:
    complaint = complaint_from(payload)
    assert complaint
    assert complaint.message == words


@pytest.mark.parametrize(
    "payload", [{"choices": []}, {"error": None, "choices": [{}]}, {"base_resp": {"status_code": 0}}, "x", None]
)
def test_what_is_no_complaint_is_none(payload: object) -> None:
    assert complaint_from(payload) is None
