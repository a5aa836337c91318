"""Squeezed sums: an axis that a sum keeps, only to lose it, isn't kept.

::

    t = sum(a, axis=1, keepdims=True)            t = sum(a, axis=1)
    u = mul(2.0, t)                       ->     u = mul(2.0, t)
    w.bar = squeeze(u, 1)                        w.bar = u

So comes the adjoint of ``w`` in ``w[:, None] * x``.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir

_PRODUCTS = (operator.mul, operator.truediv, operator.neg)


def squeeze_sums(function: ir.Function) -> ir.Function:
    """The function with sums that don't keep axes which are squeezed.

    >>> n = ir.Axis("many", "n")
    >>> column, vector = ir.Array("float64", (n, ir.ONE)), ir.Array("float64", (n,))
    >>> words = (("axis", ir.Const(1)), ("keepdims", ir.Const(True)))
    >>> summed = ir.Apply(np.sum, (ir.Var("a"),), words)
    >>> t = ir.Assign(None, ir.Var("t"), summed, column, derived=True)
    >>> squeezed = ir.Apply(np.squeeze, (ir.Var("t"), ir.Const(1)))
    >>> b = ir.Assign(None, ir.Var("b"), squeezed, vector, derived=True)
    >>> kinds = {"t": column, "b": vector}
    >>> body = (t, b, ir.Return(None, ir.Var("b")))
    >>> print(ir.function_text(squeeze_sums(ir.Function("f", ("a",), body, kinds))))
    def f(a: ?):
        t = sum(a, axis=1)  # float64[n]
        b = t  # float64[n]
        return b
    """
    squeezes = [s for s in ir.walk(function.body) if _is_squeeze(s)]
    if not squeezes:
        return function
    uses = _Uses(function)
    changed: dict[int, ir.Assign] = {}
    kinds = dict(function.kinds)
    for s in squeezes:
        assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        source, axis = s.value.args
        chain = uses.chain(source, axis)
        if chain is None or s.kind is None:
            continue
        for line in chain:
            assert isinstance(line.value, ir.Apply) and isinstance(line.target, ir.Var)
            kind = _without(line.kind, axis)
            assert kind is not None
            value = line.value
            if value.function is np.sum:
                words = tuple(w for w in value.keywords if w[0] != "keepdims")
                value = replace(value, keywords=words)
            kinds[line.target.name] = kind
            changed[id(line)] = replace(line, value=value, kind=kind)
        changed[id(s)] = replace(s, value=source)
    if not changed:
        return function

    def change(s: object) -> ir.Block:
        return (changed.get(id(s), s),)  # type: ignore[arg-type]

    return ir.altered(function, body=ir.with_leaves(function.body, change), kinds=kinds)


def _is_squeeze(s: object) -> bool:
    if (
        not isinstance(s, ir.Assign)
        or not isinstance(s.value, ir.Apply)
        or not s.derived
    ):
        return False
    value = s.value
    return value.function is np.squeeze and len(value.args) == 2 and not value.keywords


class _Uses:
    """Who assigns and reads variables."""

    def __init__(self, function: ir.Function) -> None:
        self.kinds: Mapping[str, ir.Kind] = function.kinds
        reads: Counter[str] = Counter()
        writes: Counter[str] = Counter(function.parameters)
        self.lines: dict[str, ir.Assign] = {}
        for s in ir.walk(function.body):
            reads.update(v.name for v in ir.direct_reads(s))
            writes.update(v.name for v in ir.direct_writes(s))
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and s.derived:
                self.lines[s.target.name] = s
        self.single = {n for n in self.lines if reads[n] == writes[n] == 1}

    def chain(self, operand: ir.Operand, axis: ir.Operand) -> list[ir.Assign] | None:
        """The lines from a sum that keeps exactly these axes to an operand, each read
        by the next one alone."""
        if not isinstance(operand, ir.Var) or operand.name not in self.single:
            return None
        line = self.lines[operand.name]
        value = line.value
        if not isinstance(value, ir.Apply) or _without(line.kind, axis) is None:
            return None
        if value.function is np.sum:
            words = dict(value.keywords)
            kept = words.keys() == {"axis", "keepdims"} and len(value.args) == 1
            if not kept or words["keepdims"] != ir.Const(True):
                return None
            rank = len(line.kind.axes or ())  # type: ignore[union-attr]
            same = _places(words["axis"], rank) == _places(axis, rank)
            return [line] if same else None
        if value.function not in _PRODUCTS or value.keywords:
            return None
        arrays = [a for a in value.args if not self._is_number(a)]
        if len(arrays) != 1:
            return None
        before = self.chain(arrays[0], axis)
        return None if before is None else [*before, line]

    def _is_number(self, operand: ir.Operand) -> bool:
        if isinstance(operand, ir.Const):
            return isinstance(operand.value, int | float)
        kind = self.kinds.get(operand.name) if isinstance(operand, ir.Var) else None
        return isinstance(kind, ir.Scalar | ir.NumPyScalar)


def _places(axis: ir.Operand, rank: int) -> frozenset[int] | None:
    if isinstance(axis, ir.Const):
        axes: object = axis.value
    elif isinstance(axis, ir.Pack):
        axes = tuple(i.value if isinstance(i, ir.Const) else None for i in axis.items)
    else:
        return None
    given = axes if isinstance(axes, tuple) else (axes,)
    if not all(type(one) is int and -rank <= one < rank for one in given):
        return None
    return frozenset(one % rank for one in given)


def _without(kind: ir.Kind | None, axis: ir.Operand) -> ir.Array | None:
    """The kind of an array without some axes of length 1."""
    if not isinstance(kind, ir.Array) or kind.promoted or kind.axes is None:
        return None
    gone = _places(axis, len(kind.axes))
    if gone is None or any(kind.axes[k].length != "one" for k in gone):
        return None
    left = tuple(a for k, a in enumerate(kind.axes) if k not in gone)
    return replace(kind, axes=left) if left else None
