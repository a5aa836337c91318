"""The length of an axis, said in front of the line that makes the array."""

from __future__ import annotations

from typing import Any

from s2sad import ir
from s2sad.codegen.numba.lists.counters import Counters
from s2sad.codegen.numba.programs import is_array
from s2sad.rules.steps.shape_queries import axis_length


def length_before(
    axis: ir.Axis, counters: Counters, at: ir.Statement, path: ir.Path
) -> Any:
    """A length that an axis surely has, as an operation that may be run at a statement
    (``path`` says where it stands); None where nothing there tells it."""
    if axis.length == "one":
        return ir.Const(1)
    if not ir.is_lasting(axis.symbol):
        return None
    for name, kind in counters.facts.kinds.items():
        if not counters.is_fixed(name, at, path):
            continue
        if isinstance(kind, ir.Scalar) and kind.length_of == axis.symbol:
            return ir.Var(name)
        if is_array(kind) and isinstance(kind, ir.Array):
            for k, own in enumerate(kind.axes or ()):
                if own.symbol == axis.symbol:
                    return ir.Apply(axis_length, (ir.Var(name), ir.Const(k)))
    return None
