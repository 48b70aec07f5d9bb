"""The words for files that people send."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWords:
    """Why a file was not taken. `{name}` is its name, `{limit}` a size, `{found}` what it is instead, from `kinds`.

    `unkept`: a file was taken, but could not be kept for later.
    """

    refused: Mapping[str, str]
    unkept: str
    kinds: Mapping[str, str]


ENGLISH = FileWords(
    refused={
        "empty": "“{name}” is empty, so it was left out.",
        "too_large": "“{name}” is too large: at most {limit} a file.",
        "too_many": "“{name}” was left out: at most {limit} files with one message.",
        "unknown_kind": "“{name}” is of a kind that can't be used here. "
        "These can: CSV, Excel (.xlsx), JSON, text, Markdown, PDF, Parquet, SQLite and pictures.",
        "mismatch": "“{name}” is not what its name says: it looks like {found}. Please give it the right ending.",
        "damaged": "“{name}” can't be read: it is damaged, or not what its name says.",
        "protected": "“{name}” is locked with a password, or in an old format. Please save it anew without either.",
        "active": "“{name}” has scripts, macros or other files inside. Please save it without them.",
        "bomb": "“{name}” unpacks to far more than can be read here.",
        "too_slow": "Reading “{name}” took too long, so it was left out.",
        "no_room": "“{name}” was left out: this chat has no room for more files. A new chat has.",
    },
    unkept="“{name}” couldn't be saved with this chat: there is no reaching the place for files right now. "
    "After a reload it will be missing here; everything else is saved.",
    kinds={
        "csv": "a table in text",
        "json": "JSON",
        "markdown": "text",
        "text": "text",
        "pdf": "a PDF",
        "xlsx": "an Excel workbook",
        "parquet": "a Parquet table",
        "sqlite": "an SQLite database",
        "png": "a PNG picture",
        "jpeg": "a JPEG picture",
        "gif": "a GIF picture",
        "webp": "a WebP picture",
        "zip": "a ZIP archive",
        "other": "something else",
    },
)

CHINESE = FileWords(
    refused={
        "empty": "“{name}”是空文件，已略过。",
        "too_large": "“{name}”太大了：每个文件最大 {limit}。",
        "too_many": "“{name}”已略过：一条消息最多带 {limit} 个文件。",
        "unknown_kind": "这里用不了“{name}”这类文件。可以用的有：CSV、Excel（.xlsx）、JSON、文本、Markdown、PDF、"
        "Parquet、SQLite 和图片。",
        "mismatch": "“{name}”的内容与扩展名不符：看起来像是{found}。请改成正确的扩展名。",
        "damaged": "“{name}”无法读取：文件已损坏，或内容与扩展名不符。",
        "protected": "“{name}”设有密码，或是旧格式的文件。请去掉密码、另存为新格式后再上传。",
        "active": "“{name}”含有脚本、宏或内嵌文件。请去掉这些内容，另存后再上传。",
        "bomb": "“{name}”解压后过大，无法在这里读取。",
        "too_slow": "读取“{name}”用时过长，已略过。",
        "no_room": "“{name}”已略过：这个对话放不下更多文件了，可以新开一个对话。",
    },
    unkept="“{name}”没能随对话保存：暂时无法访问存放文件的地方。刷新页面后就看不到它了，其余内容都已保存。",
    kinds={
        "csv": "文本表格",
        "json": "JSON",
        "markdown": "文本",
        "text": "文本",
        "pdf": "PDF",
        "xlsx": "Excel 工作簿",
        "parquet": "Parquet 表格",
        "sqlite": "SQLite 数据库",
        "png": "PNG 图片",
        "jpeg": "JPEG 图片",
        "gif": "GIF 图片",
        "webp": "WebP 图片",
        "zip": "ZIP 压缩包",
        "other": "别的内容",
    },
)
