"""Pictures, read in the reader's process: whether they are what they claim, and their size."""

import warnings
from typing import Any

from PIL import Image, UnidentifiedImageError

from tools.data.unreadable import Unreadable

_MAX_PIXELS = 120_000_000
"""Phones make pictures of 108 million."""
_MAX_FRAMES = 1_000


def check_picture(descriptor: int, kind: str) -> dict[str, Any]:
    """Width and height in pixels. Raises `Unreadable`; nothing is unpacked before its size is known."""
    warnings.simplefilter("ignore")
    try:
        with Image.open(open(descriptor, "rb", closefd=False), formats=[kind.upper()]) as picture:
            if picture.width * picture.height > _MAX_PIXELS or getattr(picture, "n_frames", 1) > _MAX_FRAMES:
                raise Unreadable("bomb")
            picture.load()
            return {"width": picture.width, "height": picture.height}
    except Image.DecompressionBombError:
        raise Unreadable("bomb") from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, IndexError):
        raise Unreadable("damaged") from None
