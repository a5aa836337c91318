"""Plain indices: axes of length one are added and dropped by an index.

::

    w = expand_dims(v, 1)         ->      w = v[:, None]
    v.bar = squeeze(t, 1)         ->      v.bar = t[:, 0]

Both are views, as before, and an index costs a fifth of the call. Only lines that rules
wrote are changed.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir


def index_new_axes(function: ir.Function) -> ir.Function:
    """The function with indices instead of ``expand_dims`` and ``squeeze``.

    >>> n = ir.Axis("many", "n")
    >>> row, vector = ir.Array("float64", (ir.ONE, n)), ir.Array("float64", (n,))
    >>> spread = ir.Apply(np.expand_dims, (ir.Var("v"), ir.Const(0)))
    >>> body = (
    ...     ir.Assign(None, ir.Var("r"), spread, row, derived=True),
    ...     ir.Return(None, ir.Var("r")),
    ... )
    >>> kinds = {"v": vector, "r": row}
    >>> print(ir.function_text(index_new_axes(ir.Function("f", ("v",), body, kinds))))
    def f(v: float64[n]):
        r = getitem(v, tuple(None))  # float64[1, n]
        return r
    """

    def line(s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.Assign) and s.derived and isinstance(s.value, ir.Apply):
            index = _index(s.value, function.kinds)
            if index is not None:
                value = ir.Apply(operator.getitem, (s.value.args[0], index))
                return (replace(s, value=value),)
        return (s,)

    return ir.altered(function, body=ir.with_leaves(function.body, line))


def _index(value: ir.Apply, kinds: Mapping[str, ir.Kind]) -> ir.Operand | None:
    """The index that takes the place of a call."""
    if value.keywords or len(value.args) != 2:
        return None
    array, axis = value.args
    kind = kinds.get(array.name) if isinstance(array, ir.Var) else None
    if (
        not isinstance(kind, ir.Array)
        or kind.promoted
        or not isinstance(axis, ir.Const)
    ):
        return None
    rank, place = ir.rank_of(kind), axis.value
    if not rank or type(place) is not int or kind.axes is None:
        return None
    if value.function is np.expand_dims:
        new, place = ir.Const(None), place % (rank + 1)
    elif value.function is np.squeeze and rank > 1:
        new, place = ir.Const(0), place % rank
        if kind.axes[place].length != "one":
            return None
    else:
        return None
    return ir.pack_tuple(*(ir.Slice(None, None, None),) * place, new)
