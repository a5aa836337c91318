"""What a transpiled file can hold by itself: literals, libraries, and modules of the
user's that don't need s2sad."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from s2sad.source.static.imports import find_file, module_name
from s2sad.source.static.module import static_functions

_LITERALS = (int, float, complex, str, bytes, type(None))


def is_literal(value: Any) -> bool:
    """True for what can be written down: numbers, strings, None, tuples of them."""
    if type(value) is tuple:
        return all(map(is_literal, value))
    return type(value) in (bool, *_LITERALS)


def literal(value: Any) -> ast.expr:
    """The expression of a literal value."""
    return ast.parse(repr(value), mode="eval").body


def why_s2sad_is_needed(path: Path) -> str | None:
    """Which import makes a module need s2sad: ``"optim.py imports s2sad"``; None if it
    can be imported without."""
    for file in (path, *imported_files(path)):
        for _, dotted in _imported(file):
            if dotted.partition(".")[0] == "s2sad":
                return f"{file.name} imports s2sad"
    return None


def imported_files(path: Path) -> list[Path]:
    """The user's files that a module imports when it is loaded, also indirectly."""
    found: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        for target, dotted in _imported(waiting.pop()):
            file = find_file(target, dotted) if dotted else None
            if file is not None and file.is_file() and file not in found:
                found[file] = None
                waiting.append(file)
    return list(found)


def _imported(path: Path) -> Iterator[tuple[Path, str]]:
    """The modules that a file imports when it is loaded: where absolute or relative
    names start from, and the dotted name."""
    root = module_name(path)[1]
    waiting: list[ast.AST] = [static_functions(path).file.tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                continue  # run later, if at all
            case ast.If(test=test) if ast.unparse(test).endswith("TYPE_CHECKING"):
                waiting += node.orelse
                continue
            case ast.Import(names=names):
                yield from ((root, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                folder = path.parents[level - 1] if level else root
                yield folder, module or ""
                inner = f"{module}." if module else ""
                yield from ((folder, inner + alias.name) for alias in names)
        waiting += ast.iter_child_nodes(node)


def is_library(value: Any) -> bool:
    """True for a module of NumPy, SciPy or the standard library."""
    return isinstance(value, types.ModuleType) and _is_library(value.__name__)


def _is_library(module: str) -> bool:
    top = module.partition(".")[0]
    return top in ("numpy", "scipy") or top in sys.stdlib_module_names
