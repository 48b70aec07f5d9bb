"""The settings panel of a chat: what it offers, and what a person's entries mean. Knows no agent and no model."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

import chainlit as cl
from chainlit.input_widget import InputWidget, Select, TextInput

from ui.texts import Texts

ThinkingShown: TypeAlias = Literal["open", "fold", "hide"]
Consent: TypeAlias = Literal["none", "risky", "all"]

MOST_TOKENS = 1_000_000
MOST_ROUNDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """What holds for one chat. None leaves a value to the model."""

    thinking_shown: ThinkingShown = "fold"
    temperature: float | None = None
    max_tokens: int | None = None
    max_rounds: int = 12
    consent: Consent = "risky"


@dataclass(frozen=True, slots=True)
class _Number:
    """A number that people type."""

    kind: type[int] | type[float]
    least: int
    most: int
    may_be_empty: bool = True

    def read(self, entry: object) -> float | int | None:
        """The number. Raises ValueError for anything else, also for nothing where there must be something."""
        text = "" if entry is None else str(entry).strip().replace(",", "." if self.kind is float else "")
        if not text and self.may_be_empty:
            return None
        number = self.kind(text)
        if not self.least <= number <= self.most:
            raise ValueError(text)
        return number


_NUMBERS = {
    "temperature": _Number(float, 0, 2),
    "max_tokens": _Number(int, 1, MOST_TOKENS),
    "max_rounds": _Number(int, 1, MOST_ROUNDS, may_be_empty=False),
}
_CHOICES = {"thinking_shown": ("open", "fold", "hide"), "consent": ("none", "risky", "all")}


def settings_from(
    entries: Mapping[str, object], settings: ChatSettings, *, texts: Texts
) -> tuple[ChatSettings, list[str]]:
    """The settings with the entries of the panel, or of a stored chat, and a sentence for each that is no good."""
    changes: dict[str, Any] = {
        name: entries[name] for name, choices in _CHOICES.items() if entries.get(name) in choices
    }
    complaints = []
    for name, number in _NUMBERS.items():
        try:
            changes[name] = number.read(entries[name] if name in entries else getattr(settings, name))
        except (ValueError, OverflowError):
            complaints.append(
                texts.composer.bad_number.format(
                    label=texts.composer.settings[name].label,
                    value=str(entries[name])[:40],
                    least=number.least,
                    most=f"{number.most:,}",
                )
            )
    return replace(settings, **changes), complaints


def settings_panel(settings: ChatSettings, texts: Texts) -> cl.ChatSettings:
    """The panel with these values."""
    return cl.ChatSettings([_widget(name, value, texts=texts) for name, value in asdict(settings).items()])


def _widget(name: str, value: Any, *, texts: Texts) -> InputWidget:
    words = texts.composer.settings[name]
    about = {"id": name, "label": words.label, "description": words.description}
    if name in _CHOICES:
        items = {label: choice for choice, label in words.choices.items()}
        return Select(items=items, initial_value=value, **about)
    shown = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return TextInput(initial=shown, placeholder=texts.composer.leave_to_model, **about)
