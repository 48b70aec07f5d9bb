"""What a tool gives to people, as cards on the page. Knows the cards' facts and Chainlit, not the tools.

Source cards stand inside the tool's own step. All else stands visibly below it, each in a carrier: a step of the
type `system_message`, which the page shows without an accordion and takes for no answer, and no history reads.
"""

from collections.abc import Iterable
from typing import Any

import chainlit as cl
from chainlit.element import Element

from tools.cards import FileCard, PictureCard, PlotlyCard, SourceCard, TableCard, WeatherCard
from ui.cards.figure import Figure, on_any_page
from ui.cards.props import cards_from, file_props, source_props, table_props, weather_props
from ui.revealed import without_hidden
from ui.texts import Texts

SOURCES = "Sources"
"""Each custom element is named after its script in `public/elements`."""


async def send_cards(display: tuple[Any, ...], step: cl.Step, texts: Texts) -> None:
    """Show what a tool gave, once its step stands there with the result."""
    sources = [card for card in display if isinstance(card, SourceCard)]
    if sources:
        await cl.CustomElement(name=SOURCES, props=source_props(sources, texts.cards)).send(for_id=step.id)
    for card in display:
        if elements := _elements_of(card, texts):
            await _send_below(step, elements)


def sources_in(elements: Iterable[dict[str, Any]]) -> list[SourceCard]:
    """The sources that a stored chat's elements hold, in the order of their making."""
    kept = [element["props"] for element in elements if (element["type"], element["name"]) == ("custom", SOURCES)]
    return [card for props in kept for card in cards_from(props)]


def _elements_of(card: Any, texts: Texts) -> list[Element]:
    """What shows the card. An element of the display `page` is shown nowhere: it holds the bytes that another shows."""
    words = texts.cards
    match card:
        case WeatherCard():
            return [cl.CustomElement(name="Weather", props=weather_props(card, words))]
        case TableCard():
            return [cl.CustomElement(name="Table", props=table_props(card, words))]
        case PictureCard():
            held = cl.Image(name=f"{words.picture}.png", content=card.png, display="page", mime="image/png")
            labels = {"openLarge": words.open_large, "download": words.download, "close": words.close}
            props = {
                "held": held.id,
                "alt": without_hidden(card.alt) or words.picture,
                "fileName": held.name,
                "words": labels,
            }
            return [held, cl.CustomElement(name="Picture", props=props)]
        case FileCard() if not card.path.is_file():
            return [cl.CustomElement(name="File", props=file_props(card, words))]
        case FileCard():
            held = cl.File(name=card.name, path=str(card.path), display="page", mime=card.media_type)
            return [held, cl.CustomElement(name="File", props=file_props(card, words) | {"held": held.id})]
        case PlotlyCard():
            caption = cl.CustomElement(name="Caption", props={"text": without_hidden(card.alt)})
            figure = Figure(name=words.figure, content=on_any_page(card.figure_json), mime="application/json")
            return [caption, figure] if card.alt else [figure]
        case _:
            return []


async def _send_below(step: cl.Step, elements: list[Element]) -> None:
    carrier = cl.Step(name=step.name, type="system_message", icon="dot", parent_id=step.id)
    carrier.start = carrier.end = carrier.created_at
    await carrier.send()
    for element in elements:
        await element.send(for_id=carrier.id)
