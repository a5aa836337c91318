"""What the text of modules registers: ``f.defvjp(...)``, and rules of ``s2sad.rule``.

Takes a module that is read and never executed; goes through its statements, and those
of the user's modules that it imports, in the order in which they would run. Derivatives
of custom functions are noted on the functions, and rules are collected in a table of
their own, which :func:`rules_of_text` puts before the common one.

What is registered in a branch, in a function, or for a function that isn't known, may
hold or not when the program runs. A function that it concerns is refused where it is
called; where that isn't known either, the file is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from s2sad import errors, rules
from s2sad.rules.load import load_all
from s2sad.source.static import reach, values
from s2sad.source.static.customs import GIVING, StaticCustom
from s2sad.source.static.module import StaticModule
from s2sad.source.static.rules import (
    AT_MODULE_LEVEL,
    DECORATING,
    FORMS,
    RuleReader,
    root_of,
)
from s2sad.source.text.scopes import assigned_names


@contextmanager
def rules_of_text(module: StaticModule) -> Iterator[None]:
    """Let the rules hold that the module, and what it imports, register.

    Raises ``UnsupportedError`` for registrations of which the text doesn't tell what
    they concern.
    """
    load_all()
    found = _Registrations()
    with rules.rules_first(found.rules, collect=True):
        found.module(module)
        for later in found.later:
            found.module(later, surely=False)
    with rules.rules_first(found.rules):
        yield


class _Registrations:
    """Goes through modules."""

    def __init__(self) -> None:
        self.rules: dict[Any, rules.Rule] = {}
        self.later: list[StaticModule] = []
        """Imported in functions: at some time, if at all."""
        self._seen: set[Path] = set()
        self._texts: dict[Path, tuple[str, list[Path]]] = {}

    def module(self, module: StaticModule, surely: bool = True) -> None:
        """Go through a module, after the packages that hold it."""
        if module.path in self._seen:
            return
        self._seen.add(module.path)
        if not reach.may_register(module.path, self._texts):
            return
        for package in module.packages():
            self.module(package, surely)
        _Reader(self, module, surely).block(module.file.tree.body, None, True)


class _Reader(RuleReader):
    """Goes through the statements of one module."""

    def __init__(
        self, registrations: _Registrations, module: StaticModule, surely: bool
    ) -> None:
        super().__init__(registrations.rules, module, surely)
        self.registrations = registrations
        self.given: frozenset[str] = frozenset()
        """Parameters of the functions around."""

    def block(
        self, body: list[ast.stmt], owner: values.StaticClass | None, certain: bool
    ) -> None:
        """Statements of the module, or of the body of a class."""
        for node in body:
            self._statement(node, owner, certain)

    def _statement(
        self, node: ast.stmt, owner: values.StaticClass | None, certain: bool
    ) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                for module in self.of.modules_of(node):
                    self.registrations.module(module, self.surely)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._decorators(node, owner, certain)
                self._function(node, owner, frozenset())
            case ast.ClassDef():
                try:
                    inner = self.of.follow(ast.Name(node.name), owner)
                except values.NameNotFound:
                    inner = None
                known = isinstance(inner, values.StaticClass) and inner.node is node
                self.block(node.body, inner if known else owner, certain and known)
            case ast.If() if ast.unparse(node.test).endswith("TYPE_CHECKING"):
                self.block(node.orelse, owner, certain)
            case ast.With():
                self._expressions(node, owner, certain)
                self.block(node.body, owner, certain)
            case _:
                self._expressions(node, owner, certain)
                for inner in _inner_statements(node):
                    self._statement(inner, owner, False)

    def _expressions(self, node: ast.stmt, owner: Any, certain: bool) -> None:
        """The calls in a statement, less those in statements inside of it."""
        alias = isinstance(node, ast.Assign | ast.AnnAssign)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.withitem):
                named = alias and child is getattr(node, "value", None)
                self._calls(child, owner, certain, frozenset(), bare=named)

    def _function(self, node: Any, owner: Any, local: frozenset[str]) -> None:
        """What is inside of a function: it may run at any time, or never."""
        arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        body = node.body if isinstance(node.body, list) else [node.body]
        assigned = assigned_names(body)
        outer, self.given = self.given, (self.given - assigned) | arguments
        self._inside(body, None, local | arguments | assigned)
        self.given = outer

    def _inside(self, body: list[Any], owner: Any, local: frozenset[str]) -> None:
        for node in body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.registrations.later += self.of.modules_of(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._decorators(node, owner, False, local)
                self._function(node, owner, local)
            elif isinstance(node, ast.expr):
                self._calls(node, owner, False, local)
            else:
                for child in ast.iter_child_nodes(node):
                    self._inside([child], owner, local)

    def _calls(
        self,
        node: ast.AST,
        owner: Any,
        certain: bool,
        local: frozenset[str],
        bare: bool = False,
    ) -> None:
        """The calls in an expression, innermost first; ``bare`` where it may be the
        name of what registers, which is given another name or decorates."""
        if isinstance(node, ast.Lambda):
            return self._function(node, owner, local)
        if isinstance(
            node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
        ):
            names = {n.id for g in node.generators for n in _names(g.target)}
            local, certain = local | names, False
        if isinstance(node, ast.IfExp | ast.BoolOp):
            certain = False
        for child in ast.iter_child_nodes(node):
            called = isinstance(node, ast.Call) and child is node.func
            self._calls(child, owner, certain, local, bare=called)
        if isinstance(node, ast.Call):
            self._call(node, owner, certain, local, bare)
        elif not bare and isinstance(node, ast.Name | ast.Attribute):
            if self._registers(node, owner, local):
                self.refuse(
                    node,
                    f"{ast.unparse(node)} is handed on, and what it registers isn't "
                    "known from the text",
                    AT_MODULE_LEVEL,
                )

    # -------------------------------------------------------------- registrations

    def _call(
        self,
        node: ast.Call,
        owner: Any,
        certain: bool,
        local: frozenset[str],
        bare: bool,
    ) -> None:
        if isinstance(node.func, ast.Call):
            form = self._registers(node.func.func, owner, local)
            if form in DECORATING:  # reverse_of(f)(text)
                text = self._text(node, owner, local)
                self.rule(node.func, str(form), owner, certain, local, text)
            return
        form = self._registers(node.func, owner, local)
        if form is None:
            return
        if form in GIVING:
            assert isinstance(node.func, ast.Attribute)
            custom = self._custom(node.func.value, owner, local)
            if custom is not None:
                self._give(custom, form, node, owner, certain)
        elif form not in DECORATING:
            self.rule(node, form, owner, certain, local)
        elif not bare:
            self.refuse(node, "what this registers isn't known", AT_MODULE_LEVEL)

    def _text(
        self, node: ast.Call, owner: Any, local: frozenset[str]
    ) -> values.StaticFunction | None:
        """The text of a rule that is handed to what registers it."""
        try:
            if len(node.args) == 1 and root_of(node.args[0]) not in local:
                found = self.of.customs.value(node.args[0], owner)
                return found if isinstance(found, values.StaticFunction) else None
        except values.NameNotFound:
            pass
        return None

    def _decorators(
        self, node: Any, owner: Any, certain: bool, local: frozenset[str] = frozenset()
    ) -> None:
        """Decorators that register the function below them, the lowest first."""
        for decorator in reversed(node.decorator_list):
            called = isinstance(decorator, ast.Call)
            expression = decorator.func if called else decorator
            form = self._registers(expression, owner, local)
            if form is None:
                self._calls(decorator, owner, certain, local, bare=True)
            elif form == "defjvp" and not called:
                custom = self._custom(expression.value, owner, local)
                if custom is not None:
                    if not self.holds(custom, certain):
                        self._uncertain(custom, decorator)
                    custom.pushforward = _undecorated(self.of.read(node, owner))
            elif form in DECORATING and called:
                text = _undecorated(self.of.read(node, owner))
                self.rule(decorator, form, owner, certain, local, text)
            else:
                self.refuse(decorator, "what this registers isn't known", "")

    def _registers(
        self, expression: ast.expr, owner: Any, local: frozenset[str]
    ) -> str | None:
        """Which registration a called expression is; None for others."""
        if isinstance(expression, ast.Attribute) and expression.attr in GIVING:
            return expression.attr
        if not isinstance(expression, ast.Name | ast.Attribute):
            return None
        if root_of(expression) in local:
            return None
        try:
            value = self.of.follow(expression, owner)
            return FORMS.get(value)
        except (values.NameNotFound, errors.S2sadError, TypeError):
            return None

    def _custom(
        self, expression: ast.expr, owner: Any, local: frozenset[str]
    ) -> StaticCustom | None:
        """The function that ``defvjp`` is called on; None for one that isn't s2sad's,
        or that is made in a function with the call."""
        found: Any = None
        if root_of(expression) not in local:
            with suppress(values.NameNotFound):
                found = self.of.customs.value(expression, owner)
        given = root_of(expression) in self.given
        if given or (isinstance(found, values.StaticData) and found.expression is None):
            self.refuse(
                expression,
                f"which function {ast.unparse(expression)} is, that is given a "
                "derivative here, isn't known from the text",
                "call defvjp and defjvp at module level, of a function by its name",
            )
        return found if isinstance(found, StaticCustom) else None

    def _give(
        self, custom: StaticCustom, form: str, node: ast.Call, owner: Any, certain: bool
    ) -> None:
        """``f.defvjp(forward, reverse)``, ``f.defjvp(pushforward)``."""
        if not self.holds(custom, certain):
            return self._uncertain(custom, node)
        names = ("forward", "reverse") if form == "defvjp" else ("pushforward",)
        given: dict[Any, ast.expr] = dict(zip(names, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg in names}
        if set(given) != set(names) or len(node.args) + len(node.keywords) != len(
            names
        ):
            self.refuse(node, f"{form} takes {' and '.join(names)}", "")
        for name, expression in given.items():
            try:
                value = self.of.customs.value(expression, owner)
            except values.NameNotFound:
                value = None
            if not callable(value):
                custom.unclear = (
                    f"the derivative of {custom.__name__} isn't known from the text: "
                    f"{ast.unparse(expression)} ({self.place(node)}) is only known "
                    "when the module runs",
                    "give defvjp and defjvp functions by name, or lambdas",
                )
            setattr(custom, name, value)

    def _uncertain(self, custom: StaticCustom, node: ast.AST) -> None:
        custom.unclear = (
            f"the derivative of {custom.__name__} isn't known from the text: it is "
            f"given in a branch or a function ({self.place(node)})",
            "give it at module level",
        )


def _undecorated(function: values.StaticFunction) -> values.StaticFunction:
    return values.StaticFunction(function.source, ())


def _names(target: ast.AST) -> Iterator[ast.Name]:
    return (n for n in ast.walk(target) if isinstance(n, ast.Name))


def _inner_statements(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body
