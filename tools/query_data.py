"""The tool `query_data`: SQL on the tables among the files of one chat."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from tools.base import Line, ToolError, ToolResult
from tools.cards import TableCard
from tools.data.process import ask_reader
from tools.data.refusals import words_for
from tools.data.sources import opened_tables
from tools.data.unreadable import Unreadable
from tools.workspace import Workspace

_TIMEOUT_S = 25.0
_MAX_TEXT_CHARS = 5_000
_MAX_TEXT_ROWS = 50
_MAX_TABLES_CHARS = 2_500
_ASK_FOR_LESS = "Ask for less: filter, aggregate, join on a key."


class DataTool:
    """The tables of one workspace."""

    def __init__(self, workspace: Workspace, *, timeout_s: float = _TIMEOUT_S) -> None:
        self._workspace = workspace
        self._timeout_s = timeout_s

    async def query_data(
        self,
        sql: Annotated[Line, Field(description="One SELECT in DuckDB's SQL, such as: SELECT city, sum(n) FROM sales")],
        title: Annotated[str, Field(description="A few words that say what the answer shows, as its heading.")] = "",
    ) -> ToolResult:
        """Ask the tables of this chat in SQL (DuckDB): CSV, Excel, Parquet, JSON and SQLite files.

        A table is called as its file without the ending (sales.csv: sales), as the sheet in a workbook of several, as
        in the database in SQLite. SHOW TABLES lists them, DESCRIBE sales tells the columns. Nothing is changed; no
        other files, no network. Quote unusual names: "unit price".
        """
        async with opened_tables(self._workspace) as sources:
            if not sources:
                raise ToolError("The chat has no tables. Ask the user for a CSV, Excel, Parquet, JSON or SQLite file.")
            try:
                found = await _asked(sql, sources, timeout_s=self._timeout_s)
            except Unreadable as fault:
                raise ToolError(_unanswered(fault)) from None
        if "error" in found:
            raise ToolError(_advice(found))
        return ToolResult(_text(found), (_card(found, title.strip() or sql),))


async def _asked(sql: str, sources: Sequence[dict[str, Any]], *, timeout_s: float) -> dict[str, Any]:
    descriptors = [source["descriptor"] for source in sources]
    found: dict[str, Any] = await ask_reader("query", descriptors, timeout_s=timeout_s, sql=sql, sources=sources)
    return found


def _unanswered(fault: Unreadable) -> str:
    if fault.reason == "too_slow":
        return f"Not done within {fault.facts['seconds']:g} s, so it was stopped. {_ASK_FOR_LESS}"
    return f"Not done: it takes too much memory, or a file is damaged. {_ASK_FOR_LESS}"


def _advice(found: dict[str, Any]) -> str:
    lines = [f"Not done: {found['error']}", "The tables are:", *map(_table_line, found["tables"])]
    if found["others"]:
        lines.append(f"And, not looked into: {', '.join(found['others'])}.")
    lines += [f"{name} could not be read: {words_for(reason)}." for name, reason in found["unread"].items()]
    return "\n".join(lines)[:_MAX_TABLES_CHARS]


def _table_line(table: dict[str, Any]) -> str:
    columns = ", ".join(" ".join(f"{name} {kind}".split()) for name, kind in table["columns"])
    return f"- {table['name']} ({columns})"[:600]


def _card(found: dict[str, Any], title: str) -> TableCard:
    total = found["total"] if found["total"] is not None else len(found["rows"]) + 1
    rows = tuple(tuple(row) for row in found["rows"])
    return TableCard(title=title[:200], columns=tuple(found["columns"]), rows=rows, total_rows=total)


def _text(found: dict[str, Any]) -> str:
    """The head and as many rows as fit, and a mark that says how many there are."""
    head = _line(found["columns"])
    lines, used = [head, "-" * min(len(head), 60)], len(head)
    for row in found["rows"][:_MAX_TEXT_ROWS]:
        line = _line(row)
        used += len(line) + 1
        if used > _MAX_TEXT_CHARS:
            break
        lines.append(line)
    hidden = found["column_count"] - len(found["columns"])
    more = f" [and {hidden} more columns]" if hidden else ""
    return "\n".join([*lines, _mark(len(lines) - 2, found["total"]) + more])


def _line(cells: Sequence[Any]) -> str:
    return " | ".join("NULL" if cell is None else " ".join(str(cell).split()) for cell in cells)


def _mark(shown: int, total: int | None) -> str:
    if total is None:
        return f"[first {shown} rows of very many]"
    if shown < total:
        return f"[first {shown:,} of {total:,} rows]"
    return f"[{total:,} {'row' if total == 1 else 'rows'}]"
