"""Every word that people see, in English and Chinese: a file for each topic, both languages side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from llm.errors import LLMError
from ui.texts import cards, composer, connection, consent, errors, export, files, quotas, starters, tools, turn
from ui.texts.cards import CardWords
from ui.texts.composer import ComposerWords
from ui.texts.connection import ConnectionWords
from ui.texts.consent import ConsentWords
from ui.texts.export import ExportWords
from ui.texts.files import FileWords
from ui.texts.quotas import QuotaWords
from ui.texts.starters import StarterText
from ui.texts.tools import ToolWords
from ui.texts.turn import TurnWords

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All words of one language. `errors` holds those sentences that do not stand with the errors themselves."""

    turn: TurnWords
    tools: ToolWords
    cards: CardWords
    connection: ConnectionWords
    composer: ComposerWords
    consent: ConsentWords
    files: FileWords
    export: ExportWords
    quotas: QuotaWords
    starters: tuple[StarterText, ...]
    errors: Mapping[str, str]


ENGLISH = Texts(
    turn=turn.ENGLISH,
    tools=tools.ENGLISH,
    cards=cards.ENGLISH,
    connection=connection.ENGLISH,
    composer=composer.ENGLISH,
    consent=consent.ENGLISH,
    files=files.ENGLISH,
    export=export.ENGLISH,
    quotas=quotas.ENGLISH,
    starters=starters.ENGLISH,
    errors={},
)

CHINESE = Texts(
    turn=turn.CHINESE,
    tools=tools.CHINESE,
    cards=cards.CHINESE,
    connection=connection.CHINESE,
    composer=composer.CHINESE,
    consent=consent.CHINESE,
    files=files.CHINESE,
    export=export.CHINESE,
    quotas=quotas.CHINESE,
    starters=starters.CHINESE,
    errors=errors.CHINESE,
)

TEXTS: Mapping[Language, Texts] = {"en": ENGLISH, "zh": CHINESE}


def duration(texts: Texts, seconds: float) -> str:
    """A time as people say it: `4 s`, and `1 min 20 s` from a minute on."""
    whole = max(1, round(seconds))
    if whole < 60:
        return texts.turn.seconds.format(seconds=whole)
    return texts.turn.minutes.format(minutes=whole // 60, seconds=whole % 60)


def sentence_of(texts: Texts, error: Exception | None) -> str:
    """What to tell people about an error: its own sentence in their language, else that the app is at fault."""
    template = texts.errors.get(type(error).__name__)
    if template and isinstance(error, LLMError):
        return template.format(**error.facts)
    return error.user_message if isinstance(error, LLMError) else texts.turn.unexpected
