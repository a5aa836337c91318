"""Whether a parameter of which nothing is known may be a list of numbers.

A gradient of an unknown parameter is made for numbers and arrays. A list may stand for
an array where the function reads its items or hands it to NumPy; an operator repeats or
joins lists, and means something else for arrays::

    x[0] ** 2 + np.sum(x)   # may be a list
    np.sum(2 * x)           # may not
"""

import ast

_READ = frozenset({"len", "sum", "enumerate", "zip", "min", "max"})
"""Builtins that take lists and arrays alike."""


def may_be_list(function: ast.AST, parameter: str) -> bool:
    """True where a function does with a parameter only what lists and arrays have in
    common."""
    allowed = {
        id(name)
        for node in ast.walk(function)
        for name in _read_alike(node)
        if isinstance(name, ast.Name)
    }
    return all(
        id(node) in allowed
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == parameter
    )


def _read_alike(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(), ctx=ast.Load()):
            return [value]
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return [iterated]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy")), args=args):
            return args
        case ast.Call(func=ast.Name(id=name), args=args) if name in _READ:
            return args
    return []
