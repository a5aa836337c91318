"""Where control leaves a block by a jump, and whether it reaches the end."""

import ast
from collections.abc import Iterable, Sequence

from s2sad.source.text.scopes import COMPREHENSIONS, FUNCTIONS, nodes_in_scope

LOOPS = (ast.For, ast.AsyncFor, ast.While)


def has_jumps(body: Sequence[ast.stmt]) -> bool:
    """True where anything has to be rewritten."""
    last = body[-1] if body else None
    for node in nodes_in_scope(body):
        if isinstance(node, ast.Break | ast.Continue):
            return True
        if isinstance(node, ast.Return) and node is not last:
            return True
        if isinstance(node, LOOPS) and node.orelse:
            return True
        if isinstance(node, ast.While) and assigns(node.test):
            return True
    return False


def leaves_early(body: Sequence[ast.stmt]) -> bool:
    """True where control leaves a block by break, continue or return."""
    return leaves(body, ast.Break, ast.Continue, ast.Return)


def assigns(test: ast.expr) -> bool:
    """True for a test with an assignment expression in it."""
    found = nodes_in_scope([test])
    return any(isinstance(node, ast.NamedExpr) for node in found)


def leaves(body: Iterable[ast.stmt], *jumps: type) -> bool:
    """True where the statements hold such a jump out of themselves."""
    pending: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while pending:
        node, in_loop = pending.pop()
        if isinstance(node, jumps):
            if isinstance(node, ast.Return) or not in_loop:
                return True
            continue
        if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef, ast.expr)):
            continue
        if isinstance(node, LOOPS):
            pending += [(inner, True) for inner in node.body]
            pending += [(inner, in_loop) for inner in node.orelse]
            continue
        pending += [(inner, in_loop) for inner in ast.iter_child_nodes(node)]
    return False


def never_completes(body: Sequence[ast.stmt]) -> bool:
    """True where control never reaches the end of a block. (A with statement may hide
    what is raised in it.)"""
    for node in body:
        match node:
            case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
                return True
            case ast.If():
                if never_completes(node.body) and never_completes(node.orelse):
                    return True
            case ast.While(test=ast.Constant(value=True)):
                if not leaves(node.body, ast.Break):
                    return True
            case ast.Try():
                if never_completes(node.finalbody):
                    return True
                normal = never_completes(node.body) or never_completes(node.orelse)
                if normal and all(never_completes(h.body) for h in node.handlers):
                    return True
    return False
