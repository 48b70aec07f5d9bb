import asyncio
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from ui.pacing import PacedText

HELD_BACK = "*"
"""Nothing of this shows yet."""


class Page:
    """Keeps what was emitted and when."""

    def __init__(self, seconds_per_emit: float = 0.0) -> None:
        self.emits: list[tuple[float, str]] = []
        self.emitted = asyncio.Condition()
        self._seconds_per_emit = seconds_per_emit

    async def emit(self, text: str) -> bool:
        await asyncio.sleep(self._seconds_per_emit)
        async with self.emitted:
            self.emits.append((time.monotonic(), text))
            self.emitted.notify_all()
        return text != HELD_BACK

    async def until_text(self, text: str) -> None:
        async with asyncio.timeout(2), self.emitted:
            await self.emitted.wait_for(lambda: self.text == text)

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.emits)


async def test_the_first_piece_goes_out_at_once() -> None:
    page = Page()
    paced = PacedText(page.emit)
    await paced.add("first")
    assert page.text == "first"
    await paced.stop()


async def test_a_piece_that_does_not_show_keeps_no_other_waiting() -> None:
    page = Page()
    paced = PacedText(page.emit)
    await paced.add(HELD_BACK)
    await paced.add("*first**")
    assert page.text == "**first**"
    await paced.add(" second")
    assert page.text == "**first**"
    await paced.stop()


async def test_a_fast_stream_is_batched_and_whole() -> None:
    page = Page()
    paced = PacedText(page.emit)
    began = time.monotonic()
    for _ in range(300):
        await paced.add("token ")
        await asyncio.sleep(0.001)
    rest = await paced.stop()
    seconds = time.monotonic() - began
    assert page.text + rest == "token " * 300
    assert len(page.emits) <= seconds / 0.1 + 2


async def test_what_waits_is_sent_without_more_text() -> None:
    page = Page()
    paced = PacedText(page.emit)
    await paced.add("a")
    await paced.add("b")
    await page.until_text("ab")
    await paced.stop()


async def test_a_long_text_is_sent_less_often() -> None:
    page = Page()
    paced = PacedText(page.emit)
    await paced.add("x" * 40_000)
    began = time.monotonic()
    await paced.add("y")
    await page.until_text("x" * 40_000 + "y")
    assert time.monotonic() - began > 0.45


async def test_what_is_left_at_the_end_comes_after_what_is_just_being_sent() -> None:
    page = Page(seconds_per_emit=0.05)
    paced = PacedText(page.emit)
    adding = asyncio.create_task(paced.add("1"))
    await asyncio.sleep(0)
    await asyncio.gather(adding, paced.add("2"), paced.add("3"))
    rest = await paced.stop()
    assert page.text + rest == "123"


@given(st.lists(st.text(max_size=5), max_size=20))
@settings(deadline=None, max_examples=30)
def test_no_text_is_lost(pieces: list[str]) -> None:
    async def play() -> str:
        page = Page()
        paced = PacedText(page.emit)
        for piece in pieces:
            await paced.add(piece)
        rest = await paced.stop()
        return page.text + rest

    assert asyncio.run(play()) == "".join(pieces)
