"""The tables among the files of a workspace, opened to be handed to the reader's process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from tools.base import ToolError
from tools.data.kinds import kind_by_name
from tools.data.reading import kind_of_file
from tools.workspace import Workspace

_MAX_FILES = 50


@asynccontextmanager
async def opened_tables(workspace: Workspace) -> AsyncIterator[list[dict[str, Any]]]:
    """The files that claim to be tables and are, as the reader's tasks want them.

    The oldest come first: of two that would have the same name in SQL, it keeps it.
    """
    with ExitStack() as stack:
        yield await asyncio.to_thread(_open, workspace, stack)


def _open(workspace: Workspace, stack: ExitStack) -> list[dict[str, Any]]:
    sources = list[dict[str, Any]]()
    for listed in sorted(workspace.list(), key=lambda file: file.modified):
        claimed = kind_by_name(listed.name)
        if claimed is None or not claimed.is_table or len(sources) == _MAX_FILES:
            continue
        try:
            file = stack.enter_context(workspace.open(listed.name))
        except ToolError:
            continue  # it has gone, or become something else, since it was listed
        kind = kind_of_file(file)
        if kind.is_table and file.size:
            sources.append({"name": file.name, "kind": kind.name, "descriptor": file.descriptor})
    return sources
