"""The people who may log in with a password: `python -m ui.auth add NAME`, `remove NAME` or `list`.

The one place in this package that reads the settings: it has to look where the app looks.
"""

import argparse
import getpass
import sys

from settings import load_settings
from ui.auth.passwords import PeopleFile


def main(arguments: list[str]) -> int:
    """Do what the command says; the exit status is 1, with a sentence, where that is not possible."""
    parser = argparse.ArgumentParser(prog="python -m ui.auth", description="People who may log in with a password.")
    parser.add_argument("command", choices=["add", "remove", "list"])
    parser.add_argument("name", nargs="?", default="")
    asked = parser.parse_args(arguments)
    settings = load_settings()
    people = PeopleFile(settings.people_file)
    try:
        match asked.command:
            case "add":
                people.add(asked.name, _password())
            case "remove":
                people.remove(asked.name)
        print("\n".join(people.names()) or "Nobody yet.")  # noqa: T201 - it is a command's answer
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201 - it is a command's answer
        return 1
    return 0


def _password() -> str:
    """Typed twice at a terminal, or the first line of what is piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise ValueError("The two passwords differ.")
    return first


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
