"""The words on cards: weather, pictures, tables, files and sources."""

from collections.abc import Mapping
from dataclasses import dataclass

from tools.cards import Sky


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWords:
    """`weekdays` begin with Monday. `kinds` names files by media type; `any_kind` names all others by their ending."""

    weather: str
    local_time: str
    today: str
    weekdays: tuple[str, ...]
    feels_like: str
    humidity: str
    wind: str
    rain_chance: str
    weather_by: str
    skies: Mapping[Sky, str]
    picture: str
    figure: str
    open_large: str
    download: str
    close: str
    table: str
    row: str
    rows: str
    first_rows: str
    download_rows: str
    version: str
    kinds: Mapping[str, str]
    any_kind: str
    no_kind: str
    preview: str
    source: str
    sources: str
    page_read: str
    search_hit: str
    open_page: str


ENGLISH = CardWords(
    weather="Weather in {place}",
    local_time="Local time {time}",
    today="Today",
    weekdays=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    feels_like="Feels like {temperature}",
    humidity="Humidity",
    wind="Wind",
    rain_chance="Chance of rain or snow",
    weather_by="Data: {source}",
    skies={
        "clear": "Clear",
        "partly_cloudy": "Partly cloudy",
        "cloudy": "Cloudy",
        "fog": "Fog",
        "drizzle": "Drizzle",
        "rain": "Rain",
        "sleet": "Sleet",
        "snow": "Snow",
        "thunderstorm": "Thunderstorm",
    },
    picture="Picture",
    figure="Figure",
    open_large="Open large",
    download="Download",
    close="Close",
    table="Table",
    row="{total} row",
    rows="{total:,} rows",
    first_rows="First {shown:,} of {total:,} rows",
    download_rows="Download as CSV",
    version="version {version}",
    kinds={
        "application/json": "JSON",
        "application/pdf": "PDF",
        "application/zip": "ZIP archive",
        "image/png": "PNG picture",
        "image/jpeg": "JPEG picture",
        "image/svg+xml": "SVG drawing",
        "text/csv": "CSV table",
        "text/html": "Web page",
        "text/markdown": "Markdown",
        "text/plain": "Text",
        "text/x-python": "Python",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel workbook",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
    },
    any_kind="{ending} file",
    no_kind="File",
    preview="First lines",
    source="Source {number}: {title}",
    sources="Sources",
    page_read="Page that was read",
    search_hit="Search result",
    open_page="Open the page",
)

CHINESE = CardWords(
    weather="{place}的天气",
    local_time="当地时间 {time}",
    today="今天",
    weekdays=("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
    feels_like="体感 {temperature}",
    humidity="湿度",
    wind="风速",
    rain_chance="降水概率",
    weather_by="数据：{source}",
    skies={
        "clear": "晴",
        "partly_cloudy": "多云",
        "cloudy": "阴",
        "fog": "雾",
        "drizzle": "毛毛雨",
        "rain": "雨",
        "sleet": "雨夹雪",
        "snow": "雪",
        "thunderstorm": "雷暴",
    },
    picture="图片",
    figure="图表",
    open_large="放大",
    download="下载",
    close="关闭",
    table="表格",
    row="共 {total} 行",
    rows="共 {total:,} 行",
    first_rows="前 {shown:,} 行，共 {total:,} 行",
    download_rows="下载为 CSV",
    version="第 {version} 版",
    kinds={
        "application/json": "JSON",
        "application/pdf": "PDF",
        "application/zip": "ZIP 压缩包",
        "image/png": "PNG 图片",
        "image/jpeg": "JPEG 图片",
        "image/svg+xml": "SVG 图形",
        "text/csv": "CSV 表格",
        "text/html": "网页",
        "text/markdown": "Markdown",
        "text/plain": "文本",
        "text/x-python": "Python",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel 工作簿",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word 文档",
    },
    any_kind="{ending} 文件",
    no_kind="文件",
    preview="开头几行",
    source="来源 {number}：{title}",
    sources="来源",
    page_read="已阅读的网页",
    search_hit="搜索结果",
    open_page="打开网页",
)
