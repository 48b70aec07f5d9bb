"""Which tool a written name means: close is enough if only one is close, and a wrong tool is worse than none."""

import pytest

from agents.toolbox import Toolbox, ToolSpec

TOOLBOX = Toolbox([ToolSpec(name, "") for name in ("web_search", "read_file", "write_file", "run_python", "get_time")])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("web_search", "web_search"),
        (" `web_search` ", "web_search"),
        ("**web_search**.", "web_search"),
        ("<web_search>", "web_search"),
        ("Web Search", "web_search"),
        ("webSearch", "web_search"),
        ("WEB-SEARCH", "web_search"),
        ("functions.web_search", "web_search"),
        ("default_api:web_search", "web_search"),
        ("tools/web_search", "web_search"),
        ("functions.web_search:0", "web_search"),
        ("mcp__server__web_search", "web_search"),
        ("search", "web_search"),
        ("search_web", "web_search"),
        ("the web_search tool", "web_search"),
        ("python", "run_python"),
        ("run_pyton", "run_python"),
        ("read the file", "read_file"),
    ],
)
def test_one_close_name_is_found(written: str, name: str) -> None:
    spec = TOOLBOX.find(written)
    assert spec is not None
    assert spec.name == name


@pytest.mark.parametrize(
    "written",
    ["", "file", "delete_file", "get", "set_time", "search the web for owls", "搜索", "none", "write", "x" * 500],
)
def test_what_could_be_two_or_none_is_not_guessed(written: str) -> None:
    assert TOOLBOX.find(written) is None
