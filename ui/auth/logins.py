"""The ways to log in, as Chainlit's callbacks. Which one counts is the operator's choice."""

import asyncio
from collections.abc import Mapping

import chainlit as cl

from ui.auth.attempts import attempt_as
from ui.auth.browser_identity import new_person
from ui.auth.passwords import PeopleFile
from ui.data_layer.counts import Counts


def everybody_is_welcome() -> None:
    """For a page that was open while its cookie went: it gets a new identity by itself."""

    async def from_nothing(_headers: Mapping[str, str]) -> cl.User:
        return new_person()

    cl.header_auth_callback(from_nothing)


def by_password(people: PeopleFile, counts: Counts) -> None:
    """Names and passwords from a file. A name that is tried too often is not looked up any more, for a while."""

    async def from_password(name: str, password: str) -> cl.User | None:
        if await attempt_as(name, counts) is None and await asyncio.to_thread(people.knows, name, password):
            return cl.User(identifier=name, metadata={})
        return None

    cl.password_auth_callback(from_password)


def by_header(header: str) -> None:
    """A name that a proxy in front has checked and put into a header."""

    async def from_header(headers: Mapping[str, str]) -> cl.User | None:
        name = headers.get(header, "").strip()
        return cl.User(identifier=name, metadata={}) if name else None

    cl.header_auth_callback(from_header)


def by_oauth() -> None:
    """Chainlit's providers; they read their own variables. Raises ValueError where none is set."""

    async def from_provider(
        _provider: str, _token: str, _raw: dict[str, str], user: cl.User, _id_token: str | None = None
    ) -> cl.User | None:
        return user

    cl.oauth_callback(from_provider)
