"""The rooms of the house: each imports only from those above it in the list."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import s2sad

PACKAGE = Path(s2sad.__file__).parent
ROOMS = (
    *("errors", "ir", "ops", "rules", "custom", "checkpoints", "shaping"),
    *(
        "analysis",
        "optim",
        "equations",
        "source",
        "frontend",
        "transform",
        "optimise",
        "codegen",
    ),
    *("compiler", "dispatch", "floating_errors", "user_tracebacks", "transpile"),
    *("derivatives", "sparse", "graphs", "api", "implicit", "rule", "testing"),
    *("_working_folder", "s2sad", "coverage", "cli", "__main__"),
)
"""From the ground up. ``s2sad`` is the package itself, which has the names of users."""
MOST = 16
"""Files of a folder, with its docstring."""
MODULES = {
    ".".join(("s2sad", *path.relative_to(PACKAGE).with_suffix("").parts)): path
    for path in PACKAGE.rglob("*.py")
}


def room_of(module: str) -> str:
    """The room that a module stands in."""
    parts = module.removesuffix(".__init__").split(".")
    return parts[1] if len(parts) > 1 else "s2sad"


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, also inside functions and for types."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = path.relative_to(PACKAGE.parent).parts[: -node.level]
                base = ".".join((*package, *filter(None, [base])))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                is_module = inner in MODULES or f"{inner}.__init__" in MODULES
                yield inner if is_module else base
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@functools.cache
def own_imports(path: Path) -> set[str]:
    return {m for m in imported(path) if m.partition(".")[0] == "s2sad"}


def test_all_rooms_are_listed():
    assert {room_of(module) for module in MODULES} == set(ROOMS)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("room", ROOMS)
def test_nothing_goes_up(room):
    above = ROOMS[ROOMS.index(room) + 1 :]
    up = [
        f"{module} imports {other}"
        for module, path in MODULES.items()
        for other in own_imports(path)
        if room_of(module) == room and room_of(other) in above
    ]
    assert up == []


def test_operations_know_only_the_ir():
    files = (PACKAGE / "ops").rglob("*.py")
    rooms = {room_of(module) for path in files for module in own_imports(path)}
    assert rooms <= {"ir", "ops"}


def test_folders_are_small_and_say_what_belongs_there():
    folders: dict[Path, int] = {}
    for path in MODULES.values():
        folders[path.parent] = folders.get(path.parent, 0) + 1
    assert {str(f): n for f, n in folders.items() if n > MOST} == {}
    for folder in folders:
        tree = ast.parse((folder / "__init__.py").read_text())
        assert ast.get_docstring(tree), folder


def test_the_page_of_the_design_names_files_that_exist():
    page = PACKAGE.parent / "docs" / "design.md"
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text()))
    folders = [PACKAGE, *(page.parents[1] / name for name in ("tests", "benchmarks"))]
    there = [f"/{p.as_posix()}" for folder in folders for p in folder.rglob("*.py")]
    assert len(named) > 50
    assert {n for n in named if not any(t.endswith(f"/{n}") for t in there)} == set()


def test_no_file_joins_a_circle():
    graph: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        name = module.removesuffix(".__init__")
        graph[name] = {m for m in own_imports(path) if m != name}
    names = set(graph)
    reached: dict[str, set[str]] = {}
    for start in names:
        seen, waiting = set(), [start]
        while waiting:
            fresh = (graph[waiting.pop()] & names) - seen
            seen |= fresh
            waiting += fresh
        reached[start] = seen
    assert {name for name in names if name in reached[name]} == set()
