"""One chat's Python: runs a piece of code in the variables of the pieces before it, as a notebook does."""

import ast
import importlib
import inspect
import linecache
import re
import sys
import traceback
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from tools.sandbox.inside.attempt import Attempt
from tools.sandbox.inside.figures import close_figures, prepare_fonts, prepare_pyplot, take_figures
from tools.sandbox.inside.gallery import Gallery
from tools.sandbox.inside.hints import hint_for
from tools.sandbox.inside.imports import prepare_after_import
from tools.sandbox.inside.plots import is_plot, prepare_plotly, take_plot
from tools.sandbox.inside.tables import frame_from, table_from

_MOST_FRAMES = 6
_MAGIC = re.compile(r"([ \t]*)[%!](?=[a-zA-Z%!])")
"""How commands begin that only notebooks know: `%matplotlib inline`, `!pip install`."""
_NO_MAGIC = "Lines that begin with % or ! were left out: such commands do not exist here, and nothing can be installed."
_DEEPEST_DRAWING = 8
"""What drawing calls return is nested no deeper; a list may hold itself."""


class Notebook:
    """The variables of a chat, and the way to run code in them."""

    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars
        self._calls = 0
        self._gallery = Gallery()
        self._runner: Any = None
        self._module = ModuleType("__main__")
        self._module.__dict__["display"] = self._display
        sys.modules["__main__"] = self._module
        prepare_after_import(
            {
                "matplotlib.pyplot": lambda module: prepare_pyplot(module, lambda: self._gallery),
                "matplotlib.font_manager": prepare_fonts,
                "plotly.basedatatypes": lambda module: prepare_plotly(module, lambda: self._gallery),
            }
        )

    def offer(self, function: Callable[..., object]) -> None:
        """Let the code use a function under its own name."""
        self._variables()[function.__name__] = function

    def run(self, code: str) -> dict[str, Any]:
        """Run it and say what came of it: the report, less its token."""
        self._gallery = Gallery()
        known = {id(value) for value in self._variables().values() if is_plot(value)}
        value = None
        with Attempt() as attempt:
            value = self._shown(*self._evaluate(code))
            self._take_new_plots(known)
            take_figures(self._gallery)
        error = None
        if attempt.error is not None:
            error = self._explained(attempt.error)
            with Attempt():
                close_figures()
        return self._report(value, error) | {
            "out_of_memory": isinstance(attempt.error, MemoryError),
            "half_imported": isinstance(attempt.error, KeyboardInterrupt) and _was_importing(attempt.error),
        }

    def _report(self, value: str | None, error: str | None) -> dict[str, Any]:
        gallery = self._gallery
        notes = list(gallery.notes)
        if gallery.left_out:
            notes.append(f"{gallery.left_out} more were made than can be shown at once, and left out.")
        return {
            "value": value,
            "error": error,
            "pictures": gallery.pictures,
            "plots": gallery.plots,
            "tables": gallery.tables,
            "notes": notes,
        }

    def _variables(self) -> dict[str, Any]:
        return self._module.__dict__

    def _evaluate(self, code: str) -> tuple[Any, str]:
        """The last expression's value, with the name of the variable that it is, or nothing."""
        self._calls += 1
        name = f"<call {self._calls}>"
        tree = self._parsed(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self._value_of(compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        if not isinstance(last, ast.Expr):
            return None, ""
        expression = compile(ast.Expression(last.value), name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        return self._value_of(expression), last.value.id if isinstance(last.value, ast.Name) else ""

    def _value_of(self, code: CodeType) -> Any:
        """Run it; with `await` outside of functions in one loop, which a chat keeps as it does its variables."""
        value = eval(code, self._variables())  # noqa: S307  # what this process is for
        if not code.co_flags & inspect.CO_COROUTINE:
            return value
        if self._runner is None:
            self._runner = importlib.import_module("asyncio").Runner()  # late, as it takes longer than all the rest
        return self._runner.run(value)

    def _parsed(self, code: str, name: str) -> ast.Module:
        """The code without the lines at which Python stumbles because they are a notebook's commands."""
        lines = code.splitlines(keepends=True)
        linecache.cache[name] = (len(code), None, list(lines), name)
        while True:
            try:
                return ast.parse("".join(lines), name)
            except SyntaxError as error:
                at = (error.lineno or 0) - 1
                magic = _MAGIC.match(lines[at]) if at in range(len(lines)) else None
                if magic is None:
                    raise
                lines[at] = f"{magic[1]}pass\n"
                self._gallery.note(_NO_MAGIC)

    def _shown(self, value: Any, name: str) -> str | None:
        """Show the value as what it is; its text, for the model."""
        if value is None or _is_drawing(value):
            return None
        if is_plot(value):
            take_plot(value, self._gallery)
            return None
        frame = frame_from(value)
        if frame is None:
            return self._clipped(repr(value))
        self._gallery.add_table(table_from(frame, name))
        rows, columns = frame.shape
        return self._clipped(f"{frame.to_string(max_rows=12, max_cols=12)}\n[{rows} rows x {columns} columns]")

    def _display(self, *values: Any) -> None:
        """What notebooks call `display`."""
        for value in values:
            text = self._shown(value, "")
            if text is not None:
                sys.stdout.write(f"{text}\n")

    def _take_new_plots(self, known: set[int]) -> None:
        if self._gallery.plots:
            return
        for value in list(self._variables().values()):
            if is_plot(value) and id(value) not in known:
                take_plot(value, self._gallery)

    def _clipped(self, text: str) -> str:
        return text if len(text) <= self._max_chars else f"{text[: self._max_chars]} …"

    def _explained(self, error: BaseException) -> str:
        """The error in the code's own lines, without those of libraries and of this program."""
        text = type(error).__name__
        with Attempt():
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if self._is_own(frame.filename)]
            lines = traceback.StackSummary.from_list(frames[-_MOST_FRAMES:]).format()
            text = "".join([*lines, *traceback.format_exception_only(type(error), error)]).rstrip()
        return self._clipped(text) + hint_for(error)

    def _is_own(self, filename: str) -> bool:
        return filename.startswith(("<call ", sys.path[-1]))


def _was_importing(error: BaseException) -> bool:
    """Whether it went through an import: a library that was interrupted there is half loaded, and stays so."""
    return any("importlib" in frame.filename for frame in traceback.extract_tb(error.__traceback__))


def _is_drawing(value: Any) -> bool:
    """What drawing calls return: parts of a figure, which say nothing as text."""
    some = value
    for _ in range(_DEEPEST_DRAWING):
        if isinstance(some, list | tuple) and some:
            some = some[0]
    if type(some).__module__ == "numpy" and getattr(some, "size", None) and some.dtype.hasobject:
        some = some.flat[0]
    return type(some).__module__.startswith(("matplotlib.", "seaborn."))
