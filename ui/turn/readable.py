"""What went into a tool and what came out, as Markdown for people: code as code, a table as a table, text as it is.

Pure. Whatever is not a table stands in a fence, where the renderer changes nothing and fetches nothing.
"""

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ui.markdown import escape_markdown

MAX_SHOWN_CHARS = 20_000
"""A step is opened to look into it; a browser would take seconds to colour more code than this."""

_CODE_ARGUMENTS = {"code": "python", "sql": "sql", "script": "python", "query_sql": "sql"}
_LANGUAGES = {
    ".py": "python",
    ".sql": "sql",
    ".js": "javascript",
    ".ts": "typescript",
    ".json": "json",
    ".html": "html",
    ".css": "css",
    ".sh": "bash",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".xml": "xml",
    ".svg": "xml",
}
_TABLE = re.compile(r"\s*\|.*\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\n[ \t]*\|.*\|[ \t]*)*\s*")
_TICKS = re.compile(r"`{3,}")


def readable_input(arguments: Mapping[str, Any], *, told: str, cut: str) -> str:
    """The arguments of a call, without the one whose text `told` the step's title gives in full.

    `cut` says how many characters, as `{count}`, are not shown of what is very long.
    """
    name = str(arguments.get("name") or arguments.get("path") or "")
    blocks, plain = [], {}
    for key, value in arguments.items():
        language = _language_of(key, value, file_name=name)
        if language is not None:
            blocks.append(fenced(_clipped(str(value), cut), language))
        elif value is not None and " ".join(str(value).split()) != told:
            plain[key] = value
    if plain:
        blocks.insert(0, _as_lines(plain, cut))
    return "\n\n".join(blocks)


def readable_output(text: str, *, of_code: bool, cut: str) -> str:
    """What a tool gave: a table as such, JSON laid out, anything else kept line by line, in columns if `of_code`."""
    text = _clipped(text.strip("\n"), cut)
    if not text.strip():
        return ""
    if _TABLE.fullmatch(text):
        return escape_markdown(text.strip())
    if laid_out := _laid_out_json(text):
        return fenced(laid_out, "json")
    return fenced(text, "text" if of_code else "")


def holds_code(arguments: Mapping[str, Any]) -> bool:
    """Whether a program was run, whose output stands in columns."""
    return any(key in _CODE_ARGUMENTS for key in arguments)


def fenced(text: str, language: str = "") -> str:
    """The text in a fence longer than any within it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _language_of(key: str, value: Any, *, file_name: str) -> str | None:
    """The language of an argument that is a text of its own, or None."""
    if not isinstance(value, str):
        return None
    if key in _CODE_ARGUMENTS:
        return _CODE_ARGUMENTS[key]
    if key == "content" or "\n" in value.strip():
        return _LANGUAGES.get(PurePosixPath(file_name).suffix.lower(), "")
    return None


def _as_lines(arguments: Mapping[str, Any], cut: str) -> str:
    lines = [f"{key}: {_in_one_line(value)}" for key, value in arguments.items()]
    return fenced(_clipped("\n".join(lines), cut))


def _in_one_line(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _laid_out_json(text: str) -> str:
    if text.strip()[0] not in "{[":
        return ""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return ""


def _clipped(text: str, cut: str) -> str:
    if len(text) <= MAX_SHOWN_CHARS:
        return text
    return f"{text[:MAX_SHOWN_CHARS]}\n{cut.format(count=len(text) - MAX_SHOWN_CHARS)}"
