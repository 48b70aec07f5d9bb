"""Attacks a mode of confinement from within before any foreign code runs in it: what is not held off turns it off."""

import json
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.sandbox.disk import remove_folder
from tools.sandbox.process import NotStarted
from tools.sandbox.session import PythonSession

_FEWEST_ATTACKS = 15
_FONT_LIST = """
import glob, shutil
import matplotlib.font_manager
for path in glob.glob(matplotlib.get_cachedir() + "/fontlist-*.json"):
    shutil.copy(path, ".")
"""


async def leaks(session: PythonSession) -> list[str]:
    """The attacks that got through, by name; none is what is wanted. Raises `NotStarted`."""
    with _targets() as (outside, port):
        where = {"secret": f"{outside}/secret.txt", "outside": outside, "port": port, "server": os.getpid()}
        outcome = await session.run(f"import json\nprint(json.dumps(attack(**{where!r})))")
    if outcome.error:
        raise NotStarted(outcome.error)
    held: dict[str, bool] = json.loads(outcome.printed)
    if len(held) < _FEWEST_ATTACKS:
        return ["not all attacks were tried"]
    return [name for name, is_held in held.items() if not is_held]


async def bring_font_list(session: PythonSession, folder: Path, target: Path) -> None:
    """Have matplotlib look through the fonts, which takes long, and keep its list of them for the processes to come."""
    outcome = await session.run(_FONT_LIST)
    for name in outcome.files:
        (folder / name).rename(target / name)


@contextmanager
def _targets() -> Iterator[tuple[str, int]]:
    """A folder that anybody may write to, with a file that anybody may read, and a port that answers."""
    outside = Path(tempfile.mkdtemp(prefix="python-tool-"))
    secret = outside / "secret.txt"
    secret.write_text("secret", "utf-8")
    secret.chmod(0o644)
    outside.chmod(0o777)  # so that only the confinement can hold code off
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            yield str(outside), server.getsockname()[1]
        finally:
            remove_folder(outside)
