"""Where in the data folder chats are kept, beside the database."""

from pathlib import Path


def files_folder(data_folder: Path) -> Path:
    """The folder of the elements' files. Not `files`: what Chainlit keeps there is swept away at every start."""
    return data_folder / "elements"


def chats_folder(data_folder: Path) -> Path:
    """The folder in which each chat's tools have one of their own, by the id of its thread."""
    return data_folder / "chats"
