"""What an import statement means in a module that is read without being executed.

NumPy, SciPy and the standard library are imported for real. Other modules are looked
for as files next to the importing one (its directory, or the directory that holds its
outermost package) and read in turn.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from pathlib import Path

_LIBRARIES = ("numpy", "scipy")
# modules of the standard library that do something visible when imported
_NEVER = frozenset({"antigravity", "this", "idlelib", "turtledemo", "test", "turtle"})
_STDLIB = Path(os.__file__).resolve().parent


def module_name(path: Path) -> tuple[str, Path]:
    """The dotted name of a file and the directory that absolute imports start from."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


def find_file(root: Path, dotted: str) -> Path | None:
    """The file of a module below ``root``; a directory for a namespace package."""
    base = root.joinpath(*dotted.split("."))
    package = base / "__init__.py"
    if package.is_file():
        return package
    file = base.with_name(base.name + ".py")
    if file.is_file():
        return file
    modules = (file for depth in ("*.py", "*/*.py") for file in base.glob(depth))
    return base if any(modules) else None


def real_module(dotted: str, root: Path) -> types.ModuleType | None:
    """The module itself if it is one that may be imported, else None."""
    top = dotted.partition(".")[0]
    if not _may_import(top, root):
        return None
    try:
        return importlib.import_module(dotted)
    except ImportError:
        return None


def _may_import(top: str, root: Path) -> bool:
    if top in sys.builtin_module_names:
        return True
    known = top in sys.stdlib_module_names and top not in _NEVER
    if not known and top not in _LIBRARIES:
        return False
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    origin = spec and spec.origin
    if not origin:
        return False
    if origin in ("built-in", "frozen"):
        return True
    place = Path(origin).resolve()
    if known:
        return place.is_relative_to(_STDLIB) or "lib-dynload" in place.parts
    # a file of the user's that happens to be called so
    return place.parent.parent != root.resolve() and place.parent != root.resolve()
