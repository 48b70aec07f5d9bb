"""`python -m ui.data_layer export|import|erase USER`: what is kept for one person, into or out of one file, or gone.

Nothing imports it, so it may read the settings and know of the tools: it has to look where the app looks.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from settings import load_settings
from tools.toolkit import forget_chat
from ui.data_layer.errors import HistoryError
from ui.data_layer.file_store import file_store
from ui.data_layer.history import History
from ui.data_layer.people import erase_person, export_person, import_person
from ui.data_layer.places import chats_folder


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit status. What went wrong is one plain line."""
    wish = _parser().parse_args(arguments)
    settings = load_settings()
    try:
        sys.stdout.write(asyncio.run(_run(wish, **settings.history_values)) + "\n")
    except HistoryError as error:
        return _complain(error.user_message)
    except LookupError:
        return _complain(f"Nothing is kept for {wish.user!r}.")
    except OSError as error:
        return _complain(f"{error.filename or wish.user}: {error.strerror or error}.")
    return 0


async def _run(
    wish: argparse.Namespace, database_url: str | None, *, data_folder: Path, bucket: Mapping[str, str | None] | None
) -> str:
    history = History(database_url or "", data_folder=data_folder)
    files = file_store(data_folder, bucket)
    try:
        await history.start()
        match wish.command:
            case "export":
                wish.file.touch(mode=0o600)  # for nobody else's eyes
                count = await export_person(history, files, wish.user, target=wish.file)
                return f"{count} chats of {wish.user} are in {wish.file} now."
            case "import":
                count = await import_person(history, files, wish.user, source=wish.file)
                return f"{count} chats from {wish.file} are {wish.user}'s now."
            case _:
                forget = partial(forget_chat, chats_folder(data_folder))
                count = await erase_person(history, files, wish.user, forget_chat=forget)
                return f"{wish.user} and {count} chats are erased."
    finally:
        await history.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ui.data_layer", description="What is kept for one person.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, purpose in (("export", "write it into a file"), ("import", "add what a file holds")):
        command = commands.add_parser(name, help=purpose)
        command.add_argument("user", help="the name that the person logs in with")
        command.add_argument("file", type=Path, help="a zip file")
    erase = commands.add_parser("erase", help="delete it, with all files")
    erase.add_argument("user", help="the name that the person logs in with")
    erase.add_argument("--yes", action="store_true", required=True, help="needed: it cannot be undone")
    return parser


def _complain(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
