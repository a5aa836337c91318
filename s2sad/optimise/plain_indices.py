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

from s2sad.ir.kinds import Array, Kind, rank_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import altered, with_leaves


def index_new_axes(function: Function) -> Function:
    """The function with indices instead of ``expand_dims`` and ``squeeze``.

    >>> from s2sad.ir.kinds import ONE, Axis
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> n = Axis("many", "n")
    >>> row, vector = Array("float64", (ONE, n)), Array("float64", (n,))
    >>> spread = Apply(np.expand_dims, (Var("v"), Const(0)))
    >>> body = Assign(None, Var("r"), spread, row, derived=True), Return(None, Var("r"))
    >>> kinds = {"v": vector, "r": row}
    >>> print(function_text(index_new_axes(Function("f", ("v",), body, kinds))))
    def f(v: float64[n]):
        r = getitem(v, tuple(None))  # float64[1, n]
        return r
    """

    def line(s: Statement) -> Block:
        if isinstance(s, Assign) and s.derived and isinstance(s.value, Apply):
            index = _index(s.value, function.kinds)
            if index is not None:
                value = Apply(operator.getitem, (s.value.args[0], index))
                return (replace(s, value=value),)
        return (s,)

    return altered(function, body=with_leaves(function.body, line))


def _index(value: Apply, kinds: Mapping[str, Kind]) -> Operand | None:
    """The index that takes the place of a call."""
    if value.keywords or len(value.args) != 2:
        return None
    array, axis = value.args
    kind = kinds.get(array.name) if isinstance(array, Var) else None
    if not isinstance(kind, Array) or kind.promoted or not isinstance(axis, Const):
        return None
    rank, place = rank_of(kind), axis.value
    if not rank or type(place) is not int or kind.axes is None:
        return None
    if value.function is np.expand_dims:
        new, place = Const(None), place % (rank + 1)
    elif value.function is np.squeeze and rank > 1:
        new, place = Const(0), place % rank
        if kind.axes[place].length != "one":
            return None
    else:
        return None
    return pack_tuple(*(Slice(None, None, None),) * place, new)
