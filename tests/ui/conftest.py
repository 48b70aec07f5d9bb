from pathlib import Path

import chainlit.config
import pytest


@pytest.fixture
def files_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chainlit keeps one in the working folder, for all processes, and any of them may take it away."""
    monkeypatch.setattr(chainlit.config, "FILES_DIRECTORY", tmp_path)
