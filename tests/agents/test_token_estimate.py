"""The estimate against real tokenizers, which come with LlamaIndex; what others need is noted with the estimate."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import llama_index.core
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from agents.token_estimate import cut_middle, cut_to, estimate_tokens

STATIONS = [
    {"id": i, "name": f"station {i}", "lat": 59.3 + i / 7, "tags": ["harbour"], "open": True} for i in range(40)
]
KINDS = {
    "English": ("The ferry left an hour late because the crew had to wait for a doctor. Nobody complained. ", 1.0, 1.3),
    "Chinese": ("渡轮晚了一个小时才离开港口，因为船员们必须等一位医生。人工智能模型的上下文窗口。", 0.95, 1.3),
    "Japanese": ("フェリーは医者を待たなければならなかったため、一時間遅れて港を出発した。", 0.9, 1.3),
    "Korean": ("의사를 기다려야 했기 때문에 페리는 한 시간 늦게 항구를 떠났다. ", 0.9, 1.4),
    "German": (
        "Die Fähre verließ den Hafen eine Stunde zu spät, weil die Besatzung auf einen Arzt wartete. ",
        0.85,
        1.3,
    ),
    "Russian": ("Паром вышел из гавани на час позже, потому что экипажу пришлось ждать врача. ", 0.9, 2.2),
    "code": (Path(__file__).read_text("utf-8"), 1.0, 1.4),
    "JSON": (json.dumps(STATIONS), 1.0, 1.7),
    "JSON, indented": (json.dumps(STATIONS, indent=2), 1.0, 1.7),
    "a table": ("| 12.4 | x1 | ok |\n", 0.9, 1.3),
    "links": ("https://example.org/wiki/4f5a9c?utm_source=x&id=12\n", 1.0, 1.7),
}


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    folder = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode(text))


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_near_the_count_of_a_tokenizer(kind: str, count: Callable[[str], int]) -> None:
    sample, least, most = KINDS[kind]
    text = sample * 20
    assert least <= estimate_tokens(text) / count(text) <= most


def test_one_megabyte_takes_no_time_to_speak_of() -> None:
    for text in ("The ferry was late.\n" * 50_000, "渡轮晚了。" * 70_000, "a" * 10**6, "\n.x" * 350_000, " " * 10**6):
        began = time.perf_counter()
        estimate_tokens(text)
        assert time.perf_counter() - began < 1


def test_a_cut_says_how_much_is_missing() -> None:
    assert cut_to("owl " * 1000, 50).endswith(" more characters]")
    assert cut_to("owl", 50) == "owl"
    text = cut_middle("Begin. " + "owl " * 1000 + "End.", 50)
    assert text.startswith("Begin.")
    assert text.endswith("End.")
    assert "… [cut: 3" in text


@given(st.text(max_size=400), st.integers(60, 200))
def test_a_cut_text_fits(text: str, limit: int) -> None:
    for cut in (cut_to, cut_middle):
        short = cut(text * 5, limit)
        assert estimate_tokens(short) <= limit
        assert cut(short, limit) == short
