"""What kind of file something is, by what it holds and not by what it is called. Pure."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, TypeAlias

from tools.data.encoding import decoded

KindName: TypeAlias = Literal[
    "csv", "json", "markdown", "text", "pdf", "xlsx", "parquet", "sqlite", "png", "jpeg", "gif", "webp", "other"
]

HEAD_BYTES = 64 * 1024
"""As much of a file's beginning as is looked at."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file: the words for it, how it may be served, and the endings that its names have."""

    name: KindName
    words: str
    media_type: str
    endings: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether it can be read as it is."""
        return self.name in {"csv", "json", "markdown", "text"}

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture that browsers show."""
        return self.media_type.startswith("image/")

    @property
    def is_table(self) -> bool:
        """Whether it can be asked in SQL."""
        return self.name in {"csv", "json", "xlsx", "parquet", "sqlite"}


_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS = {
    kind.name: kind
    for kind in (
        Kind("csv", "a CSV table", "text/csv", (".csv", ".tsv")),
        Kind("json", "JSON", "application/json", (".json", ".jsonl", ".ndjson")),
        Kind("markdown", "Markdown", "text/markdown", (".md",)),
        Kind("text", "text", "text/plain", (".txt",)),
        Kind("pdf", "a PDF", "application/pdf", (".pdf",)),
        Kind("xlsx", "an Excel workbook", _XLSX, (".xlsx",)),
        Kind("parquet", "a Parquet table", "application/vnd.apache.parquet", (".parquet",)),
        Kind("sqlite", "an SQLite database", "application/vnd.sqlite3", (".sqlite", ".sqlite3", ".db")),
        Kind("png", "a PNG picture", "image/png", (".png",)),
        Kind("jpeg", "a JPEG picture", "image/jpeg", (".jpg", ".jpeg")),
        Kind("gif", "a GIF picture", "image/gif", (".gif",)),
        Kind("webp", "a WebP picture", "image/webp", (".webp",)),
        Kind("other", "a file of another kind", "application/octet-stream"),
    )
}
BY_ENDING = {ending: kind for kind in KINDS.values() for ending in kind.endings}


def kind_by_name(name: str) -> Kind | None:
    """The kind that a file's ending claims, or None where no kind has that ending."""
    return BY_ENDING.get(PurePath(name).suffix.lower())


def kind_of(name: str, head: bytes) -> Kind:
    """The kind of a file that begins with `head`. Only among the kinds of plain text does the name decide."""
    if binary := _binary_kind(head):
        return KINDS[binary]
    if decoded(head, is_whole=len(head) < HEAD_BYTES) is None:
        return KINDS["other"]
    claimed = kind_by_name(name)
    return claimed if claimed and claimed.is_text else KINDS["text"]


def _binary_kind(head: bytes) -> KindName | None:
    if head.startswith(b"PK\x03\x04"):
        return "xlsx" if _is_workbook(head) else "other"
    if head[:1024].lstrip(_BEFORE_A_PDF).startswith(b"%PDF-"):
        return "pdf"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


_BEFORE_A_PDF = b"\xef\xbb\xbf\0 \t\r\n"
_MAGIC: tuple[tuple[bytes, KindName], ...] = (
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
)


def _is_workbook(head: bytes) -> bool:
    """By the names of the archive's first entries; whether it really is one is seen when it is opened."""
    return any(name in head for name in (b"[Content_Types].xml", b"xl/", b"_rels/.rels"))
