"""The thinking of one reply, put together from the places where a host may put it. Pure."""

from collections.abc import Iterable
from typing import Any


class ThinkingSoFar:
    """Collects thinking from a field and from tags. What both say (a legacy format of llama.cpp) counts once.

    Lists only ever grow and `source` is never changed: a new one takes their place.
    """

    def __init__(self, family: str) -> None:
        self.pieces: list[str] = []
        self.details: list[dict[str, Any]] = []
        self.source: dict[str, Any] = {"family": family}
        self._echo: _Echo | None = None

    def from_field(self, text: str, field: str) -> str:
        """Take in thinking from a field. What is new of it."""
        self._note(field)
        return self._said("field", text)

    def from_tags(self, text: str) -> str:
        """Take in thinking from tags. What is new of it."""
        if text:
            self._note("tags")
        return self._said("tags", text)

    def rewrite(self, thinking: str) -> None:
        """All thinking so far was read wrong; this is what it is."""
        self.pieces = [thinking]
        self.source = {**self.source, "field": "tags"}

    def _note(self, field: str) -> None:
        if "field" not in self.source:
            self.source = {**self.source, "field": field}

    def _said(self, place: str, text: str) -> str:
        first_place = "tags" if self.source.get("field") == "tags" else "field"
        if place != first_place and not self._echo:
            self._echo = _Echo(first_place, "".join(self.pieces))
        if self._echo:
            text = self._echo.new_part(place, text)
        if text:
            self.pieces.append(text)
        return text


class _Echo:
    """Two places that say the same, or not: lets pass what neither has said yet."""

    def __init__(self, first_place: str, said: str) -> None:
        self._said = said
        self._at: dict[str, int | None] = {first_place: len(said)}

    def new_part(self, place: str, text: str) -> str:
        start = self._at.setdefault(place, len(self._said) - len(self._said.lstrip()))
        if start is None:
            return text
        known = self._said[start : start + len(text)]
        if not text.startswith(known):
            self._at[place] = None
            return text
        self._at[place] = start + len(text)
        self._said += text[len(known) :]
        return text[len(known) :]


def joined_details(details: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Streamed `reasoning_details` as one item each: neighbours of one type and index are pieces of the same item."""
    items: list[dict[str, Any]] = []
    pieces: list[dict[str, list[str]]] = []
    for detail in details:
        if not items or any(detail.get(key) != items[-1].get(key) for key in ("type", "index")):
            items.append({})
            pieces.append({})
        items[-1] |= {key: value for key, value in detail.items() if value is not None or key not in items[-1]}
        for key in ("text", "summary", "data"):
            if isinstance(detail.get(key), str):
                pieces[-1].setdefault(key, []).append(detail[key])
    return [
        item | {key: "".join(parts) for key, parts in joined.items()}
        for item, joined in zip(items, pieces, strict=True)
    ]
