"""Selections from a pool whose size is known only when the program runs."""

from __future__ import annotations

import numpy as np

from s2sad.ir.kinds import (
    INT,
    OPAQUE,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    List,
    NumPyScalar,
    without_value,
)
from s2sad.ops.selections import (
    bounds_of_runs,
    gathered,
    list_of_combinations,
    list_of_multisets,
    list_of_permutations,
    list_of_tuples,
)
from s2sad.rules.numpy.arguments import NOT_GIVEN
from s2sad.rules.registry import reverse_of, without_derivative
from s2sad.rules.steps.scatter import Scattered


def item_of_pool(pool: Kind) -> Kind | None:
    """The kind of what is chosen from; of a range, whole numbers."""
    if isinstance(pool, List):
        return pool.item
    if isinstance(pool, Array) and pool.axes:
        rest = pool.axes[1:]
        return Array(pool.dtype, rest) if rest else NumPyScalar(pool.dtype)
    return INT if pool == OPAQUE else None


def selections_kind(pool: Kind, r: Kind = NOT_GIVEN) -> Kind:
    """A list of tuples of the same length."""
    item = item_of_pool(pool)
    if item is None:
        return UNKNOWN
    symbol = getattr(r, "length_of", None)
    if r == NOT_GIVEN and isinstance(pool, List):
        symbol = pool.axis.symbol
    return List(List(without_value(item), Axis("any", symbol)))


without_derivative(
    (list_of_combinations, list_of_multisets),
    lambda pool, r: None,
    kind=selections_kind,
)
without_derivative(
    list_of_permutations, lambda pool, r=None: None, kind=selections_kind
)
without_derivative(
    list_of_tuples,
    lambda pool, repeat: None,
    kind=lambda pool, repeat: selections_kind(pool, repeat),
)


def _gathered_kind(items: Kind, indices: Kind) -> Kind:
    item = item_of_pool(items)
    if item is None or not isinstance(indices, List):
        return UNKNOWN
    return List(without_value(item), indices.axis)


@reverse_of(gathered, kind=_gathered_kind, differentiable=("items",), linear=True)
def _gathered(items, indices, *, out, out_bar):
    return Scattered(np.array(indices, int), out_bar, True)


without_derivative(bounds_of_runs, lambda keys: None, kind=lambda keys: List(INT))
