"""People with passwords, in a file of names and argon2 hashes. Knows no page and no cookies."""

from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

SHORTEST_PASSWORD = 8
_HASHER = PasswordHasher()
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$UYvz2zZTe6mX0GqQmNyFvW0EGfJmDPCsNLI3TRU0f3I"
"""A hash that no password fits: checking it takes as long for a name that does not exist as for one that does."""


class PeopleFile:
    """The file, a line `name:hash` for each person. It is read anew each time, so that changes count at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self) -> list[str]:
        return sorted(self._read())

    def knows(self, name: str, password: str) -> bool:
        """Whether the password is this person's. Takes about 50 ms of a core: not for the event loop."""
        hashed = self._read().get(name, _NOBODY)
        try:
            return _HASHER.verify(hashed, password)
        except (VerifyMismatchError, InvalidHashError):
            return False

    def add(self, name: str, password: str) -> None:
        """Add a person, or change their password. Raises ValueError with a sentence where that is not possible."""
        if not name or not name.isprintable() or ":" in name or name != name.strip():
            raise ValueError("A name is one to some words without a colon.")
        if len(password) < SHORTEST_PASSWORD:
            raise ValueError(f"A password has at least {SHORTEST_PASSWORD} characters.")
        self._write({**self._read(), name: _HASHER.hash(password)})

    def remove(self, name: str) -> None:
        """Take a person out. Raises ValueError where there is none of that name."""
        people = self._read()
        if people.pop(name, None) is None:
            raise ValueError(f"There is nobody named {name}.")
        self._write(people)

    def _read(self) -> dict[str, str]:
        if not self._path.is_file():
            return {}
        lines = self._path.read_text("utf-8").splitlines()
        pairs = (line.rpartition(":") for line in lines if line.strip() and not line.startswith("#"))
        return {name.strip(): hashed.strip() for name, _, hashed in pairs}

    def _write(self, people: dict[str, str]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._path.with_suffix(".new")
        draft.touch(mode=0o600)
        draft.write_text("".join(f"{name}:{hashed}\n" for name, hashed in sorted(people.items())), "utf-8")
        draft.replace(self._path)
