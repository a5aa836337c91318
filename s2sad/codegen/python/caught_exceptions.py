"""Exceptions that are read behind the handler that caught them.

Python unbinds the name of ``except ValueError as error`` where the handler ends.
"""

import ast
from collections import Counter
from collections.abc import Collection

from s2sad import ir


def taken(block: ir.Block, function: object) -> tuple[ir.Var | None, ir.Block]:
    """The variable that takes the exception or the manager's value, and what
    follows."""
    match block:
        case (
            ir.Assign(target=ir.Var() as target, value=ir.Apply(function=found)),
            *rest,
        ):
            if found is function:
                return target, tuple(rest)
    return None, block


def read_behind(function: ir.Function) -> frozenset[str]:
    """The exceptions that are read elsewhere than in a handler that caught them."""
    inside: Counter[str] = Counter()
    caught_names: set[str] = set()
    for s in ir.walk(function.body):
        for handler in s.handlers if isinstance(s, ir.Try) else ():
            caught, body = taken(handler.body, ir.caught_exception)
            if caught is not None:
                caught_names.add(caught.name)
                inside[caught.name] += ir.Uses(body).reads[caught.name]
    if not caught_names:
        return frozenset()
    reads = ir.uses_in(function.body).reads
    return frozenset(name for name in caught_names if reads[name] > inside[name])


def handler_lines(
    types: ast.expr | None,
    name: str | None,
    lines: list[ast.stmt],
    behind: bool,
    names: Collection[str],
) -> ast.ExceptHandler:
    """The handler of what is bound to ``name``, ``behind`` where that is read behind
    it too: then another name, none of ``names``, is given to Python."""
    if name is None or not behind:
        return ast.ExceptHandler(types, name, lines or [ast.Pass()])
    own = "caught"
    while own in names:
        own += "_"
    kept = ast.Assign([ast.Name(name, ast.Store())], ast.Name(own, ast.Load()))
    return ast.ExceptHandler(types, own, [kept, *lines])
