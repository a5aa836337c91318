"""Scopes: the names that a piece of a function binds, by Python's own rules.

Nested functions, lambdas and comprehensions have scopes of their own; an assignment
expression inside a comprehension binds in the function around it.

>>> body = ast.parse("a = 1\\nb = [c for c in (d := 2, 3)]\\ndef f(): e = 4").body
>>> sorted(assigned_names(body))
['a', 'b', 'd', 'f']
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def nodes_in_scope(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes but those that belong to the scope of a nested function or class.
    Comprehensions are entered."""
    for node in body:
        yield node
        if isinstance(node, FUNCTIONS):
            outside: list[ast.AST] = [*node.args.defaults]
            outside += [d for d in node.args.kw_defaults if d is not None]
            outside += getattr(node, "decorator_list", [])
            yield from nodes_in_scope(outside)
        elif isinstance(node, ast.ClassDef):
            yield from nodes_in_scope([*node.bases, *node.decorator_list])
        else:
            yield from nodes_in_scope(ast.iter_child_nodes(node))


def assigned_names(body: Iterable[ast.AST]) -> set[str]:
    """The names that statements bind in their own scope, those that they declare
    global or nonlocal left out."""
    body = list(body)
    return _bound(body) - _declared(body)


def declared_nonlocal(body: Iterable[ast.AST]) -> set[str]:
    """The names that statements declare nonlocal."""
    found = nodes_in_scope(body)
    return {n for node in found if isinstance(node, ast.Nonlocal) for n in node.names}


def names_written_outside(body: Iterable[ast.AST]) -> set[str]:
    """The names of enclosing functions that functions nested in the statements bind,
    at any depth."""
    found: set[str] = set()
    for node in body:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Nonlocal):
                found |= set(inner.names)
    return found


def names_bound_in_expressions(node: ast.AST) -> frozenset[str]:
    """The names that assignment expressions of a statement bind."""
    return frozenset(
        inner.target.id
        for inner in nodes_in_scope([node])
        if isinstance(inner, ast.NamedExpr)
    )


def declared_global(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names that statements declare global."""
    found = nodes_in_scope(body)
    return frozenset(
        n for node in found if isinstance(node, ast.Global) for n in node.names
    )


def makes_functions(body: Iterable[ast.AST]) -> bool:
    """True if functions are made in the statements, comprehensions included."""
    return any(
        isinstance(inner, (*FUNCTIONS, ast.GeneratorExp))
        for node in body
        for inner in ast.walk(node)
    )


def rebound_names(
    body: Iterable[ast.AST], parameters: Iterable[str] = ()
) -> frozenset[str]:
    """The names that are bound at more than one place, or by nested functions.

    >>> body = ast.parse("a = 1\\nb = 2\\nif a: b = 3").body
    >>> sorted(rebound_names(body))
    ['b']
    """
    body = list(body)
    counts = Counter(list(parameters))
    for node in nodes_in_scope(body):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            counts[node.id] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            counts[node.name] += 1
        elif isinstance(node, ast.alias):
            counts[(node.asname or node.name).split(".")[0]] += 1
    several = {name for name, count in counts.items() if count > 1}
    return frozenset(several | names_written_outside(body))


def _declared(body: list[ast.AST]) -> set[str]:
    return {
        name
        for node in nodes_in_scope(body)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }


def _bound(body: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in body:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
                names |= _bound(_outside_of_function(node))
                continue
            case ast.Lambda():
                names |= _bound(_outside_of_function(node))
                continue
            case ast.ClassDef(name=name):
                names.add(name)
                names |= _bound([*node.bases, *node.decorator_list])
                continue
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {(a.asname or a.name).split(".")[0] for a in aliases}
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.MatchMapping(rest=str(name)):
                names.add(name)
        if isinstance(node, COMPREHENSIONS):
            names |= _bound_in_comprehension(node)
            continue
        names |= _bound(ast.iter_child_nodes(node))
    return names


def _outside_of_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> list[ast.AST]:
    """What belongs to a function but is evaluated around it."""
    outside: list[ast.AST] = [*node.args.defaults]
    outside += [d for d in node.args.kw_defaults if d is not None]
    return [*outside, *getattr(node, "decorator_list", [])]


def _bound_in_comprehension(node: ast.AST) -> set[str]:
    """Assignment expressions alone: the targets have a scope of their own."""
    return {
        inner.target.id
        for inner in nodes_in_scope([node])
        if isinstance(inner, ast.NamedExpr)
    }
