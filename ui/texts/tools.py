"""The words for what tools do."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolTitle:
    """How a tool is told of: while it runs, after it ran, and which argument says what it is about.

    `subject` is empty where the words alone say it. `finds` is true where what matters is how much was found.
    """

    running: str
    ran: str
    subject: str
    icon: str
    finds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolWords:
    """A title for each tool by its name, and one for all others. The pairs are for one and for many.

    `refused` by the answer to the question whether the tool may run; `{deed}` is what it would have done.
    """

    titles: Mapping[str, ToolTitle]
    any_tool: ToolTitle
    failed: str
    refused: Mapping[str, str]
    stopped: str
    nothing_found: str
    results: tuple[str, str]
    rows: tuple[str, str]
    cut: str


ENGLISH = ToolWords(
    titles={
        "search_web": ToolTitle(
            "Searching the web: {subject}", "Searched the web: {subject}", "query", "search", finds=True
        ),
        "read_page": ToolTitle("Reading {subject}", "Read {subject}", "url", "book-open"),
        "get_weather": ToolTitle("Looking up the weather: {subject}", "Weather: {subject}", "city", "cloud-sun"),
        "calculate": ToolTitle("Calculating {subject}", "Calculated {subject}", "expression", "calculator"),
        "run_python": ToolTitle("Running Python", "Ran Python", "", "square-terminal"),
        "write_file": ToolTitle("Writing {subject}", "Wrote {subject}", "name", "file-pen"),
        "read_file": ToolTitle("Reading {subject}", "Read {subject}", "name", "file-text"),
        "list_files": ToolTitle("Looking through the files", "Looked through the files", "", "folder-open"),
        "query_data": ToolTitle("Querying the data", "Queried the data", "", "database"),
    },
    any_tool=ToolTitle("Using {name}", "Used {name}", "", "wrench"),
    failed="{title} · did not work",
    refused={"deny": "{deed} · not allowed by you", "unanswered": "{deed} · not done: you did not answer"},
    stopped="{title} · stopped",
    nothing_found="no results",
    results=("{count} result", "{count} results"),
    rows=("{count} row", "{count} rows"),
    cut="… and {count:,} more characters",
)

CHINESE = ToolWords(
    titles={
        "search_web": ToolTitle("正在搜索网页：{subject}", "已搜索网页：{subject}", "query", "search", finds=True),
        "read_page": ToolTitle("正在阅读 {subject}", "已阅读 {subject}", "url", "book-open"),
        "get_weather": ToolTitle("正在查询天气：{subject}", "天气：{subject}", "city", "cloud-sun"),
        "calculate": ToolTitle("正在计算 {subject}", "已计算 {subject}", "expression", "calculator"),
        "run_python": ToolTitle("正在运行 Python", "已运行 Python", "", "square-terminal"),
        "write_file": ToolTitle("正在写入 {subject}", "已写入 {subject}", "name", "file-pen"),
        "read_file": ToolTitle("正在读取 {subject}", "已读取 {subject}", "name", "file-text"),
        "list_files": ToolTitle("正在查看文件", "已查看文件", "", "folder-open"),
        "query_data": ToolTitle("正在查询数据", "已查询数据", "", "database"),
    },
    any_tool=ToolTitle("正在使用 {name}", "已使用 {name}", "", "wrench"),
    failed="{title} · 没有成功",
    refused={"deny": "{deed} · 你没有允许", "unanswered": "{deed} · 没有执行：你没有回答"},
    stopped="{title} · 已停止",
    nothing_found="没有结果",
    results=("{count} 条结果", "{count} 条结果"),
    rows=("{count} 行", "{count} 行"),
    cut="… 还有 {count:,} 个字符",
)
