"""Bounds of slices: equal bounds get one variable, so that slices are known to be
equally long.

::

    u = a[j:, j]               bound = j
    a[j:, k] -= u      ->      u = a[bound:, j]; a[bound:, k] -= u

Nothing else assigns such a variable, and its kind says that it measures an axis of its
own: two slices of axes of one length, with the same bounds, have the same axis. What
was sliced in an earlier iteration got its kind from where paths meet, which forget the
axis since each pass over a loop's body makes variables anew.
"""

import operator
from collections.abc import Hashable

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser

_SUMS = (operator.add, operator.sub)


def with_named_bound(spec: Specialiser, bound: core.Value) -> core.Value:
    """A bound that is a whole number known only when the program runs, in the variable
    that all equal bounds of these lines have."""
    if (
        spec.derived
        or not isinstance(bound, core.Leaf)
        or not isinstance(bound.operand, ir.Var)
    ):
        return bound
    kind = bound.kind
    if not isinstance(kind, ir.Scalar) or kind.type != "int":
        return bound
    if kind.value is not None or kind.length_of is not None:
        return bound
    key, names = _key(spec, bound.operand)
    if key not in spec.slice_bounds:
        target = spec.fresh("bound")
        measure = ir.Scalar("int", length_of=ir.Passing(("bound", target.name)))
        leaf = spec.assign(target, bound.operand, measure)
        spec.slice_bounds[key] = (leaf, names)
    named: core.Leaf = spec.slice_bounds[key][0]
    return named


def _key(spec: Specialiser, bound: ir.Var) -> tuple[Hashable, frozenset[str]]:
    """What equal bounds have in common, and the variables that it depends on."""
    last = spec.block[-1] if spec.block else None
    if isinstance(last, ir.Assign) and last.target == bound:
        value = last.value
        if (
            isinstance(value, ir.Apply)
            and value.function in _SUMS
            and not value.keywords
        ):
            if all(isinstance(a, ir.Const) or _is_stable(a, bound) for a in value.args):
                names = {a.name for a in value.args if isinstance(a, ir.Var)}
                return (value.function, *map(_part, value.args)), frozenset(names)
    return bound.name, frozenset((bound.name,))


def _is_stable(operand: ir.Operand, bound: ir.Var) -> bool:
    return isinstance(operand, ir.Var) and operand != bound


def _part(operand: ir.Operand) -> Hashable:
    if isinstance(operand, ir.Var):
        return operand.name
    return (type(operand.value), operand.value)  # type: ignore[union-attr]
