"""The rules of the house, held by reading the code: arrows, budgets, names, and what is allowed only in one place."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("agents", "llm", "tools", "ui")
SOURCES = [ROOT / "app.py", ROOT / "settings.py", *(p for room in ROOMS for p in sorted((ROOT / room).rglob("*.py")))]
PARSED = {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}
EVERYTHING_OURS = {*ROOMS, "app", "settings", "chainlit"}
FORBIDDEN = {
    "llm": EVERYTHING_OURS - {"llm"},
    "tools": EVERYTHING_OURS - {"tools"},
    "agents": {"ui", "chainlit", "app", "settings"},
    "ui": {"tools", "app", "settings"},
    "settings.py": EVERYTHING_OURS - {"settings"},
}
MAY_ALSO_IMPORT = {
    "llm/doctor/__main__.py": {"settings", "tools"},
    "ui/auth/__main__.py": {"settings"},
    "ui/data_layer/__main__.py": {"settings", "tools"},
}
"""Commands, which nothing imports: they have to look where the app looks."""
STRANGERS = [("agents/react", "agents.native"), ("agents/native", "agents.react"), ("agents/marks", "agents.react")]
"""Rooms that must not know each other: what both agents need lies one floor up."""
PURE_DATA = {"tools.cards", "tools.consent_request"}
BROAD_HANDLERS_ALLOWED = {"ui/session.py": 1, "tools/base.py": 1}
ENVIRONMENT_ALLOWED = {"settings.py"}
NAME_ALLOWED = re.compile(r"app\.py|settings\.py|llm/(client|model_\w+|errors|complaints)\.py|ui/texts/\w+\.py")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines(node: ast.AST) -> int:
    assert isinstance(node, Function | ast.ClassDef)
    return (node.end_lineno or 0) - node.lineno + 1


def functions() -> Iterator[tuple[str, Function]]:
    for path, tree in PARSED.items():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield f"{relative(path)}:{node.lineno} {node.name}", node


def modules_in(tree: ast.Module) -> set[str]:
    """The modules that a module imports from."""
    modules = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
    return modules


def imported(tree: ast.Module) -> set[str]:
    """The rooms that a module imports from; pure data that any room may know is not counted."""
    return {module.split(".")[0] for module in modules_in(tree) - PURE_DATA}


@pytest.mark.parametrize(("room", "stranger"), STRANGERS)
def test_strangers_do_not_know_each_other(room: str, stranger: str) -> None:
    sources = [path for path in SOURCES if relative(path).startswith(f"{room}/")]
    assert sources
    assert [path for path in sources if any(name.startswith(stranger) for name in modules_in(PARSED[path]))] == []


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_imports_follow_the_arrows(path: Path) -> None:
    room = relative(path).split("/")[0]
    forbidden = FORBIDDEN.get(room, set()) - MAY_ALSO_IMPORT.get(relative(path), set())
    assert not imported(PARSED[path]) & forbidden


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_a_file_keeps_its_budget_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= (150 if path.name == "app.py" else 300)
    if text.strip():
        docstring = ast.get_docstring(PARSED[path])
        assert docstring, "a module says what it is for"


def test_functions_keep_their_budget() -> None:
    sizes = {name: lines(node) for name, node in functions()}
    assert {name: size for name, size in sizes.items() if size > 40} == {}
    assert median(sizes.values()) < 10


def test_every_function_says_what_it_returns() -> None:
    assert [name for name, node in functions() if node.returns is None] == []


def test_broad_handlers_stand_only_at_the_two_edges() -> None:
    found: dict[str, int] = {}
    for path, tree in PARSED.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and catches_everything(node):
                found[relative(path)] = found.get(relative(path), 0) + 1
    assert found == BROAD_HANDLERS_ALLOWED


def catches_everything(handler: ast.ExceptHandler) -> bool:
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(n is None or (isinstance(n, ast.Name) and n.id in {"Exception", "BaseException"}) for n in names)


def test_only_the_settings_read_the_environment() -> None:
    readers = {relative(p) for p in SOURCES if re.search(r"os\.environ|os\.getenv|getenv\(", p.read_text("utf-8"))}
    assert readers <= ENVIRONMENT_ALLOWED


def test_the_wire_field_is_known_to_the_client_alone() -> None:
    assert [relative(p) for p in SOURCES if p.parts[-2] != "llm" and "reasoning_content" in p.read_text("utf-8")] == []


def test_a_provider_is_named_only_where_facts_about_it_stand() -> None:
    named = [relative(p) for p in SOURCES if re.search(r"deepseek", p.read_text("utf-8"), re.IGNORECASE)]
    assert [name for name in named if not NAME_ALLOWED.fullmatch(name)] == []


def test_requirements_are_pinned_locked_and_explained() -> None:
    locked = (ROOT / "constraints.txt").read_text("utf-8").lower().replace("_", "-").splitlines()
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text("utf-8").splitlines():
            requirement, _, reason = line.partition("#")
            if requirement.strip():
                assert "==" in requirement
                assert requirement.strip().lower() in locked
                assert reason.strip() or name == "requirements-dev.txt"


def test_no_path_of_a_machine_is_in_the_repository() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    home = re.compile(r"(?<![\w.~-])/(?:home|root|Users|work)/\w+")
    found = [name for name in tracked.split("\n") if name and home.search(text_of(ROOT / name))]
    assert [name for name in found if not name.startswith("tests/")] == []


def text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (UnicodeDecodeError, FileNotFoundError):
        return ""


def test_the_checkers_look_at_every_room() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert {"app.py", "settings.py", *ROOMS} <= set(config["tool"]["mypy"]["files"])
