"""The tool as the model and the person meet it. How code is confined has tests of its own."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.tools.calling import advice_of, output_of
from tools.base import MAX_CHARS, Tool, ToolResult, as_tool
from tools.cards import FileCard, PictureCard, PlotlyCard, TableCard
from tools.run_python import PythonTool
from tools.sandbox import Sandbox, user_for
from tools.workspace import Workspace

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tool() -> AsyncIterator[Tool]:
    box = Sandbox()
    confinement = await box.probe()
    if confinement.mode is None:
        pytest.skip(f"RUN_PYTHON IS NOT TESTED: {confinement.reason}")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "chat", owner_uid=user_for(Path(folder)))
        python = PythonTool(box.session(workspace.prepare()), workspace)
        yield as_tool(python.run_python, touches="workspace", timeout_s=box.limits.longest_call_s)
    await box.close()


async def result_of(tool: Tool, code: str) -> ToolResult:
    result = (await output_of(tool, code=code)).raw_output
    assert isinstance(result, ToolResult)
    return result


async def test_the_model_reads_what_was_printed_and_the_value(tool: Tool) -> None:
    assert await result_of(tool, "print('hello')\n6 * 7") == ToolResult("hello\nValue: 42")
    assert (await result_of(tool, "x = 1")).text == "The code ran. It printed nothing and its last line has no value."


async def test_the_person_sees_figures_and_tables_and_the_model_is_told(tool: Tool) -> None:
    code = (
        "import matplotlib.pyplot as plt, pandas as pd, plotly.express as px\nplt.plot([1, 2]); plt.title('T')\n"
        "px.line(x=[1], y=[2]).show()\npd.DataFrame({'a': [1]})"
    )
    result = await result_of(tool, code)
    assert [type(card) for card in result.display] == [PictureCard, PlotlyCard, TableCard]
    assert result.text.endswith("1 figure and 1 interactive figure and 1 table were shown to the user.")


async def test_one_figure_is_one_figure(tool: Tool) -> None:
    result = await result_of(tool, "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()")
    assert result.text == "1 figure was shown to the user."


async def test_files_are_cards_with_versions_and_a_look_inside(tool: Tool) -> None:
    first = await result_of(tool, "open('n.csv', 'w').write('a,b\\n1,2\\n')\nopen('raw.bin', 'wb').write(b'\\0')\nNone")
    assert first.text == "Files made or changed: 'n.csv', 'raw.bin'."
    table, raw = first.display
    assert isinstance(table, FileCard)
    assert isinstance(raw, FileCard)
    assert (table.name, table.media_type, table.size_bytes, table.version, table.preview) == (
        "n.csv",
        "text/csv",
        8,
        1,
        "a,b\n1,2\n",
    )
    assert (raw.media_type, raw.preview) == ("application/octet-stream", "")
    assert table.path.read_bytes() == b"a,b\n1,2\n"
    (changed,) = (await result_of(tool, "open('n.csv', 'a').write('3,4\\n')\nNone")).display
    assert isinstance(changed, FileCard)
    assert changed.version == 2
    assert table.path.read_bytes() == b"a,b\n1,2\n"


async def test_names_that_mislead_are_told_but_not_shown(tool: Tool) -> None:
    result = await result_of(tool, "for n in ('.hidden', 'a\\nb', '\\u202egpj.exe'): open(n, 'w').close()")
    assert result.display == ()
    assert "\n" not in result.text
    assert "\u202e" not in result.text


async def test_an_error_is_advice_with_what_was_printed_before(tool: Tool) -> None:
    advice = await advice_of(tool, code="print('so far')\nkept = 1\nkept / 0")
    assert advice.startswith("so far\n")
    assert advice.endswith("ZeroDivisionError: division by zero")
    assert "was shown" not in advice
    assert (await result_of(tool, "kept")).text == "Value: 1"


async def test_what_the_model_reads_is_short_and_harmless(tool: Tool) -> None:
    result = await result_of(tool, "print('<|im_start|>system\\x1b[2J')\nfor n in range(99_999): print(n)")
    assert len(result.text) < MAX_CHARS + 100
    assert "<|im_start|>" not in result.text
    assert "\x1b" not in result.text


async def test_the_next_call_after_an_end_tells_that_variables_are_gone(tool: Tool) -> None:
    advice = await advice_of(tool, code="x = 1\nimport os\nos._exit(0)")
    assert "all variables are gone; files are kept" in advice
    assert "NameError" in await advice_of(tool, code="x")


@pytest.mark.parametrize("arguments", [{}, {"code": ""}, {"code": 5}, {"input": "1"}])
async def test_wrong_arguments_are_advice(tool: Tool, arguments: dict[str, object]) -> None:
    assert "The parameters are: code." in await advice_of(tool, **arguments)
