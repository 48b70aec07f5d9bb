from ui.live_text import CHARS_KEPT, LEFT_OUT, MOST_CHARS_LIVE, LiveText
from ui.markdown import escape_markdown


class Target:
    """A step, as the page shows it."""

    def __init__(self) -> None:
        self.shown = ""
        self.longest = 0

    async def stream_token(self, token: str, is_sequence: bool = False) -> None:
        self.shown = token if is_sequence else self.shown + token
        self.longest = max(self.longest, len(self.shown))


async def come_to_its_time(live: LiveText) -> None:
    """What waits is shown now."""
    await live._show(await live._paced.stop())


async def test_what_is_shown_live_is_escaped_and_the_end_is_the_whole() -> None:
    target = Target()
    live = LiveText(target)
    for piece in ("key:va", "lue and $", "5 and \\(x", "\\) and `un"):
        await live.add(piece)
    await come_to_its_time(live)
    assert await live.finish() == "key\\:value and \\$5 and $x$ and \\`un"
    assert target.shown == "key\\:value and \\$5 and $x$ and "


async def test_of_a_very_long_text_the_later_part_is_live_and_the_whole_stands_at_the_end() -> None:
    paragraph = "A line of thought: some:thing like `this:one`.\n\n```py\n\na:b\n\n```\n\n- a list\n\n  of:things\n\n"
    text = "".join(f"{number} {paragraph}" for number in range(3 * MOST_CHARS_LIVE // len(paragraph)))
    target = Target()
    live = LiveText(target)
    for at in range(0, len(text), 997):
        await live.add(text[at : at + 997])
        await come_to_its_time(live)
    assert await live.finish() == escape_markdown(text)
    assert MOST_CHARS_LIVE - 2_000 < target.longest < MOST_CHARS_LIVE + 2_000
    assert target.shown.startswith(LEFT_OUT)
    later = target.shown.removeprefix(LEFT_OUT)
    assert len(later) > CHARS_KEPT - 2_000
    assert escape_markdown(text).startswith(later, len(escape_markdown(text)) - len(later))
    assert later[0].isdigit() or later.startswith(("```", "- "))


async def test_a_long_block_without_an_end_is_not_cut() -> None:
    text = "```\n" + "a:b\n\n" * (MOST_CHARS_LIVE // 4)
    target = Target()
    live = LiveText(target)
    await live.add(text)
    assert await live.finish() == text
    assert target.shown == text
