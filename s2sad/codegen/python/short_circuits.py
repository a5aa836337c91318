"""``and`` and ``or`` as expressions.

The IR has them as branches. Where both operands are one expression each, the branch
becomes one expression again::

    if t:
        c = lt(x, 1)     ->     c = and_then(t, lt(x, 1))
    else:
        c = t
"""

import ast
from collections.abc import Callable, Collection
from typing import Any

from s2sad import ir


def and_then(left: Any, right: Any) -> Any:
    """``left and right``, of which the second is computed only where it decides."""
    return left and right


def or_else(left: Any, right: Any) -> Any:
    """``left or right``, of which the second is computed only where it decides."""
    return left or right


def short_circuit(s: ir.Statement, own: Collection[str]) -> ir.Assign | None:
    """``if t: c = a``, ``else: c = t`` as ``c = and_then(t, a)``, and the like for
    ``or``, where ``c`` is one of ``own``; None for any other statement."""
    if not isinstance(s, ir.If):
        return None
    match s.body, s.orelse:
        case (
            (ir.Assign(target=ir.Var() as target, value=left),),
            (ir.Assign(target=other, value=right),),
        ) if target == other and target.name in own:
            if right == s.test:
                joined = _joined(and_then, s.test, left)
            elif left == s.test:
                joined = _joined(or_else, s.test, right)
            else:
                return None
            return ir.Assign(s.span, target, joined)
    return None


def _joined(function: Callable[..., Any], left: Any, right: Any) -> ir.Apply:
    return ir.Apply(function, (left, right))


def lazily_computed(value: ir.Apply) -> bool:
    """True for an operation whose second operand may not be computed."""
    return value.function in (and_then, or_else)


def bool_op(op: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    """``left and right``; a chain of one operator is one operation."""
    values: list[ast.expr] = []
    for side in (left, right):
        same = isinstance(side, ast.BoolOp) and type(side.op) is type(op)
        values += side.values if same else [side]  # type: ignore[attr-defined]
    return ast.BoolOp(op, values)
