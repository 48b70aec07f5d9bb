import dataclasses
import string
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from agents.native import NoNativeTools
from llm.errors import LLMError, RateLimited
from llm.local.errors import NoModel
from ui.texts import CHINESE, ENGLISH, TEXTS, Texts, duration, sentence_of


def fields_of(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def strings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from strings(item, f"{path}.{key}")
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from strings(item, f"{path}.{index}")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name), f"{path}.{field.name}")


def all_errors(base: type[LLMError] = LLMError) -> Iterator[type[LLMError]]:
    yield base
    for kind in base.__subclasses__():
        yield from all_errors(kind)


def test_both_languages_have_the_same_strings_with_the_same_places_to_fill() -> None:
    english = {path: fields_of(text) for path, text in strings(ENGLISH) if not path.startswith(".errors")}
    chinese = {path: fields_of(text) for path, text in strings(CHINESE) if not path.startswith(".errors")}
    assert english == chinese


@pytest.mark.parametrize("kind", list(all_errors()), ids=lambda kind: kind.__name__)
def test_every_error_has_a_chinese_sentence_with_the_same_facts(kind: type[LLMError]) -> None:
    assert fields_of(CHINESE.errors[kind.__name__]) == fields_of(kind.template)


def test_no_sentence_is_kept_for_an_error_that_does_not_exist() -> None:
    assert {NoModel, NoNativeTools} <= set(all_errors())
    assert set(CHINESE.errors) == {kind.__name__ for kind in all_errors()}


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS.keys())
def test_an_error_of_ours_or_anybodys_has_a_sentence(texts: Texts) -> None:
    assert "7" in sentence_of(texts, RateLimited(host="api.example", seconds=7))
    assert sentence_of(texts, ValueError("boom")) == sentence_of(texts, None) == texts.turn.unexpected


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [(0.2, "1 s", "1 秒"), (12.4, "12 s", "12 秒"), (59.4, "59 s", "59 秒"), (80, "1 min 20 s", "1 分 20 秒")],
)
def test_a_duration_is_told_as_people_say_it(seconds: float, english: str, chinese: str) -> None:
    assert (duration(ENGLISH, seconds), duration(CHINESE, seconds)) == (english, chinese)
