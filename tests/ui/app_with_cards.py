"""A Chainlit app that shows one card of each kind below a tool's step, and answers with marks that cite sources."""

import chainlit as cl
from chainlit.utils import utc_now

from settings import load_settings
from tests.ui.card_samples import figure, file, picture, read_page, sources, table, weather
from tests.ui.own_files import use_own_files
from ui.cards import send_cards
from ui.citations import Citations
from ui.guard import install
from ui.language import texts_language
from ui.texts import TEXTS

use_own_files()

settings = load_settings()
install(data_folder=settings.thinkglass_data, allowed_origins=[])

ANSWER = (
    "Oslo's tram museum opened in 1966 [1][2], and the city has had trams since 1875 [1, 3].\n\n"
    "In code, `rows[1]` and a[1] are no sources, and [9] is none of this chat.\n\n"
    "```python\nprint(rows[1])  # [1]\n```\n\n"
    "| Line | Since |\n|---|---|\n| 12 | 1875【2】 |\n"
)


@cl.on_chat_start
async def on_chat_start() -> None:
    await cl.Step(name="Ready", type="undefined").send()


@cl.on_message
async def on_message(message: cl.Message) -> None:
    texts = TEXTS[texts_language(cl.context.session.language)]
    citations = Citations(texts.cards)
    everything = (weather(), picture(), table(), figure(), file(settings.thinkglass_data))
    if message.content == "A file that is gone":
        everything[-1].path.unlink()
    for name, display in (("Searched the web", sources()), ("Read a page", (read_page(),)), ("Ran Python", everything)):
        step = cl.Step(name=name, type="tool", icon="search", parent_id=cl.context.current_step.id)
        step.start = step.end = utc_now()
        step.output = "What the model was given."
        await step.send()
        await send_cards(display, step, texts)
        citations.note(display)
    answer = cl.Message("")
    for word in ANSWER.split(" "):
        await answer.stream_token(word + " ")
    answer.content, answer.elements = citations.finish(ANSWER)
    await answer.send()
