"""Puts tool calls together from the pieces in which they are streamed. Pure; knows no host and no tool.

Hosts differ in everything: index missing, reused or not from 0; id missing, blank, repeated or late; name late or
repeated; arguments as text in pieces, as an object, or null; several calls in one piece; calls interleaved.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import Any, NamedTuple

from llm.half_characters import mended


class ToolCall(NamedTuple):
    """One tool call so far. `arguments` is JSON text, which may be cut off as long as the stream runs."""

    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class _OpenCall:
    index: int | None
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return _is_object("".join(self.pieces))


ToolCallsSoFar = tuple[tuple[_OpenCall, str, str, int], ...]
"""A point in the stream: per call its id, its name and how many of its pieces had come. Costs no text."""


class ToolCallStream:
    """Feed it the `tool_calls` of each delta. `seed` makes the ids of calls that came without one."""

    def __init__(self, seed: str = "") -> None:
        self.seed = seed
        self._calls: list[_OpenCall] = []

    def feed(self, deltas: object) -> bool:
        """Take in the `tool_calls` of one delta. Whether it held any."""
        pieces = [piece for piece in _pieces(deltas) if piece != _Piece()]
        for piece in pieces:
            self._add(self._call_for(piece), piece)
        return bool(pieces)

    def so_far(self) -> ToolCallsSoFar:
        """Where the stream stands now."""
        return tuple((call, call.id, call.name, len(call.pieces)) for call in self._calls)

    def calls(self, at: ToolCallsSoFar, *, ended: bool = False) -> list[ToolCall]:
        """The calls as they stood at that point. Once `ended`, calls without a name and arguments are left out."""
        calls: list[ToolCall] = []
        for call, id_, name, count in at:
            arguments = mended("".join(call.pieces[:count]))
            if ended and not name and not arguments:
                continue
            if not id_ or any(id_ == other.id for other in calls):
                id_ = self._made_up_id(len(calls))
            calls.append(ToolCall(id_, name, arguments.strip() or "{}" if ended else arguments))
        return calls

    def _made_up_id(self, number: int) -> str:
        """Nine letters and digits, which Mistral's templates demand; the same each time the stream is read."""
        return blake2s(f"{self.seed}/{number}".encode()).hexdigest()[:9]

    def _call_for(self, piece: "_Piece") -> _OpenCall:
        """The call that `piece` continues, or a new one."""
        found = self._find(piece)
        if found and not _begins_again(found, piece):
            return found
        # A second call on the same index that does not say its name has that of the first.
        call = _OpenCall(piece.index, piece.id, piece.name or (found.name if found and not piece.id else ""))
        self._calls.append(call)
        return call

    def _find(self, piece: "_Piece") -> _OpenCall | None:
        """By index and id, else by index, else by id, else the last call if `piece` names no new one."""
        latest = self._calls[::-1]
        same_id = [call for call in latest if piece.id and call.id == piece.id]
        same_index = [call for call in latest if piece.index is not None and call.index == piece.index]
        if both := next((call for call in same_id if piece.index in {None, call.index}), None):
            return both
        if same_index and not (piece.id and same_index[0].id):
            return same_index[0]
        if piece.name and (piece.index is not None or piece.id):
            return None
        if same_id:
            return same_id[0]
        return latest[0] if latest and not piece.id else None

    def _add(self, call: _OpenCall, piece: "_Piece") -> None:
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        arguments = piece.arguments
        if isinstance(arguments, Mapping):
            arguments = json.dumps(arguments, ensure_ascii=False)
        if arguments and not (_restarts(call, arguments) and call.is_whole):
            call.pieces.append(_without_what_came(call, arguments))


@dataclass(frozen=True, slots=True)
class _Piece:
    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str | Mapping[str, Any] = ""


def _pieces(deltas: object) -> Iterator[_Piece]:
    for delta in deltas if isinstance(deltas, list) else [deltas]:
        if not isinstance(delta, Mapping):
            continue
        function = delta.get("function")
        if not isinstance(function, Mapping):
            function = delta
        index, arguments = delta.get("index"), function.get("arguments")
        yield _Piece(
            index if isinstance(index, int) else None,
            _word(delta.get("id")),
            _word(function.get("name")),
            arguments if arguments and isinstance(arguments, str | Mapping) else "",
        )


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _begins_again(call: _OpenCall, piece: _Piece) -> bool:
    """Whether `piece` can't belong to `call`, although only its content says so."""
    if piece.id and piece.id == call.id:
        return False
    if piece.name and call.name and piece.name != call.name:
        return True
    return _restarts(call, piece.arguments) and call.is_whole


def _restarts(call: _OpenCall, arguments: str | Mapping[str, Any]) -> bool:
    """Whether a second object seems to follow a first one, which one call can't have."""
    if not call.pieces or not call.pieces[-1].rstrip().endswith("}"):
        return False
    return isinstance(arguments, Mapping) or arguments.lstrip().startswith("{")


def _without_what_came(call: _OpenCall, arguments: str) -> str:
    """What is new of the arguments, where a host sends all of them again with each piece."""
    if len(arguments) < 2 or not call.pieces or not arguments.startswith(call.pieces[0]):
        return arguments
    return arguments.removeprefix("".join(call.pieces)) if call.pieces[0][:1] == "{" else arguments


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
