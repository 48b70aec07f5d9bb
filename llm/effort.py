"""How much a model is to think, as people choose it, and what that means for the client. Pure: knows facts only."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast, get_args

from llm.model_profiles import Effort, ModelProfile

ThinkingChoice: TypeAlias = Literal["auto", "off", "on", "low", "high", "max"]
"""`auto` leaves it to the model; `on` is for models that think only when asked and know no levels."""


def thinking_choices(profile: ModelProfile) -> tuple[ThinkingChoice, ...]:
    """What can be chosen for the model, `auto` first. Only `auto` where nothing can."""
    choices: list[ThinkingChoice] = ["auto"]
    levels = _levels(profile)
    if profile.thinking_switch and not profile.always_thinks:
        if profile.thinks_by_default or levels:
            choices.append("off")
        if not profile.thinks_by_default and not levels:
            choices.append("on")
    return (*choices, *levels)


def client_fields(choice: ThinkingChoice, profile: ModelProfile) -> dict[str, Any]:
    """The fields of the client for the choice; none where the model does not offer it."""
    if choice == "auto" or choice not in thinking_choices(profile):
        return {}
    if choice in {"off", "on"}:
        return {"thinking": choice == "on"}
    must_be_asked = profile.thinking_switch and not profile.thinks_by_default
    return {"effort": choice, **({"thinking": True} if must_be_asked else {})}


def more_effort(choice: ThinkingChoice, profile: ModelProfile) -> ThinkingChoice | None:
    """The most that the model can be asked for, if that is more than the choice."""
    most = thinking_choices(profile)[-1]
    return most if most not in {"auto", "off", choice} else None


def _levels(profile: ModelProfile) -> list[ThinkingChoice]:
    """Low, high and max, without those that the model is told in the same word as one before."""
    if not profile.effort_place:
        return []
    words: Mapping[Effort, str] = profile.effort_words or {}
    by_word: dict[str, Effort] = {}
    for level in cast("tuple[Effort, ...]", get_args(Effort)):
        by_word.setdefault(words.get(level, level), level)
    return list(by_word.values())
