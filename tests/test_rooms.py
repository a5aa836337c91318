"""The rooms of the house: each imports only from those above it in the list."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import s2sad

PACKAGE = Path(s2sad.__file__).parent
ROOMS = (
    *("errors", "ir", "ops", "rules", "analysis", "frontend", "transform"),
    *("optimise", "codegen", "compiler", "derivatives", "api", "cli"),
)
"""From the ground up."""
STILL_UP = {
    ("frontend", "transform"): 26,
    ("frontend", "codegen"): 4,
    ("transform", "optimise"): 3,
    ("transform", "compiler"): 1,
    ("codegen", "compiler"): 7,
}
"""Imports that go up, of which there may only be fewer."""


def imported(path: Path) -> Iterator[str]:
    """The rooms that a file imports from, also inside functions and for types."""
    for node in ast.walk(ast.parse(path.read_text())):
        modules = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [node.module or ""]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        for module in modules:
            package, _, rest = module.partition(".")
            if package == "s2sad" and rest:
                yield rest.partition(".")[0]


def upward_imports() -> Counter[tuple[str, str]]:
    """How many imports go up, by the room and that which it imports from."""
    found: Counter[tuple[str, str]] = Counter()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in ROOMS:
            continue
        for other in imported(path):
            if other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                found[room, other] += 1
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_new_goes_up(room):
    up = {pair: n for pair, n in upward_imports().items() if pair[0] == room}
    allowed = {pair: n for pair, n in STILL_UP.items() if pair[0] == room}
    assert up == allowed, "fewer are better: then let STILL_UP say so"


def test_operations_know_only_the_ir():
    rooms = {r for p in (PACKAGE / "ops").rglob("*.py") for r in imported(p)}
    assert rooms <= {"ir", "ops"}
