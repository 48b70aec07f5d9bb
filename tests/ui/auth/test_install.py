"""`chainlit run -w` loads the app again after every change, and forgets its callbacks: the login has to stay."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOADED_TWICE = """
import sys
from pathlib import Path
import chainlit.server
from chainlit.auth import require_login
from chainlit.config import CodeSettings, config
from ui import auth
from ui.data_layer.database import Database

def load():
    config.code = CodeSettings(action_callbacks={})
    folder = Path(sys.argv[2])
    auth.install(auth.AuthConfig(mode=sys.argv[1], secret=None, data_folder=folder, people_file=folder / "people.txt",
                                 header="X-User", is_network_trusted=False), Database("", data_folder=folder))
    return config.code.on_logout is not None and require_login(), chainlit.server.app.build_middleware_stack

(first, layers), (second, same) = load(), load()
assert first and second
assert layers == same
"""


@pytest.mark.parametrize("mode", ["none", "password", "header"])
def test_who_had_to_log_in_still_has_to_after_a_reload(tmp_path: Path, mode: str) -> None:
    command = [sys.executable, "-c", LOADED_TWICE, mode, str(tmp_path)]
    variables = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "CHAINLIT_APP_ROOT": str(tmp_path)}
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
