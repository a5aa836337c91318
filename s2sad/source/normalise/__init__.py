"""Normalisation: syntax to simpler syntax, one construct a file."""

import ast

from s2sad.source.normalise.jumps import without_jumps
from s2sad.source.text import parsed, scopes, source_function


def normalised(source: source_function.SourceFunction) -> list[ast.stmt]:
    """The body of a function in normal form: no docstring, one return at the end. The
    same statements at each call."""
    return _normal_form(source.node)


@scopes.remembered
def _normal_form(node: ast.AST) -> list[ast.stmt]:
    assert isinstance(node, parsed.FunctionNode)
    return without_jumps(_plain_body(node), getattr(node, "name", "lambda"))


def _plain_body(node: parsed.FunctionNode) -> list[ast.stmt]:
    if isinstance(node, ast.Lambda):
        result = ast.Return(node.body)
        return [ast.copy_location(result, node.body)]
    body = list(node.body)
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        if isinstance(first.value.value, str):
            body = body[1:]
    return body
