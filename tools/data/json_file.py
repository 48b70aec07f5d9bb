"""JSON, read in the reader's process: whether it is whole."""

import json
from pathlib import Path

from tools.data.encoding import decoded
from tools.data.unreadable import Unreadable


def check_json(descriptor: int) -> None:
    """Raises `Unreadable` where it is neither one JSON document nor one on each line."""
    text = decoded(Path(f"/dev/fd/{descriptor}").read_bytes())
    if text is None:
        raise Unreadable("damaged")
    try:
        json.loads(text)
    except ValueError:
        _check_lines(text)


def _check_lines(text: str) -> None:
    try:
        for line in text.splitlines():
            if line.strip() and not isinstance(json.loads(line), dict):
                raise Unreadable("damaged")
    except ValueError:
        raise Unreadable("damaged") from None
