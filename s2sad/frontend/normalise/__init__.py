"""Normalisation: syntax to simpler syntax, one construct a file."""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from s2sad.frontend.normalise.jumps import without_jumps
from s2sad.frontend.source import SourceFunction

_done: WeakKeyDictionary[SourceFunction, list[ast.stmt]] = WeakKeyDictionary()


def normalised(source: SourceFunction) -> list[ast.stmt]:
    """The body of a function in normal form: no docstring, one return at the end."""
    body = _done.get(source)
    if body is None:
        owner = source.name.strip("<>")
        body = _done[source] = without_jumps(_plain_body(source.node), owner)
    return body


def _plain_body(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> list[ast.stmt]:
    if isinstance(node, ast.Lambda):
        result = ast.Return(node.body)
        return [ast.copy_location(result, node.body)]
    body = list(node.body)
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        if isinstance(first.value.value, str):
            body = body[1:]
    return body
