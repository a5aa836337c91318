"""Guards: products that are chosen to be 0 where a factor is, for the factor may have
been made zero by a selection where the other one is infinite. What is done with them
when they are differentiated again::

    c = equals_zero(f, 0.0)
    t = mul(f, p)
    y = where(c, 0.0, t)

A factor may be zero by chance, too, and vary: then y follows t there. A tangent tells,
for it is zero where a selection made the factor zero. A cotangent goes on to t unless
that is nan, as it is where p is infinite.
"""

import operator
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.python.choice import choose, equals_zero

Factors = tuple[tuple[ir.Var, bool], ...]
"""What a condition asks of: whether all of them are zero, each element for itself, or
(where the flag is true) all elements of one."""


def guards_of(body: ir.Block) -> Mapping[str, Factors]:
    """The conditions of guards, by the variables that hold them.

    >>> c = ir.Assign(
    ...     None, ir.Var("c"), ir.Apply(equals_zero, (ir.Var("f"), ir.Const(0.0)))
    ... )
    >>> guards_of((c,))
    {'c': ((Var(name='f'), False),)}
    """
    found: dict[str, Factors] = {}
    written: Counter[str] = Counter()
    for s in ir.walk(body):
        written.update(v.name for v in ir.direct_writes(s))
        if not (isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)):
            continue
        match s.value:
            case ir.Apply(function=function, args=(ir.Var() as factor, _)) if (
                function is equals_zero
            ):
                found[s.target.name] = ((factor, False),)
            case ir.Apply(function=np.all, args=(ir.Var(a),)) if a in found:
                found[s.target.name] = tuple((factor, True) for factor, _ in found[a])
            case ir.Apply(function=operator.and_, args=(ir.Var(a), ir.Var(b))) if (
                a in found and b in found
            ):
                found[s.target.name] = found[a] + found[b]
    return {name: factors for name, factors in found.items() if written[name] == 1}


def guard(value: ir.Apply, guards: Mapping[str, Factors]) -> Factors:
    """The factors of the guard that an operation is; none if it isn't one."""
    if value.function not in (np.where, choose) or len(value.args) != 3:
        return ()
    condition, zero, _ = value.args
    if not isinstance(condition, ir.Var) or zero != ir.Const(0.0):
        return ()
    return guards.get(condition.name, ())


def guarded_term(
    value: object,
) -> tuple[ir.Operand | ir.Apply, ir.Operand | ir.Apply] | None:
    """A test and a term, of a choice that is the term where the test holds, else 0."""
    if not isinstance(value, ir.Apply) or value.function is not choose:
        return None
    condition, x, y = value.args
    if y == ir.Const(0.0) and isinstance(condition, ir.Var | ir.Apply):
        return condition, x
    if x != ir.Const(0.0) or not isinstance(condition, ir.Apply):
        return None
    if condition.function is not equals_zero:
        return None
    return ir.Apply(operator.ne, condition.args), y


def while_tangents_are_zero(
    spec: Specialiser,
    condition: core.Value,
    factors: Factors,
    tangent: Callable[[ir.Var], core.Leaf | None],
) -> core.Value:
    """The condition under which the tangent of a guard is 0: the tangents of factors
    that vary are, too."""
    for factor, whole in factors:
        dot = tangent(factor)
        if dot is not None:
            zero = spec.apply(equals_zero, (dot, core.constant(0.0)), hint="condition")
            if whole:
                zero = spec.apply(np.all, (zero,), hint="condition")
            condition = spec.operate(operator.and_, (condition, zero))
    return condition


def where_it_is_nan(
    spec: Specialiser, condition: core.Value, product: core.Value
) -> core.Value:
    """The condition under which the cotangent of a guard ends there."""
    undefined = spec.apply(np.isnan, (product,), hint="condition")
    return spec.operate(operator.and_, (condition, undefined))
