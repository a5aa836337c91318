"""Which statements of a module or class body bind which names.

>>> tree = ast.parse("import numpy as np\\nif slow:\\n    n = 1\\ndef f(): pass\\n")
>>> for name, found in scan(tree.body).definitions.items():
...     print(name, [type(d.node).__name__ for d in found], found[0].conditional)
np ['Import'] False
n ['Assign'] True
f ['FunctionDef'] False
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Definition:
    """One binding of a name."""

    node: ast.AST
    conditional: bool
    """It may not be executed, or not only there and then."""
    typing_only: bool = False
    """It stands under ``if TYPE_CHECKING``."""
    value: ast.expr | None = None
    """The expression the name is bound to, where there is one."""
    alias: ast.alias | None = None
    """The imported name."""


@dataclass
class Scan:
    """The bindings of a body, in the order of the text."""

    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    stars: list[tuple[ast.ImportFrom, bool]] = field(default_factory=list)
    """``from x import *``, and whether it is conditional."""
    stores: set[tuple[str, str | None]] = field(default_factory=set)
    """``path.attribute = ...`` anywhere in the text, also within functions; None where
    it isn't told which attribute it is, as in ``setattr(path, name, value)``."""
    binds_any: bool = False
    """Names may be bound by ``exec`` or ``globals()``."""


def scan(body: list[ast.stmt], is_module: bool = True) -> Scan:
    """The bindings made by the body of a module or class."""
    result = Scan()
    _Scanner(result).block(body, False, False)
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Global) and is_module:
                for name in node.names:
                    found = result.definitions.setdefault(name, [])
                    found.append(Definition(node, True))
            elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                result.stores.add((ast.unparse(node.value), node.attr))
            elif isinstance(node, ast.Call):
                _note_call(result, node)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                _note_store_by_name(result, node.value)
    return result


def _note_call(result: Scan, node: ast.Call) -> None:
    match node:
        case ast.Call(ast.Name("exec")):
            result.binds_any = True
        case ast.Call(ast.Name("setattr" | "delattr"), [owner, name, *_]) | ast.Call(
            ast.Attribute(ast.Name("object" | "type"), "__setattr__"),
            [owner, name, *_],
        ):
            known = isinstance(name, ast.Constant) and isinstance(name.value, str)
            attribute = name.value if known else None  # type: ignore[attr-defined]
            result.stores.add((ast.unparse(owner), attribute))
        case ast.Call(ast.Attribute(owner, "update" | "setdefault" | "pop")):
            _note_store_by_name(result, owner)


def _note_store_by_name(result: Scan, owner: ast.expr) -> None:
    """``globals()[name] = ...``, ``vars(path)[name] = ...`` and the like."""
    match owner:
        case ast.Call(ast.Name("globals" | "locals" | "vars"), []):
            result.binds_any = True
        case ast.Call(ast.Name("vars"), [path]) | ast.Attribute(path, "__dict__"):
            result.stores.add((ast.unparse(path), None))


_ASKING = ("isinstance", "issubclass", "super", "type", "getattr", "hasattr", "cast")
"""Functions that hand on nothing of what they are given."""


def names_handed(tree: ast.AST) -> frozenset[str]:
    """The names, without what leads to them, that a text passes on, returns, or binds
    to others. Annotations do none of it.

    >>> text = "use(c, d.e)\\nf = g\\nisinstance(h, (i, j))\\ndef k(l: m): return n"
    >>> sorted(names_handed(ast.parse(text)))
    ['c', 'e', 'g', 'n']
    """
    found: set[str] = set()
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        handed: list[Any] = []
        match node:
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name in _ASKING:
                continue
            case ast.Call(args=args, keywords=keywords):
                handed = [*args, *(k.value for k in keywords)]
            case ast.Return() | ast.Yield() | ast.Assign() | ast.NamedExpr():
                handed = [node.value]
            case ast.AnnAssign(value=value):
                handed = [value]
            case ast.IfExp(body=body, orelse=orelse):
                handed = [body, orelse]
            case ast.Lambda(body=body):
                handed = [body]
            case ast.List() | ast.Tuple() | ast.Set():
                handed = node.elts
            case ast.Dict() | ast.BoolOp():
                handed = node.values
        for value in handed:
            inner = value.value if isinstance(value, ast.Starred) else value
            if isinstance(inner, ast.Name):
                found.add(inner.id)
            elif isinstance(inner, ast.Attribute):
                found.add(inner.attr)
        left_out = ("annotation", "returns", "bases", "slice", "type")
        for name, part in ast.iter_fields(node):
            if name not in left_out:
                parts = part if isinstance(part, list) else [part]
                waiting += [p for p in parts if isinstance(p, ast.AST)]
    return frozenset(found)


class _Scanner:
    def __init__(self, result: Scan) -> None:
        self.result = result

    def block(self, body: list[ast.stmt], conditional: bool, typing: bool) -> None:
        for statement in body:
            self.statement(statement, conditional, typing)

    def statement(self, node: ast.stmt, conditional: bool, typing: bool) -> None:
        def bind(
            name: str, value: ast.expr | None = None, alias: ast.alias | None = None
        ) -> None:
            found = self.result.definitions.setdefault(name, [])
            found.append(Definition(node, conditional, typing, value, alias))

        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bind(node.name)
                return
            case ast.Import():
                for alias in node.names:
                    bind(alias.asname or alias.name.partition(".")[0], alias=alias)
            case ast.ImportFrom():
                for alias in node.names:
                    if alias.name == "*":
                        self.result.stars.append((node, conditional))
                    else:
                        bind(alias.asname or alias.name, alias=alias)
            case ast.Assign():
                for target in node.targets:
                    for name, value in _targets(target, node.value):
                        bind(name, value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                self.result.annotations[name] = node.annotation
                if node.value is not None:
                    bind(name, node.value)
                else:
                    self.result.definitions.setdefault(name, [])
            case ast.If() if _is_type_checking(node.test):
                self.block(node.body, True, True)
                self.block(node.orelse, conditional, typing)
            case ast.Try() | ast.TryStar():
                inner = [*node.body, *node.orelse]
                for handler in node.handlers:
                    if handler.name:
                        bind(handler.name)  # to nothing, when the handler is left
                    inner += handler.body
                self.block(inner, True, typing)
                self.block(node.finalbody, conditional, typing)
            case _:
                for name in _other_names(node):
                    bind(name)
                for part in _blocks(node):
                    self.block(part, True, typing)
        for name in _walrus_names(node):
            bind(name)


def _targets(
    target: ast.expr, value: ast.expr | None
) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)
    elif isinstance(target, ast.Tuple | ast.List):
        parts: list[ast.expr | None] = [None] * len(target.elts)
        if isinstance(value, ast.Tuple | ast.List):
            starred = any(
                isinstance(n, ast.Starred) for n in [*target.elts, *value.elts]
            )
            if not starred and len(value.elts) == len(target.elts):
                parts = list(value.elts)
        for part, inner in zip(target.elts, parts):
            yield from _targets(part, inner)


def _other_names(node: ast.stmt) -> Iterator[str]:
    """Names bound by statements whose value isn't followed."""
    match node:
        case ast.AugAssign(target=target) | ast.For(target=target):
            roots: list[ast.AST] = [target]
        case ast.AsyncFor(target=target):
            roots = [target]
        case ast.With() | ast.AsyncWith():
            roots = [item.optional_vars for item in node.items if item.optional_vars]
        case ast.Match():
            roots = [case.pattern for case in node.cases]
        case ast.Delete():
            roots = list(node.targets)
        case _:
            alias = getattr(node, "name", None)  # type X = ...
            roots = [alias] if isinstance(alias, ast.Name) else []
    for root in roots:
        for inner in ast.walk(root):
            if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
                yield inner.id
            elif isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name:
                yield inner.name
            elif isinstance(inner, ast.MatchMapping) and inner.rest:
                yield inner.rest


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for attribute in ("body", "orelse"):
        part = getattr(node, attribute, None)
        if isinstance(part, list):
            yield part
    if isinstance(node, ast.Match):
        for case in node.cases:
            yield case.body


def _walrus_names(node: ast.AST) -> Iterator[str]:
    """Targets of ``:=`` in the expressions of a statement, less its blocks."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.Lambda):
            continue
        if isinstance(child, ast.NamedExpr):
            yield child.target.id
        if isinstance(child, ast.expr | ast.withitem | ast.comprehension | ast.keyword):
            yield from _walrus_names(child)


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
