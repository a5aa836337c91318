"""Which arrays surely lie by rows, as Numba's types tell.

Those that are allocated, and slices of such vectors; parameters of procedures where all
calls give such arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.calls.residuals import sample_of
from s2sad.codegen.numba.programs import Programs, call_of_procedure

_ALLOCATED = (np.empty, np.zeros, np.ones, np.full, np.ascontiguousarray, sample_of)
_PRODUCTS = (operator.matmul, np.matmul, np.dot)
Places = Mapping[ir.Procedure, frozenset[int]]


def of_parameters(functions: Iterable[ir.Function], called: Programs) -> Places:
    """For each procedure, the places of arguments that lie by rows in all calls."""
    places: dict[ir.Procedure, frozenset[int]] = {
        p: frozenset(range(len(f.parameters))) for p, f in called.items()
    }
    everyone = [*((None, f) for f in functions), *called.items()]
    while True:
        before = dict(places)
        for p, f in everyone:
            known = by_rows_in(f, places, p)
            for s in ir.walk(f.body):
                call = call_of_procedure(s)
                if call is not None and call.procedure in places:
                    args = enumerate(call.value.args)
                    own = {k for k, a in args if _named(a) in known}
                    places[call.procedure] &= own
        if places == before:
            return places


def by_rows_in(
    function: ir.Function, places: Places, procedure: ir.Procedure | None
) -> frozenset[str]:
    """The variables of a program that surely lie by rows."""
    given: frozenset[int] = frozenset()
    if procedure is not None:
        given = places.get(procedure, frozenset())
    lines = [(v.name, s) for s in ir.walk(function.body) for v in ir.direct_writes(s)]
    parameters = {p: k for k, p in enumerate(function.parameters)}
    known = {name for name, _ in lines} | set(parameters)
    known -= {p for p, k in parameters.items() if k not in given}
    while True:
        lost = {
            n for n, s in lines if n in known and not _lies_by_rows(s, known, function)
        }
        if not lost:
            return frozenset(known)
        known -= lost


def _lies_by_rows(s: ir.Statement, known: set[str], function: ir.Function) -> bool:
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
        return False
    value: Any = s.value
    if isinstance(value, ir.Var):
        return value.name in known
    if not isinstance(value, ir.Apply):
        return False
    first = value.args[0] if value.args else None
    if value.function in _ALLOCATED or value.function in _PRODUCTS:
        return True
    if value.function in ops.WRITES:
        return _named(first) in known
    if value.function is operator.getitem and _named(first) in known:
        kind = function.kinds.get(first.name)  # type: ignore[union-attr]
        index = value.args[1]
        vector = isinstance(kind, ir.Array) and len(kind.axes or ()) == 1
        return vector and isinstance(index, ir.Slice) and index.step is None
    return False


def _named(operand: Any) -> str | None:
    return operand.name if isinstance(operand, ir.Var) else None
