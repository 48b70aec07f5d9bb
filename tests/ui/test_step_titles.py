"""The lines that are made of what models and tools write: nothing is hidden in them, and none is endless."""

import pytest

from agents.events import AnswerDelta, ThoughtDelta, ToolStarted
from tests.ui.recording_page import page_of_a_chat, shown, tool
from ui.texts import ENGLISH
from ui.turn_view import TurnView

pytestmark = pytest.mark.usefixtures("files_folder")

HOSTILE = {
    "turned round": ("https://a.example/\u202egpj.exe", "https://a.example/‹U+202E›gpj.exe"),
    "isolated": ("\u2066a\u2069\u200f", "‹U+2066›a‹U+2069›‹U+200F›"),
    "of no width": ("a\u200bb\u2060c\ufeffd\u00ade", "a‹U+200B›b‹U+2060›c‹U+FEFF›d‹U+00AD›e"),
    "joiners": ("a\u200db\u200cc", "a‹U+200D›b‹U+200C›c"),
    "control": ("a\x00b\x1b[31mc\x07\x7f", "a‹U+0000›b‹U+001B›[31mc‹U+0007›‹U+007F›"),
    "lines": ("a\r\nb\u2028c\x85d\ve", "a b c d e"),
    "blanks": ("a\u00a0\u2003b\u3164c", "a b‹U+3164›c"),
    "tags": ("a\U000e0041\U000e0042", "a‹U+E0041›‹U+E0042›"),
    "half a pair": ("a\ud800b", "a‹U+D800›b"),
    "piled up": ("Z\u0300\u0301\u0302\u0303\u0304algo", "Z\u0300\u0301\u0302algo"),
    "very long": ("x" * 5000, "x" * 79 + "…"),
    "markup": ("**b** <img src=x> [a](b)", "**b** <img src=x> [a](b)"),
    "braces": ("{subject} {0} %s", "{subject} {0} %s"),
    "Persian": ("می\u200cخواهم", "\u2068می\u200cخواهم\u2069"),
    "Hebrew, turned round": ("של\u202eום", "\u2068של‹U+202E›ום\u2069"),
    "a family": ("👩\u200d👩\u200d👧 ❤\ufe0f", "👩\u200d👩\u200d👧 ❤\ufe0f"),
    "Hindi": ("क्\u200dष", "क्\u200dष"),
    "French": ("été : 10\u202f000 km", "été : 10 000 km"),
}


@pytest.mark.parametrize(("subject", "seen"), HOSTILE.values(), ids=HOSTILE)
async def test_nothing_is_hidden_in_a_title(subject: str, seen: str) -> None:
    for finished in ({}, {"is_error": True}, {"is_error": True, "refusal": "deny"}):
        page = await shown(*tool("read_page", {"url": subject}, **finished))
        (step,) = page.of_type("tool")
        assert step["name"].removesuffix(" · did not work").removesuffix(" · not allowed by you") == f"Read {seen}"
    (step,) = (await shown(*tool(subject, {}))).of_type("tool")
    assert step["name"] == f"Used {seen}"
    view_page, view = page_of_a_chat(), TurnView(ENGLISH)
    await view.show(ToolStarted("a", "read_page", {"url": subject}))
    await view.end("stopped")
    assert view_page.of_type("tool")[0]["name"] == f"Read {seen} · stopped"


async def test_a_thought_hides_nothing_however_it_comes() -> None:
    thought = "I \u202eread\u200b \u2066it\u2069\x1b: می\u200cخواهم\u00a0!\nNext."
    seen = "I read it: می\u200cخواهم !\nNext."
    for pieces in (list(thought), [thought]):
        page = await shown(*map(ThoughtDelta, pieces), AnswerDelta("Yes."))
        assert page.story[0] == ("undefined", seen)
