"""Small programs that fail in the same way as a large one."""

from __future__ import annotations

import ast
import copy
import re
import time
from collections.abc import Iterator

from tests.fuzz.checking import Outcome, check
from tests.support.compiled import NUMPY

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def shrink(
    text: str,
    seed: int,
    seconds: float = 120.0,
    backend: str = NUMPY,
    outcome: Outcome | None = None,
) -> str:
    """A small program that fails in the same way: statements and operands are left out
    as long as it still does. ``outcome`` is that of the text, if it is known."""
    outcome = outcome or check(text, seed, backend=backend)
    way = way_of(outcome)
    only = derivative_of(outcome)
    end = time.monotonic() + seconds
    rejected: set[str] = set()
    progress = True
    while progress:
        progress = False
        for candidate in smaller(text):
            if candidate in rejected:
                continue
            if time.monotonic() > end:
                return text
            if fails(candidate, seed, only, way, backend):
                text, progress = candidate, True
                break
            rejected.add(candidate)
    return text


def fails(text: str, seed: int, only: str, way: str, backend: str = NUMPY) -> bool:
    """True if a program fails in a given way."""
    try:
        return way_of(check(text, seed, 5, only, backend=backend)) == way
    except Exception:
        return False


def derivative_of(outcome: Outcome) -> str:
    """The derivative that failed, the only one that shows the fault for certain: one
    that is compared before it may be refused, or wrong in its own way."""
    return way_of(outcome).split(":")[0] if outcome.verdict == "wrong" else "vjp"


def way_of(outcome: Outcome) -> str:
    """How a program fails, numbers left out."""
    if outcome.verdict != "wrong":
        return outcome.verdict + re.sub(r"'[^']*'", "...", outcome.detail)
    words = outcome.detail.split(":")
    return ":".join([words[0], *(w for w in words[1:2] if "Error" in w)])


def smaller(text: str) -> Iterator[str]:
    """Smaller programs, the largest cuts first."""
    tree = ast.parse(text)
    for edit in edits(tree):
        changed = copy.deepcopy(tree)
        apply(changed, *edit)
        try:
            candidate = ast.unparse(ast.fix_missing_locations(changed))
            compile(candidate, "<candidate>", "exec")
        except Exception:
            continue
        if len(candidate) < len(text):
            yield candidate


def edits(tree: ast.Module) -> Iterator[tuple]:
    """Cuts: the number of a node, a field, the first and the last item that are
    cut, and what stands there instead."""
    nodes = list(ast.walk(tree))
    for count in (8, 4, 2, 1):
        for number, node in enumerate(nodes):
            for name in BLOCKS:
                block = getattr(node, name, None)
                if not isinstance(block, list):
                    continue
                for start in range(0, len(block), count):
                    part = block[start : start + count]
                    if len(part) == count and not any(map(is_program, part)):
                        yield number, name, start, start + count, []
    for number, node in enumerate(nodes):
        for name in BLOCKS:
            for place, inner in enumerate(blocks_of(node, name)):
                if isinstance(inner, ast.If | ast.For | ast.While | ast.Try | ast.With):
                    yield number, name, place, place + 1, inner.body
                    if getattr(inner, "orelse", None):
                        yield number, name, place, place + 1, inner.orelse
                if isinstance(inner, ast.Match):
                    for case in inner.cases:
                        yield number, name, place, place + 1, case.body
    for number, node in enumerate(nodes):
        for name, value in ast.iter_fields(node):
            if name == "func":
                continue
            values = value if isinstance(value, list) else [value]
            for place, inner in enumerate(values):
                if isinstance(inner, ast.expr) and not isinstance(inner, ast.Name):
                    for instead in operands(inner):
                        yield number, name, place, place + 1, [instead]
    for number, node in enumerate(nodes):
        if isinstance(node, ast.Call | ast.Tuple | ast.List):
            name = "args" if isinstance(node, ast.Call) else "elts"
            for place in range(len(getattr(node, name))):
                yield number, name, place, place + 1, []
        if isinstance(node, ast.comprehension | ast.match_case):
            name = "ifs" if isinstance(node, ast.comprehension) else "guard"
            if getattr(node, name):
                yield number, name, 0, 1, []


def is_program(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "program"


def blocks_of(node: ast.AST, name: str) -> list:
    block = getattr(node, name, None)
    return block if isinstance(block, list) else []


def operands(node: ast.expr) -> Iterator[ast.expr]:
    """What may stand for an expression: a number, or a part of it."""
    if isinstance(node, ast.Constant):
        return
    yield ast.Constant(0.5)
    if isinstance(node, ast.Call):
        yield from node.args
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr):
            yield inner


def apply(
    tree: ast.Module, number: int, name: str, start: int, end: int, instead: list
) -> None:
    """Make one cut."""
    node = list(ast.walk(tree))[number]
    value = getattr(node, name)
    instead = copy.deepcopy(instead)
    if isinstance(value, list):
        value[start:end] = instead
        if not value and name == "body" and not isinstance(node, ast.Module):
            value.append(ast.Pass())
    else:
        setattr(node, name, instead[0] if instead else None)
