"""Flags back to jumps: how the emitter writes loops that end early, and guards.

In the IR a loop ends by a flag, and what follows is in the other branch. In the output
the last assignment of the flag in an iteration is a ``break``, and a branch that a jump
ends needs no else::

    if c:                        if c:
        left = True                  break
    else:               ->       x = step(x)
        x = step(x)
"""

import ast
from collections.abc import Collection, Sequence

from s2sad import ir

_JUMPS = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def sets(statement: ir.Statement, flag: str) -> bool:
    """True for ``flag = True``."""
    return (
        isinstance(statement, ir.Assign)
        and statement.target == ir.Var(flag)
        and statement.value == ir.Const(True)
    )


def guards_only(rest: ir.Block, flag: str) -> bool:
    """True where what follows in the iteration does nothing once the flag is true."""
    return all(is_guard(s, flag) for s in rest)


def is_guard(statement: ir.Statement, flag: str) -> bool:
    """True for ``if not flag: ...``."""
    return (
        isinstance(statement, ir.If)
        and statement.test == ir.Var(flag)
        and not statement.body
    )


def settings(block: ir.Block, flag: str) -> set[int]:
    """The identities of the statements that may set a flag."""
    return {
        id(s)
        for s in ir.walk(block)
        if ir.Var(flag) in ir.direct_writes(s)
        and not (isinstance(s, ir.Assign) and s.value == ir.Const(False))
    }


def without_else(
    test: ast.expr, negated: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]
) -> list[ast.stmt]:
    """A branch; the other one follows without else where a jump ends the first."""
    if body and orelse:
        if isinstance(body[-1], _JUMPS):
            return [ast.If(test, body, []), *orelse]
        if isinstance(orelse[-1], _JUMPS):
            return [ast.If(negated, orelse, []), *body]
    return [ast.If(test, body, orelse)]


def stored_first_in_both(
    test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]
) -> list[ast.stmt]:
    """The stores with which both branches begin, if what is tested is a name."""
    first: list[ast.stmt] = []
    for one, other in zip(body, orelse, strict=False):
        is_store = isinstance(one, ast.Assign) and isinstance(
            one.targets[0], ast.Subscript
        )
        if not is_store or not isinstance(test, ast.Name):
            break
        if ast.dump(one) != ast.dump(other):
            break
        first.append(one)
    return first


def tested(test: ir.Operand) -> ir.Operand:
    """What a test asks: of the truth of a list, the list."""
    if isinstance(test, ir.Apply) and test.function is bool and len(test.args) == 1:
        return test.args[0]
    return test


def without_unread(body: list[ast.stmt], flags: Collection[str]) -> list[ast.stmt]:
    """The body without assignments of flags that nothing reads any more."""
    if not flags:
        return body
    read = {
        n.id
        for s in body
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    unread = set(flags) - read
    return _without(body, unread) if unread else body


def _without(body: Sequence[ast.stmt], names: set[str]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for node in body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Constant(value=bool())
            ) if name in names:
                continue
            case ast.If() | ast.For() | ast.While() | ast.With() | ast.Try():
                node.body = _without(node.body, names)
                if isinstance(node, ast.If | ast.For | ast.While | ast.Try):
                    node.orelse = _without(node.orelse, names)
                if isinstance(node, ast.Try):
                    node.finalbody = _without(node.finalbody, names)
                    for handler in node.handlers:
                        handler.body = _without(handler.body, names) or [ast.Pass()]
                if not node.body:
                    if isinstance(node, ast.If) and not node.orelse:
                        continue
                    node.body = [ast.Pass()]
        kept.append(node)
    return kept
