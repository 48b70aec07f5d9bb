"""The chat profiles as the page offers them. Knows neither how they are read nor which agent each one means."""

from collections.abc import Sequence

import chainlit as cl

from agents.chat_profiles import ChatProfile
from ui.texts import Language, Texts


def profiles_on_page(profiles: Sequence[ChatProfile], language: Language, texts: Texts) -> list[cl.ChatProfile]:
    """The picker's entries. A profile without starters of its own begins with the ones that all share."""
    shared = [cl.Starter(label=starter.label, message=starter.message) for starter in texts.starters]
    return [
        cl.ChatProfile(
            name=profile.id,
            display_name=getattr(profile.name, language),
            markdown_description=getattr(profile.description, language),
            starters=_own_starters(profile, language) or shared,
        )
        for profile in profiles
    ]


def profile_picked(profiles: Sequence[ChatProfile], picked: str | None) -> ChatProfile:
    """The profile that a session picked; the first one for a session that picked none, or one that is gone."""
    return next((profile for profile in profiles if profile.id == picked), profiles[0])


def _own_starters(profile: ChatProfile, language: Language) -> list[cl.Starter]:
    return [
        cl.Starter(label=getattr(starter.label, language), message=getattr(starter.message, language))
        for starter in profile.starters
    ]
