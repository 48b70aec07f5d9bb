"""Small files of every kind, healthy and not, made as they are needed."""

import io
import re
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject, TextStringObject

CHINESE_CSV = "城市,人口,日期\n北京,2189,2024-01-02\n上海,2487,2024-02-03\n"


def png(width: int, height: int) -> bytes:
    """A grey picture; a large one is only announced, with little behind it."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(min((width + 1) * height, 1_000_000)))
    chunks = [(b"IHDR", header), (b"IDAT", pixels), (b"IEND", b"")]
    body = b"".join(struct.pack(">I", len(c)) + t + c + struct.pack(">I", zlib.crc32(t + c)) for t, c in chunks)
    return b"\x89PNG\r\n\x1a\n" + body


def picture(form: str) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (20, 10), "red").save(target, form)
    return target.getvalue()


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def with_entry(archive: bytes, name: str, content: bytes) -> bytes:
    target = io.BytesIO(archive)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as entries:
        entries.writestr(name, content)
    return target.getvalue()


def sparse_workbook() -> bytes:
    """Two cells at the opposite corners of the largest sheet that there can be."""
    healthy, target = zipfile.ZipFile(io.BytesIO(workbook(A=[["x"]]))), io.BytesIO()
    corners = b"".join(
        f'<row r="{r}"><c r="{c}{r}"><v>1</v></c></row>'.encode() for c, r in (("A", 1), ("XFD", 1048576))
    )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as entries:
        for name in healthy.namelist():
            content = healthy.read(name)
            entries.writestr(
                name, re.sub(rb"(?s)<sheetData>.*</sheetData>", b"<sheetData>%s</sheetData>" % corners, content)
            )
    return target.getvalue()


def archive(**entries: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as opened:
        for name, content in entries.items():
            opened.writestr(name, content)
    return target.getvalue()


def pdf(*texts: str, password: str = "", **catalog: Any) -> bytes:
    """A page for each text; `catalog` is set in the document's beginning."""
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    for text in texts or ("",):
        page = writer.add_blank_page(300, 300)
        content = StreamObject()
        content.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = pdf_object({"/Font": {"/F1": font}})
    for key, value in catalog.items():
        writer._root_object[NameObject(f"/{key}")] = writer._add_object(pdf_object(value))
    if password:
        writer.encrypt(password)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def pdf_object(value: Any) -> Any:
    if isinstance(value, dict):
        return DictionaryObject({NameObject(key): pdf_object(inner) for key, inner in value.items()})
    if isinstance(value, list):
        return ArrayObject([pdf_object(inner) for inner in value])
    if isinstance(value, int):
        return NumberObject(value)
    return NameObject(value) if value.startswith("/") else TextStringObject(value)


def parquet(sql: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        duckdb.sql(f"copy ({sql}) to '{path}'")
        return path.read_bytes()


def sqlite_file(script: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base.db"
        database = sqlite3.connect(path)
        database.executescript(script)
        database.close()
        return path.read_bytes()
