"""Scopes: the names that a piece of a function binds, by Python's own rules.

Nested functions, lambdas and comprehensions have scopes of their own; an assignment
expression inside a comprehension binds in the function around it.

>>> body = ast.parse("a = 1\\nb = [c for c in (d := 2, 3)]\\ndef f(): e = 4").body
>>> sorted(assigned_names(body))
['a', 'b', 'd', 'f']
"""

import ast
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


Found = TypeVar("Found")


def remembered(find: Callable[[ast.AST], Found]) -> Callable[[ast.AST], Found]:
    """What a function finds in a node, found once for each node. A node must not be
    changed after it was asked about; functions are specialised many times, so that the
    same nodes are asked about again and again."""
    known: dict[int, tuple[Found, object]] = {}
    """By identity, which is quicker to ask for than a weak key."""

    def found(node: ast.AST) -> Found:
        entry = known.get(key := id(node))
        if entry is None:
            gone = weakref.ref(node, lambda _: known.pop(key, None))
            entry = known[key] = find(node), gone
        return entry[0]

    return found


def nodes_in_scope(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes but those that belong to the scope of a nested function or class, in
    order of text. Comprehensions are entered."""
    pending = list(body)[::-1]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, FUNCTIONS):
            pending += _outside_of_function(node)[::-1]
        elif isinstance(node, ast.ClassDef):
            pending += [*node.bases, *node.decorator_list][::-1]
        else:
            pending += list(ast.iter_child_nodes(node))[::-1]


@remembered
def names_in_text(node: ast.AST) -> frozenset[str]:
    """The names that a text has, those of functions in it included."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def assigned_names(body: Iterable[ast.AST]) -> set[str]:
    """The names that statements bind in their own scope, those that they declare
    global or nonlocal left out."""
    names: set[str] = set()
    declared: set[str] = set()
    for node in body:
        scope = _scope(node)
        names |= scope.bound
        declared |= scope.elsewhere
    return names - declared


class _Scope(NamedTuple):
    """What a piece of a function has in its own scope, found in one walk."""

    bound: frozenset[str]
    elsewhere: frozenset[str]
    """The names that it declares global or nonlocal."""
    declared_global: frozenset[str]
    in_expressions: frozenset[str]
    bindings: tuple[str, ...]


@remembered
def _scope(node: ast.AST) -> _Scope:
    elsewhere: list[str] = []
    global_names: list[str] = []
    in_expressions: list[str] = []
    bindings: list[str] = []
    for inner in nodes_in_scope([node]):
        if isinstance(inner, ast.Name):
            if not isinstance(inner.ctx, ast.Load):
                bindings.append(inner.id)
        elif isinstance(inner, ast.Global | ast.Nonlocal):
            elsewhere += inner.names
            if isinstance(inner, ast.Global):
                global_names += inner.names
        elif isinstance(inner, ast.NamedExpr):
            in_expressions.append(inner.target.id)
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bindings.append(inner.name)
        elif isinstance(inner, ast.alias):
            bindings.append((inner.asname or inner.name).split(".")[0])
    return _Scope(
        frozenset(_bound([node])),
        frozenset(elsewhere),
        frozenset(global_names),
        frozenset(in_expressions),
        tuple(bindings),
    )


def names_written_outside(body: Iterable[ast.AST]) -> set[str]:
    """The names of enclosing functions that functions nested in the statements bind,
    at any depth."""
    return set().union(*map(_written_outside, body))


@remembered
def _written_outside(node: ast.AST) -> frozenset[str]:
    inner = ast.walk(node)
    return frozenset(
        name for n in inner if isinstance(n, ast.Nonlocal) for name in n.names
    )


def names_bound_in_expressions(node: ast.AST) -> frozenset[str]:
    """The names that assignment expressions of a statement bind."""
    return _scope(node).in_expressions


def declared_global(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names that statements declare global."""
    return frozenset().union(*[_scope(node).declared_global for node in body])


def makes_functions(body: Iterable[ast.AST]) -> bool:
    """True if functions are made in the statements, comprehensions included."""
    return any(map(_makes_functions, body))


@remembered
def _makes_functions(node: ast.AST) -> bool:
    made = (*FUNCTIONS, ast.GeneratorExp)
    return any(isinstance(inner, made) for inner in ast.walk(node))


def rebound_names(
    body: Iterable[ast.AST], parameters: Iterable[str] = ()
) -> frozenset[str]:
    """The names that are bound at more than one place, or by nested functions.

    >>> body = ast.parse("a = 1\\nb = 2\\nif a: b = 3").body
    >>> sorted(rebound_names(body))
    ['b']
    """
    body = list(body)
    once, several = set(parameters), names_written_outside(body)
    for node in body:
        for name in _scope(node).bindings:
            (several if name in once else once).add(name)
    return frozenset(several)


@remembered
def names_bound_in_loops(function: ast.AST) -> frozenset[str]:
    """The names that loops of a function bind, again and again.

    >>> sorted(names_bound_in_loops(ast.parse("a = 1\\nfor k in r: b = k")))
    ['b', 'k']
    """
    loops = [n for n in ast.walk(function) if isinstance(n, ast.For | ast.While)]
    return frozenset(assigned_names(loops))


def names_bound_behind(function: ast.AST, inner: ast.AST) -> frozenset[str]:
    """The names that a function binds behind one that is made in it, in order of text.

    >>> outer = ast.parse("def f(a, b):\\n a = 2\\n g = lambda: a + b\\n b = 3").body[0]
    >>> sorted(names_bound_behind(outer, outer.body[1].value))
    ['b', 'g']
    """
    body = function.body  # type: ignore[attr-defined]
    nodes = list(nodes_in_scope(body if isinstance(body, list) else [body]))
    simple = (n for n in nodes if isinstance(n, ast.stmt) and not hasattr(n, "body"))
    ends = {
        id(part): (statement.end_lineno, statement.end_col_offset)
        for statement in simple
        for part in ast.walk(statement)
    }
    start = inner.lineno, inner.col_offset  # type: ignore[attr-defined]
    return frozenset(
        name
        for node in nodes
        if (own := _bound_itself(node))
        if ends.get(id(node), (node.lineno, node.col_offset)) > start  # type: ignore[attr-defined]
        for name in own
    )


def _bound_itself(node: ast.AST) -> set[str]:
    """What a node binds, those that it consists of left out."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return {name}
        case ast.Import() | ast.ImportFrom():
            return _bound([node])
    return set()


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
