"""The key that signs login cookies: made once and kept in the data folder, unless the operator gives one."""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import chainlit.auth

_FILE = "signing.key"


def signing_secret(data_folder: Path, *, given: str | None) -> str:
    """The operator's secret, which several processes can share; else the data folder's own, made private to its owner.

    Two processes that start at once end up with the same one.
    """
    if given:
        return given
    data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = data_folder / _FILE
    if not path.exists():
        _make(path)
    return path.read_text("ascii")


def keyed_mark(kind: str, value: str) -> str:
    """What stands for a name or an address where it is only counted: nobody without the key can tell whose it is."""
    key = chainlit.auth.get_jwt_secret() or ""
    return hmac.new(key.encode(), f"{kind}\0{value}".encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def _make(path: Path) -> None:
    with NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as draft:  # made for its owner's eyes only
        draft.write(secrets.token_urlsafe(48))
        draft.flush()
        with suppress(FileExistsError):  # another process was first
            os.link(draft.name, path)
