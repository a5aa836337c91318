"""Early returns in branches become one return at the end.

Takes the body of a function; gives a body whose only returns are its last statement and
those inside loops (which stay, and are refused later)::

    if x > 0:                    if x > 0:
        return x                     result = x
    return -x            ->      else:
                                     result = -x
                                 return result

>>> text = "if x > 0:\\n    return x\\nreturn -x"
>>> print(ast.unparse(ast.Module(one_return(ast.parse(text).body), [])))
if x > 0:
    result = x
else:
    result = -x
return result
"""

from __future__ import annotations

import ast


def one_return(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body with its early returns turned into assignments to one variable."""
    if not any(_returns_early(node) for node in body):
        return body
    names = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
    name = "result" if "result" not in names else "returned_value"
    while name in names:
        name += "_"
    converted = _convert(body, name)
    last = body[-1]
    final = ast.Return(ast.Name(name, ast.Load()))
    return [*converted, ast.fix_missing_locations(ast.copy_location(final, last))]


def _returns_early(node: ast.stmt) -> bool:
    """True for an if statement with a return in one of its branches, loops left out."""
    if not isinstance(node, ast.If):
        return False
    return any(
        isinstance(inner, ast.Return) or _returns_early(inner)
        for inner in (*node.body, *node.orelse)
    )


def _convert(body: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements with ``name`` assigned at the end of every path."""
    done: list[ast.stmt] = []
    for position, node in enumerate(body):
        if isinstance(node, ast.Return):
            value = node.value or ast.Constant(None)
            return [*done, _assignment(name, value, node)]
        if _returns_early(node):
            assert isinstance(node, ast.If)
            rest = body[position + 1 :]
            branches = [
                _convert(branch if _always_returns(branch) else branch + rest, name)
                for branch in (node.body, node.orelse)
            ]
            merged = ast.If(node.test, branches[0], branches[1])
            return [*done, ast.copy_location(merged, node)]
        done.append(node)
    where = body[-1] if body else None
    return [*done, _assignment(name, ast.Constant(None), where)]


def _always_returns(body: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Return)
        or (
            isinstance(node, ast.If)
            and _always_returns(node.body)
            and _always_returns(node.orelse)
        )
        for node in body
    )


def _assignment(name: str, value: ast.expr, where: ast.stmt | None) -> ast.stmt:
    node = ast.Assign([ast.Name(name, ast.Store())], value)
    if where is not None:
        ast.copy_location(node, where)
    else:
        node.lineno, node.col_offset = 1, 0
    return ast.fix_missing_locations(node)
