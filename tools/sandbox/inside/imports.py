"""Prepares a library right after the code has imported it, so that nothing is loaded that the code does not use."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeAlias

Preparation: TypeAlias = Callable[[Any], None]


class AfterImport:
    """A finder of modules that calls `preparations[name](module)` once the module of that name is loaded."""

    def __init__(self, preparations: dict[str, Preparation]) -> None:
        self._pending = preparations

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that others find, with a loader that prepares what it has loaded."""
        prepare = self._pending.pop(name, None)
        spec = importlib.util.find_spec(name) if prepare else None
        if prepare and spec and spec.loader:
            spec.loader = _PreparingLoader(spec.loader, prepare)
        return spec


class _PreparingLoader(Loader):
    def __init__(self, loader: Any, prepare: Preparation) -> None:
        self._loader, self._prepare = loader, prepare

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._prepare(module)


def prepare_after_import(preparations: dict[str, Preparation]) -> None:
    """From now on, modules of these names are prepared as soon as they are loaded."""
    sys.meta_path.insert(0, AfterImport(preparations))
