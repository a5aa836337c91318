"""``contextlib.ExitStack`` as the with and try statements that it stands for.

::

    with ExitStack() as stack:             y = 2.0 * x
        y = 2.0 * x                        with open_scale(y) as z:
        z = stack.enter_context(  ->           try:
            open_scale(y))                         y = y * z
        stack.callback(log.append, z)          finally:
        y = y * z                                  log.append(z)
"""

import ast

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser

CALLED = ".exit"
ENTER, CALLBACK = "enter_context", "callback"


def stacked(spec: Specialiser, node: ast.With, position: int) -> None:
    """The body of ``with ExitStack() as name``."""
    target = node.items[position].optional_vars
    rest = node.items[position + 1 :]
    body: list[ast.stmt] = node.body
    if rest:
        body = [ast.copy_location(ast.With(rest, node.body), node)]
    if target is not None:
        if not isinstance(target, ast.Name):
            raise _other_use(target)
        spec.bind_target(target, core.constant(None))
        body = _Unstacking(spec, target.id).block(body)
    spec.run(body)


class _Unstacking:
    """What is entered on a stack is left at the end of the block."""

    def __init__(self, spec: Specialiser, name: str) -> None:
        self.spec, self.name = spec, name

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        for k, statement in enumerate(body):
            found = self._call(statement)
            if found is None:
                if statement is body[-1] and isinstance(statement, ast.If):
                    return [*body[:k], self._branches(statement)]
                self._check(statement)
                continue
            rest = self.block(body[k + 1 :]) or [_at(ast.Pass(), statement)]
            for argument in (*found.args, *found.keywords):
                self._check(argument)
            if found.func.attr == ENTER:  # type: ignore[attr-defined]
                return [*body[:k], self._entered(statement, found, rest)]
            return [*body[:k], *self._called(statement, found, rest)]
        return body

    def _branches(self, statement: ast.If) -> ast.If:
        self._check(statement.test)
        body, orelse = self.block(statement.body), self.block(statement.orelse)
        return ast.copy_location(ast.If(statement.test, body, orelse), statement)

    def _call(self, statement: ast.stmt) -> ast.Call | None:
        """The call of a method of the stack that is a statement."""
        value = getattr(statement, "value", None)
        if not isinstance(statement, ast.Expr | ast.Assign):
            return None
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return None
        owner, method = value.func.value, value.func.attr
        if not (isinstance(owner, ast.Name) and owner.id == self.name):
            return None
        if method == ENTER and len(value.args) == 1 and not value.keywords:
            if isinstance(statement, ast.Expr) or len(statement.targets) == 1:
                return value
        if method == CALLBACK and value.args and isinstance(statement, ast.Expr):
            return value
        raise _other_use(value)

    def _entered(
        self, statement: ast.stmt, call: ast.Call, rest: list[ast.stmt]
    ) -> ast.stmt:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        item = ast.withitem(call.args[0], target)
        return _at(ast.With([item], rest), statement)

    def _called(
        self, statement: ast.stmt, call: ast.Call, rest: list[ast.stmt]
    ) -> list[ast.stmt]:
        """The function and its arguments are those of the place of the call."""
        kept: list[ast.stmt] = []

        def keep(value: ast.expr) -> ast.expr:
            if isinstance(value, ast.Starred):
                raise _other_use(call)
            name = f"{CALLED}.{self.spec.fresh('argument').name}"
            target = ast.Name(name, ast.Store())
            kept.append(_at(ast.Assign([target], value), statement))
            return _at(ast.Name(name, ast.Load()), value)

        function, *args = map(keep, call.args)
        keywords = [ast.keyword(k.arg, keep(k.value)) for k in call.keywords]
        later = _at(ast.Expr(ast.Call(function, args, keywords)), statement)
        return [*kept, _at(ast.Try(rest, [], [], [later]), statement)]

    def _check(self, node: ast.AST) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id == self.name:
                raise _other_use(part)


def _at(node, place):
    """The node at the place of another one."""
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _other_use(node: ast.AST) -> core.Unsupported:
    return core.Unsupported(
        "an ExitStack is used in other ways than by enter_context and callback, each a "
        "statement of its own in the with block",
        "write a with statement for each manager",
        node,
    )
