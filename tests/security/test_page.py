"""The page's words in the reader's language, asked over HTTP as the browser asks."""

import pytest

from tests.e2e.running_app import RunningApp


@pytest.mark.parametrize(
    ("tag", "placeholder"),
    [
        ("en-GB", "Ask anything"),
        ("xx", "Ask anything"),
        ("no-such-language-at-all", "Ask anything"),
        ("../../../etc/passwd", "Ask anything"),
        ("zh-SG", "想问什么都可以"),
        ("zh-Hans-CN", "想问什么都可以"),
        ("zh-HK", "想問什麼都可以"),
        ("zh-Hant", "想問什麼都可以"),
    ],
)
def test_every_language_finds_its_nearest_words(server: RunningApp, tag: str, placeholder: str) -> None:
    answer = server.get("/project/translations", params={"language": tag})
    assert answer.json()["translation"]["chat"]["input"]["placeholder"] == placeholder


@pytest.mark.parametrize(
    ("tag", "word"), [("en-GB", "Watch"), ("fr-CA", "Watch"), ("zh-SG", "看着"), ("zh-HK", "看着")]
)
def test_every_language_finds_its_nearest_readme(server: RunningApp, tag: str, word: str) -> None:
    assert word in server.get("/project/settings", params={"language": tag}).json()["markdown"]


def test_the_other_parts_of_the_question_stay(server: RunningApp) -> None:
    answer = server.get("/project/settings", params={"language": "zh-HK", "chat_profile": "a b&c=d"})
    assert answer.status_code == 200
    assert answer.json()["ui"]["name"] == "Thinkglass"
