"""`query_data`: what can be asked of which file, and what hostile SQL and hostile files come to."""

import asyncio
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.tools import sample_files as samples
from tests.tools.calling import advice_of, output_of, text_of
from tests.tools.processes import children, new_child
from tools.base import MAX_CHARS, Tool, as_tool
from tools.cards import TableCard
from tools.data.queries import query
from tools.data.sources import opened_tables
from tools.data.table_names import first_free, identifier
from tools.query_data import DataTool
from tools.workspace import Workspace

SALES = "city,amount,when\nParis,12.5,2024-01-02\nOslo,,2024-02-03\nParis,7.5,2024-03-01\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(tmp_path)  # where DuckDB spills to
    return Workspace(tmp_path / "chat")


@pytest.fixture
def tool(workspace: Workspace) -> Tool:
    return as_tool(DataTool(workspace).query_data, touches="workspace", timeout_s=40)


@pytest.fixture
def sales(workspace: Workspace) -> None:
    workspace.write("sales.csv", SALES.encode())


async def asked(workspace: Workspace, sql: str) -> dict[str, Any]:
    """Without the process of its own, which most cases do not need."""
    async with opened_tables(workspace) as sources:
        return query(sql, sources)


def lines_of(found: dict[str, Any]) -> str:
    return "\n".join(" | ".join("NULL" if cell is None else str(cell) for cell in row) for row in found["rows"])


KINDS = [
    ("a.csv", samples.CHINESE_CSV.encode(), "select sum(人口) from a", "4676"),
    ("a.csv", samples.CHINESE_CSV.encode("gb18030"), "select 城市 from a where 人口 > 2200", "上海"),
    ("a.csv", samples.CHINESE_CSV.encode("utf-16"), "select max(日期) from a", "2024-02-03"),
    ("a.csv", "\ufeff".encode() + samples.CHINESE_CSV.encode(), "select 城市 from a limit 1", "北京"),
    ("a.csv", b"x;y\n1;2,5\n3;-1.204,5\n", "select count(*), sum(y) from a", "2 | -1202.0"),
    ("a.csv", b"x;y\n1;a,b\n3;4,5\n", "select y from a where x = 3", "4,5"),
    ("semi.csv", b"a\n1\n", "select a from semi_csv", "1"),
    ("a.csv", b"k,n\nx,1\ny,2\n", "pivot a on k using sum(n)", "1 | 2"),
    ("a.csv", b"t\n2024-01-01 10:00:00+02\n", "select count(*) from a where t < now()", "1"),
    ("a.tsv", b"x\ty\n1\t2\n", "select x + y from a", "3"),
    ("a.csv", b'x,y\n1,"two\nlines"\n2,"a ""quote"""\n', "select y from a where x = 2", 'a "quote"'),
    ("a.csv", b"x,y\n1,2\n3\n4,5,6\n7,8\n", "select count(*) from a", "4"),
    ("a.csv", b"\n".join([b"n", *[b"1"] * 50_000, b"text"]), "select count(*) from a where n = 'text'", "1"),
    ("2024 Sales-data.csv", b"a\n1\n", "select a from t_2024_Sales_data", "1"),
    ("order.csv", b"a\n1\n", 'select a from "order"', "1"),
    ("sub/a.csv", b"a\n1\n", "select a from 'sub/a.csv'", "1"),
    ("a.json", b'[{"n": 1, "deep": {"x": [1, 2]}}, {"n": 2}]', "select deep.x[2] from a where n = 1", "2"),
    ("a.jsonl", b'{"n": 1}\n{"n": 2}\n', "select sum(n) from a", "3"),
    ("a.parquet", samples.parquet("select range as n from range(1000)"), "select sum(n) from a", "499500"),
    ("a.xlsx", samples.workbook(One=[["n", "名"], [1, "王"], [2, "李"]]), "select 名 from a where n = 2", "李"),
    ("a.xlsx", samples.workbook(One=[["n"], [1]]), "select n from one", "1"),
    ("a.xlsx", samples.workbook(One=[["n"], [1]], 客户=[["m"], [5]]), "select m from 客户", "5"),
    ("a.xlsx", samples.workbook(A=[["Report of May"], [], ["id", "code"], [1, "007"]]), "select code from a", "007"),
    ("a.xlsx", samples.workbook(A=[["n", "n", None], [1, 2, 3]]), "select n + n_2 + column_3 from a", "6"),
    ("a.xlsx", samples.workbook(A=[["x"], [1], ["text"], [2.5]]), "select x from a", "1\ntext\n2.5"),
    ("a.db", samples.sqlite_file("create table t(a, b); insert into t values (1, 'x')"), "select b from t", "x"),
    ("a.db", samples.sqlite_file("pragma journal_mode = wal; create table t(a)"), "select count(*) from t", "0"),
    ("a.db", samples.sqlite_file('create table "odd name"(a)'), 'select count(*) from "odd name"', "0"),
    ("sales.csv", SALES.encode(), "describe sales", "amount | DOUBLE"),
    ("sales.csv", SALES.encode(), "show tables", "sales"),
    ("sales.csv", SALES.encode(), "SUMMARIZE SALES", "amount | DOUBLE"),
    ("sales.csv", SALES.encode(), "with x as (from sales) select sum(amount) from x -- all of it", "20.0"),
    ("sales.csv", SALES.encode(), "select * from sales where amount is null;", "Oslo | NULL"),
]


@pytest.mark.parametrize(("name", "content", "sql", "expected"), KINDS)
async def test_every_kind_of_table_can_be_asked(
    workspace: Workspace, name: str, content: bytes, sql: str, expected: str
) -> None:
    workspace.write(name, content)
    assert expected in lines_of(await asked(workspace, sql))


async def test_people_get_a_table_and_the_model_its_beginning(tool: Tool, workspace: Workspace) -> None:
    lines = "".join(f"{number},name {number}\n" for number in range(12_345))
    workspace.write("big.csv", f"id,name\n{lines}".encode())
    output = await output_of(tool, sql="select * from big order by id", title="All names")
    (card,) = output.raw_output.display
    assert isinstance(card, TableCard)
    assert (card.title, card.columns, card.total_rows) == ("All names", ("id", "name"), 12_345)
    assert card.rows[:2] == ((0, "name 0"), (1, "name 1"))
    assert len(card.rows) == 200
    assert output.content.startswith("id | name\n")
    assert output.content.endswith("[first 50 of 12,345 rows]")


async def test_wide_answers_are_clipped_with_a_mark(tool: Tool, sales: None) -> None:
    text = await text_of(tool, sql="select repeat('x', 100000) as a, i from range(30) t(i)")
    assert len(text) < MAX_CHARS
    assert "of 30 rows]" in text


async def test_columns_that_are_left_out_are_told_of(tool: Tool, sales: None) -> None:
    columns = ", ".join(f"{number} as c{number}" for number in range(150))
    assert (await text_of(tool, sql=f"select {columns}")).endswith("[and 50 more columns]")


async def test_tables_of_several_files_can_be_joined(tool: Tool, workspace: Workspace, sales: None) -> None:
    workspace.write("people.json", b'[{"name": "Ann", "city": "Paris"}]')
    text = await text_of(tool, sql="select p.name, sum(s.amount) from sales s join people p using (city) group by all")
    assert "Ann | 20.0" in text


async def test_cells_are_what_every_page_can_show(tool: Tool, sales: None) -> None:
    values = "1.50::decimal(9,2) a, 12345678901234567890::hugeint b, 'nan'::double c, [1, 2] d, 'x'::blob e, true f"
    output = await output_of(tool, sql=f"select {values}, date '2024-01-02' g, null h, {{'k': '城'}} i")
    (row,) = output.raw_output.display[0].rows
    assert row == (1.5, "12345678901234567890", "nan", "[1, 2]", "1 bytes", True, "2024-01-02", None, '{"k": "城"}')
    json.dumps(row, allow_nan=False)


async def test_two_files_of_one_name_are_two_tables(tool: Tool, workspace: Workspace) -> None:
    workspace.write("a.csv", b"n\n1\n")
    os.utime(workspace.prepare() / "a.csv", (1, 1))
    workspace.write("a.json", b'[{"n": 2}]')
    assert "1" in (await text_of(tool, sql="select n from a")).split()
    assert "2" in (await text_of(tool, sql="select n from a_json")).split()
    assert "2" in (await text_of(tool, sql="select n from 'a.json'")).split()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select nothing from sales", "sales (city VARCHAR, amount DOUBLE, when DATE)"),
        ("select * from sale", "sales (city VARCHAR, amount DOUBLE, when DATE)"),
        ("selec 1", "syntax error"),
        ("select 1; select 2", "one statement"),
        ("", "at least 1 character"),
        ("-- nothing", "one statement"),
        ("select nofunction(1) from sales", "nofunction"),
    ],
)
async def test_an_error_is_advice_that_names_the_tables(tool: Tool, sales: None, sql: str, expected: str) -> None:
    advice = await advice_of(tool, sql=sql)
    assert expected in advice
    assert "Traceback" not in advice


async def test_all_tables_are_listed_whatever_they_are_called(tool: Tool, workspace: Workspace, sales: None) -> None:
    workspace.write("tab.csv", b"a\n1\n")
    assert (await text_of(tool, sql="show tables")).splitlines()[2:] == ["sales", "tab", "[2 rows]"]


async def test_a_moment_in_time_is_shown_from_behind_the_walls(tool: Tool, sales: None) -> None:
    assert "2024-05-01 10:00:00" in await text_of(
        tool, sql="select timestamptz '2024-05-01 10:00:00+00' as t from sales"
    )


async def test_without_tables_the_advice_is_to_ask_for_one(tool: Tool, workspace: Workspace) -> None:
    workspace.write("notes.txt", b"x")
    assert "no tables" in await advice_of(tool, sql="select 1")


REACHING_OUT = [
    "select * from read_csv('{secret}')",
    "select * from read_text('{secret}')",
    "select * from read_blob('{folder}/*')",
    "from '{secret}'",
    "select * from glob('{folder}/*')",
    "from sniff_csv('{secret}')",
    "select * from read_json_auto('{secret}')",
    "select * from parquet_metadata('{secret}')",
    "select * from read_text('/dev/fd/0')",
    "select * from read_text('/proc/self/environ')",
    "select * from read_csv('https://example.org/a.csv')",
    "select * from read_csv('s3://bucket/a.csv')",
    "copy sales to '{folder}/out.csv'",
    "copy (select 1) to '{folder}/out.parquet'",
    "export database '{folder}/out'",
    "import database '{folder}'",
    "attach '{folder}/out.db'",
    "attach '{secret}' as s (type sqlite)",
    "install httpfs",
    "load httpfs",
    "load '{folder}/x.duckdb_extension'",
    "force install spatial from 'http://example.org'",
    "set enable_external_access = true",
    "set global allowed_directories = ['/']",
    "reset enable_external_access",
    "set memory_limit = '100GB'",
    "pragma enable_profiling; pragma profiling_output = '{folder}/out'",
    "set secret_directory = '{folder}'",
    "create secret s (type s3, key_id 'a', secret 'b')",
    "create table x as select 1",
    "insert into sales values ('x', 1, null)",
    "update sales set amount = 0",
    "delete from sales",
    "drop table sales",
    "create macro f() as 1",
    "checkpoint",
    "call force_checkpoint()",
    "prepare p as select 1",
    "explain analyze copy sales to '{folder}/out.csv'",
    "select getenv('PATH')",
    "select * from query('copy sales to ''{folder}/out.csv''')",
    "select * from query_table('{secret}')",
    "with x as materialized (select * from read_text('{secret}')) select * from x",
]


@pytest.mark.parametrize("sql", REACHING_OUT)
async def test_hostile_sql_reaches_nothing(workspace: Workspace, tmp_path: Path, sales: None, sql: str) -> None:
    """By DuckDB's own lock alone: without the process and its fence."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.csv").write_text("canary-7f3a\n1\n")
    filled = sql.replace("{secret}", str(folder / "secret.csv")).replace("{folder}", str(folder))
    found = await asked(workspace, filled)
    assert found["error"]
    assert "canary" not in str(found)
    assert [path.name for path in folder.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    "sql",
    ["from duckdb_settings()", "from duckdb_databases()", "from pragma_database_list"],
)
async def test_the_database_knows_no_path_of_the_server(workspace: Workspace, sales: None, sql: str) -> None:
    shown = str(await asked(workspace, sql))
    assert "settings" in shown or "memory" in shown
    assert not re.search(r"/(?:root|home|Users|etc)\b", shown)


EXHAUSTING = [
    "select count(*) from range(1000000000000)",
    "with recursive t as (select 1 i union all select i + 1 from t) select count(*) from t",
    "select count(*) from range(1000000) a, range(1000000) b, range(1000000) c where a.range + b.range < c.range",
    "select string_agg(a.range::text || b.range) from range(100000) a, range(100000) b",
    "select repeat('x', 2000000000)",
    "select list(i) from range(1000000000) t(i)",
    "select * from range(1000000000) t(i) order by hash(i)",
    "select " + "(" * 5_000 + "1" + ")" * 5_000,
    "select regexp_matches(repeat('a', 100000), '(a+)+(a+)+$b')",
]


@pytest.mark.parametrize("sql", EXHAUSTING)
async def test_a_bomb_is_stopped_and_the_server_goes_on(workspace: Workspace, sales: None, sql: str) -> None:
    quick = as_tool(DataTool(workspace, timeout_s=2).query_data, touches="workspace", timeout_s=20)
    call = asyncio.create_task(quick.acall(sql=sql))
    blocked = list[float]()
    began = time.monotonic()
    while not call.done():
        turn_began = time.monotonic()
        await asyncio.sleep(0.01)
        blocked.append(time.monotonic() - turn_began)
    assert time.monotonic() - began < 15
    assert max(blocked) < 0.5
    assert call.exception() or len(call.result().content) < MAX_CHARS


async def test_an_endless_answer_is_shown_from_its_beginning(tool: Tool, sales: None) -> None:
    text = await text_of(tool, sql="select * from range(1000000000000)")
    assert "0\n1\n2\n" in text


async def test_a_cancelled_question_ends_at_once_and_so_does_its_process(tool: Tool, sales: None) -> None:
    before = children()
    call = asyncio.create_task(tool.acall(sql="select count(*) from range(1000000000000)"))
    await new_child(before)
    cancelled_at = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - cancelled_at < 1
    assert not children() - before


HOSTILE_FILES = [
    ("a.csv", b'"' + b"x" * 2_000_000),
    ("a.csv", b"a,b\n" + b"," * 200_000 + b"\n"),
    ("a.json", b"[" * 50_000),
    ("a.json", b'{"a":' * 20_000 + b"1" + b"}" * 20_000),
    ("a.parquet", b"PAR1" + bytes(2_000) + b"\xff\xff\xff\x7fPAR1"),
    ("a.xlsx", samples.with_entry(samples.workbook(A=[["x"]]), "xl/big.xml", bytes(300_000_000))),
    ("a.db", samples.sqlite_file("create view v as select 1; create virtual table f using fts5(x)")),
    ("a.db", samples.sqlite_file("create table t(a)").replace(b"CREATE TABLE t(a)", b"CREATE TABLE t(a ")),
]


@pytest.mark.parametrize(("name", "content"), HOSTILE_FILES)
async def test_a_hostile_file_spoils_no_other(
    tool: Tool, workspace: Workspace, sales: None, name: str, content: bytes
) -> None:
    workspace.write(name, content)
    assert "20.0" in await text_of(tool, sql="select sum(amount) from sales")


async def test_links_among_the_tables_are_passed_over(tool: Tool, workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("canary\n1\n")
    workspace.write("a.csv", b"n\n1\n")
    (workspace.prepare() / "link.csv").symlink_to(tmp_path / "secret.csv")
    os.mkfifo(workspace.prepare() / "pipe.csv")
    assert "canary" not in await advice_of(tool, sql="select * from link")
    assert (await text_of(tool, sql="show tables")).split() == ["name", "----", "a", "[1", "row]"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("sales", "sales"),
        ("销售 2024", "销售_2024"),
        ("2024", "t_2024"),
        ("a-b.c", "a_b_c"),
        ("", "table"),
        ("!!!", "table"),
        ('x"; drop', "x_drop"),
        ("é" * 99, "é" * 60),
    ],
)
def test_a_table_is_called_by_plain_words(words: str, name: str) -> None:
    assert identifier(words) == name


def test_a_name_is_given_only_once() -> None:
    assert first_free(["a", "a_csv"], taken=[]) == "a"
    assert first_free(["A", "a_csv"], taken=["a"]) == "a_csv"
    assert first_free(["a"], taken=["a", "a_2"]) == "a_3"
