"""Log lines for machines: one JSON object a line, with the turn they belong to. Never holds what was said."""

import json
import logging
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime

TURN_ID: ContextVar[str] = ContextVar("turn_id", default="")
"""The turn that the current task works for."""


class JsonLines(logging.Formatter):
    """`time`, `level`, `logger`, `message`, `turn` and, for an exception, `error` and `where`: without its words.

    An exception's words may hold a key or what a person wrote; where it happened tells enough.
    """

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if turn := TURN_ID.get():
            line["turn"] = turn
        if record.exc_info and record.exc_info[1]:
            error = record.exc_info[1]
            frames = traceback.extract_tb(error.__traceback__)
            line["error"] = type(error).__name__
            line["where"] = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-5:]))
        return json.dumps(line, ensure_ascii=False)


def quiet_libraries() -> None:
    """Only warnings of those that say much: httpx logs every request with its whole address, which may hold a key."""
    for name in ("httpx", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)


def log_as_json() -> None:
    """Give every handler of the root logger this form."""
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonLines())
