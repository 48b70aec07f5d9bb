"""The words for what tools do."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolTitle:
    """How a tool is told of: while it runs, after it ran, and which argument says what it is about."""

    running: str
    ran: str
    subject: str
    icon: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolWords:
    """A title for each tool by its name, and one for all others."""

    titles: Mapping[str, ToolTitle]
    any_tool: ToolTitle
    failed: str


ENGLISH = ToolWords(
    titles={
        "search_web": ToolTitle("Searching the web: {subject}", "Searched the web: {subject}", "query", "search"),
        "read_page": ToolTitle("Reading {subject}", "Read {subject}", "url", "book-open"),
        "get_weather": ToolTitle("Looking up the weather: {subject}", "Weather: {subject}", "city", "cloud-sun"),
        "calculate": ToolTitle("Calculating {subject}", "Calculated {subject}", "expression", "calculator"),
    },
    any_tool=ToolTitle("Using {name}", "Used {name}", "", "wrench"),
    failed="{title} · did not work",
)

CHINESE = ToolWords(
    titles={
        "search_web": ToolTitle("正在搜索网页：{subject}", "已搜索网页：{subject}", "query", "search"),
        "read_page": ToolTitle("正在阅读 {subject}", "已阅读 {subject}", "url", "book-open"),
        "get_weather": ToolTitle("正在查询天气：{subject}", "天气：{subject}", "city", "cloud-sun"),
        "calculate": ToolTitle("正在计算 {subject}", "已计算 {subject}", "expression", "calculator"),
    },
    any_tool=ToolTitle("正在使用 {name}", "已使用 {name}", "", "wrench"),
    failed="{title} · 没有成功",
)
