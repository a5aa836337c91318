"""New axes by an index: ``np.expand_dims`` is a function of many lines, and takes
several times as long as the index that does the same.

::

    t = expand_dims(b, 1)      ->      t = getitem(b, tuple(:, None))

Only derived lines are changed.
"""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from s2sad.ir.kinds import Array
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
from s2sad.ir.walking import walk, with_leaves


def index_new_axes(function: Function) -> Function:
    """The function with axes of length one added by indices.

    >>> from s2sad.ir.kinds import Axis
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> n, one = Axis("many", "n"), Axis("one")
    >>> kinds = {"b": Array("float64", (n,)), "t": Array("float64", (n, one))}
    >>> value = Apply(np.expand_dims, (Var("b"), Const(1)))
    >>> line = Assign(None, Var("t"), value, kinds["t"], True)
    >>> function = Function("f", ("b",), (line, Return(None, Var("t"))), kinds)
    >>> print(function_text(index_new_axes(function)))
    def f(b: float64[n]):
        t = getitem(b, tuple(:, None))  # float64[n, 1]
        return t
    """
    if not any(_index(s, function) for s in walk(function.body)):
        return function

    def change(s: Statement) -> Block:
        index = _index(s, function)
        if index is None:
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        return (replace(s, value=Apply(operator.getitem, (s.value.args[0], index))),)

    return replace(function, body=with_leaves(function.body, change))


def _index(s: Statement, function: Function) -> Operand | None:
    """The index that adds the axis that a derived line adds."""
    match s:
        case Assign(
            value=Apply(function=known, args=(Var(name=name), Const(value=axis))),
            derived=True,
        ) if known is np.expand_dims and type(axis) is int:
            kind = function.kinds.get(name)
            if not isinstance(kind, Array) or kind.axes is None or kind.promoted:
                return None
            place = axis % (len(kind.axes) + 1)
            whole = Slice(None, None, None)
            return pack_tuple(*[whole] * place, Const(None))
    return None
