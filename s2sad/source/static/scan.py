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
    under: tuple[tuple[ast.stmt, str | int], ...] = ()
    """The statements around it, outermost first, each with the part that it stands in:
    ``"body"``, ``"orelse"`` or the number of a handler."""


@dataclass
class Scan:
    """The bindings of a body, in the order of the text."""

    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    stars: list[tuple[ast.ImportFrom, bool]] = field(default_factory=list)
    """``from x import *``, and whether it is conditional."""


def scan(body: list[ast.stmt], is_module: bool = True) -> Scan:
    """The bindings made by the body of a module or class."""
    result = Scan()
    _Scanner(result).block(body, False, False)
    nodes = (node for statement in body for node in ast.walk(statement))
    for node in nodes if is_module else ():
        if isinstance(node, ast.Global):
            for name in node.names:
                found = result.definitions.setdefault(name, [])
                found.append(Definition(node, True))
    return result


class _Scanner:
    def __init__(self, result: Scan) -> None:
        self.result = result
        self._under: tuple[tuple[ast.stmt, str | int], ...] = ()

    def block(self, body: list[ast.stmt], conditional: bool, typing: bool) -> None:
        for statement in body:
            self.statement(statement, conditional, typing)

    def part(
        self, node: ast.stmt, part: str | int, body: list[ast.stmt], typing: bool
    ) -> None:
        """A part of a statement that may not be run."""
        self._under += ((node, part),)
        self.block(body, True, typing)
        self._under = self._under[:-1]

    def statement(self, node: ast.stmt, conditional: bool, typing: bool) -> None:
        def bind(
            name: str, value: ast.expr | None = None, alias: ast.alias | None = None
        ) -> None:
            found = self.result.definitions.setdefault(name, [])
            under = self._under
            found.append(Definition(node, conditional, typing, value, alias, under))

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
            case ast.If() if self._is_type_checking(node.test):
                self.block(node.body, True, True)
                self.block(node.orelse, conditional, typing)
            case ast.Try() | ast.TryStar():
                self.part(node, "body", node.body, typing)
                self.part(node, "orelse", node.orelse, typing)
                for number, handler in enumerate(node.handlers):
                    if handler.name:
                        bind(handler.name)  # to nothing, when the handler is left
                    self.part(node, number, handler.body, typing)
                self.block(node.finalbody, conditional, typing)
            case _:
                for name in _other_names(node):
                    bind(name)
                for name, part in _blocks(node):
                    self.part(node, name, part, typing)
        for name in _walrus_names(node):
            bind(name)

    def _is_type_checking(self, test: ast.expr) -> bool:
        """True for the flag of ``typing``, and for one of the module that is False."""
        if isinstance(test, ast.Attribute):
            return test.attr == "TYPE_CHECKING"
        if not isinstance(test, ast.Name) or test.id != "TYPE_CHECKING":
            return False
        values = (d.value for d in self.result.definitions.get(test.id, ()) if d.value)
        return not any(getattr(value, "value", True) for value in values)


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


def _blocks(node: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    for attribute in ("body", "orelse"):
        part = getattr(node, attribute, None)
        if isinstance(part, list):
            yield attribute, part
    if isinstance(node, ast.Match):
        for case in node.cases:
            yield "case", case.body


def _walrus_names(node: ast.AST) -> Iterator[str]:
    """Targets of ``:=`` in the expressions of a statement, less its blocks."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.Lambda):
            continue
        if isinstance(child, ast.NamedExpr):
            yield child.target.id
        if isinstance(child, ast.expr | ast.withitem | ast.comprehension | ast.keyword):
            yield from _walrus_names(child)
