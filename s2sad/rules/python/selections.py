"""Selections from a pool whose size is known only when the program runs."""

import numpy as np

from s2sad import ir, ops, rules
from s2sad.rules.numpy.kinds_of_arrays import NOT_GIVEN
from s2sad.rules.steps.scatter import Scattered


def item_of_pool(pool: ir.Kind) -> ir.Kind | None:
    """The kind of what is chosen from; of a range, whole numbers."""
    if isinstance(pool, ir.List):
        return pool.item
    if isinstance(pool, ir.Array) and pool.axes:
        rest = pool.axes[1:]
        return ir.Array(pool.dtype, rest) if rest else ir.NumPyScalar(pool.dtype)
    return ir.INT if pool == ir.OPAQUE else None


def selections_kind(pool: ir.Kind, r: ir.Kind = NOT_GIVEN) -> ir.Kind:
    """A list of tuples of the same length."""
    item = item_of_pool(pool)
    if item is None:
        return ir.UNKNOWN
    symbol = getattr(r, "length_of", None)
    if r == NOT_GIVEN and isinstance(pool, ir.List):
        symbol = pool.axis.symbol
    return ir.List(ir.List(ir.without_value(item), ir.Axis("any", symbol)))


rules.without_derivative(
    (ops.list_of_combinations, ops.list_of_multisets), kind=selections_kind
)
rules.without_derivative(ops.list_of_permutations, kind=selections_kind)
rules.without_derivative(
    ops.list_of_tuples, kind=lambda pool, repeat: selections_kind(pool, repeat)
)


def _gathered_kind(items: ir.Kind, indices: ir.Kind) -> ir.Kind:
    item = item_of_pool(items)
    if item is None or not isinstance(indices, ir.List):
        return ir.UNKNOWN
    return ir.List(ir.without_value(item), indices.axis)


@rules.reverse_of(ops.gathered, kind=_gathered_kind, linear=True)
def _gathered(items, indices, *, out, out_bar):
    return Scattered(np.array(indices, int), out_bar, True)


rules.without_derivative(ops.bounds_of_runs, kind=lambda keys: ir.List(ir.INT))
