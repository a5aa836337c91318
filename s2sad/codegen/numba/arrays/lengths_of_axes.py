"""The length of an axis, said in front of the line that makes the array."""

from __future__ import annotations

from typing import Any

from s2sad.codegen.numba.lists.counters import Counters
from s2sad.codegen.numba.programs import is_array
from s2sad.ir.kinds import Array, Axis, Scalar, is_lasting
from s2sad.ir.nodes import Apply, Const, Statement, Var
from s2sad.ir.walking import Path
from s2sad.rules.steps.shape_queries import axis_length


def length_before(axis: Axis, counters: Counters, at: Statement, path: Path) -> Any:
    """A length that an axis surely has, as an operation that may be run at a statement
    (``path`` says where it stands); None where nothing there tells it."""
    if axis.length == "one":
        return Const(1)
    if not is_lasting(axis.symbol):
        return None
    for name, kind in counters.facts.kinds.items():
        if not counters.is_fixed(name, at, path):
            continue
        if isinstance(kind, Scalar) and kind.length_of == axis.symbol:
            return Var(name)
        if is_array(kind) and isinstance(kind, Array):
            for k, own in enumerate(kind.axes or ()):
                if own.symbol == axis.symbol:
                    return Apply(axis_length, (Var(name), Const(k)))
    return None
