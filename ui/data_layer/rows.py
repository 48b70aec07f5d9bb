"""Chainlit's step and element dicts as rows, and back. Pure: knows no database and no Chainlit.

A key that no column is made for, or whose value the column cannot hold, is kept in `extra`, so nothing is ever lost.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Stored = Mapping[Any, Any]
"""A row as the database gives it."""

STEP_TEXTS = ("parentId", "type", "name", "command", "language", "createdAt", "start", "end", "input", "output")
STEP_FLAGS = ("streaming", "waitForAnswer", "isError", "defaultOpen", "autoCollapse")
STEP_JSON = ("metadata", "tags", "generation", "modes", "showInput")
ELEMENT_TEXTS = ("forId", "type", "chainlitKey", "url", "objectKey", "name", "display", "size", "language", "mime")
ELEMENT_FLAGS = ("autoPlay",)
ELEMENT_JSON = ("props", "playerConfig")
_NOT_OF_THE_STEP = {"id", "threadId", "feedback"}
_MAX_PAGE = 2**31
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def row_from_step(step: Mapping[str, Any]) -> Row:
    """The columns for the keys that are present; `extra` always, so that a later write replaces it."""
    row, extra = _columns(step, texts=STEP_TEXTS, flags=STEP_FLAGS, encoded=STEP_JSON)
    extra = {key: value for key, value in extra.items() if key not in _NOT_OF_THE_STEP}
    row |= {"id": clean(step["id"]), "threadId": clean(step["threadId"]), "extra": json_text(extra) if extra else None}
    metadata = step.get("metadata")
    row["favorite"] = isinstance(metadata, dict) and metadata.get("favorite") is True
    if "output" in row:
        row["indexed"] = not row["output"]
    return row


def step_from_row(row: Stored, feedback: Row | None = None) -> Row:
    """The step dict as Chainlit sends it to the page."""
    step = {key: row[key] for key in ("id", "threadId", *STEP_TEXTS, *STEP_FLAGS)}
    step |= {key: json_value(row[key]) for key in STEP_JSON}
    for key, empty in (("input", ""), ("output", ""), ("metadata", {})):
        step[key] = empty if step[key] is None else step[key]
    step["feedback"] = feedback
    step |= json_value(row["extra"]) or {}
    return step


def row_from_element(element: Mapping[str, Any]) -> Row:
    """All columns of an element; a missing key is an empty one."""
    row, extra = _columns(element, texts=ELEMENT_TEXTS, flags=ELEMENT_FLAGS, encoded=ELEMENT_JSON)
    page = extra.get("page")
    if page is None or (isinstance(page, int) and abs(page) < _MAX_PAGE):
        row["page"] = extra.pop("page", None)
    extra = {key: value for key, value in extra.items() if key not in {"id", "threadId", "path", "content"}}
    return (
        dict.fromkeys((*ELEMENT_TEXTS, *ELEMENT_FLAGS, *ELEMENT_JSON, "page"))
        | row
        | {
            "id": clean(element["id"]),
            "threadId": clean(element["threadId"]),
            "extra": json_text(extra) if extra else None,
        }
    )


def element_from_row(row: Stored) -> Row:
    """The element dict as Chainlit sends it to the page; `url` is where it was, not where a stored file is read."""
    element = {key: row[key] for key in ("id", "threadId", "page", *ELEMENT_TEXTS, *ELEMENT_FLAGS)}
    element |= {key: json_value(row[key]) for key in ELEMENT_JSON}
    element |= json_value(row["extra"]) or {}
    return element


def clean(text: str) -> str:
    """The text without what no database takes: NUL and halves of surrogate pairs, each shown as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("\ufffd", text)
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def json_text(value: Any) -> str | None:
    """JSON that every reader takes: NaN and infinity become null, what is no JSON becomes its `str()`."""
    if value is None:
        return None
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError):
        return json.dumps(_plain(value), ensure_ascii=False)
    return text


def json_value(text: str | None) -> Any:
    """What `json_text` was given."""
    return None if text is None else json.loads(text)


def _columns(
    source: Mapping[str, Any], *, texts: Iterable[str], flags: Iterable[str], encoded: Iterable[str]
) -> tuple[Row, Row]:
    left = dict(source)
    row: Row = {}
    for key in texts:
        if key in left and isinstance(left[key], str | None):
            value = left.pop(key)
            row[key] = value and clean(value)
    for key in flags:
        if key in left and isinstance(left[key], bool | None):
            row[key] = left.pop(key)
    for key in encoded:
        if key in left:
            row[key] = json_text(left.pop(key))
    return row, left


def _plain(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {clean(str(key)): _plain(part) for key, part in value.items()}
        case list() | tuple() | set():
            return [_plain(part) for part in value]
        case None | bool() | int() | float():
            return value
    return clean(str(value))
