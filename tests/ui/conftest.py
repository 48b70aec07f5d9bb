from collections.abc import AsyncIterator
from pathlib import Path

import chainlit.config
import pytest

from ui.data_layer.history import History


@pytest.fixture
def files_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chainlit keeps one in the working folder, for all processes, and any of them may take it away."""
    monkeypatch.setattr(chainlit.config, "FILES_DIRECTORY", tmp_path)


@pytest.fixture
async def history(tmp_path: Path) -> AsyncIterator[History]:
    history = History("", data_folder=tmp_path)
    await history.start()
    yield history
    await history.close()
