"""For small apps without the guard: Chainlit's folder for files is shared by all processes, and each may delete it."""

import os
from pathlib import Path

import chainlit.config
import chainlit.server

from ui.guard.files import claim_files_folder


def use_own_files() -> None:
    """Keep this process's files in its own data folder, as the guard does."""
    mine = claim_files_folder(Path(os.environ["THINKGLASS_DATA"]))
    chainlit.config.FILES_DIRECTORY = chainlit.server.FILES_DIRECTORY = mine
