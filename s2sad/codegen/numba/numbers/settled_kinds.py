"""Variables that are a number on one path and an array on another, as arrays.

::

    s = 0.0                                  s = full(1, 0.0)
    for i in range(n):               ->      for i in range(n):
        s = add(s, x)                            s = add(s, x)

A variable has one type in Numba. An array of one element broadcasts as the number does,
so the number becomes one, of as many axes as the array has; the lengths of such axes
are read when the program runs. What is computed of these variables gets kinds that
follow from theirs, where none was known.
"""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.codegen.numba import functions, programs
from s2sad.codegen.numba.numbers.complex_operations import is_complex
from s2sad.ops.runtime.broadcasting import (
    as_dtype_of,
    broadcast_to_shape_of,
    sum_to_shape_of,
)

_LIKE_SECOND = (
    ops.broadcast_like,
    ops.full_like_of,
    broadcast_to_shape_of,
    sum_to_shape_of,
)
_LIKE_FIRST = (
    *(np.zeros_like, np.ones_like, np.empty_like, ops.own_copy, np.copy, as_dtype_of),
    *(ops.index_add, ops.index_set, np.ndarray.copy),
)
_FITTED = (sum_to_shape_of, broadcast_to_shape_of)
_PLAIN: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
}
ROUNDS = 12
"""How often kinds are handed on, at most."""


def with_settled_kinds(function: ir.Function) -> ir.Function:
    """The program with one kind for each variable, where that can be."""
    facts = programs.Facts(function)
    wanted = {name for name, kind in facts.kinds.items() if _is_open(kind)}
    wanted |= {
        s.target.name
        for s in ir.walk(function.body)
        if ir.is_line(s) and s.target.name not in facts.kinds
    }
    wanted -= set(function.parameters)
    if any(map(is_complex, facts.kinds.values())):
        return function  # what isn't known might be complex
    returned = {v.name for s in ir.walk(function.body) if _returns(s) for v in _read(s)}
    if not wanted or any(
        name in returned and isinstance(facts.kinds.get(name), ir.Array)
        for name in wanted
    ):
        return function
    settling = _Settling(facts, wanted)
    settling.hand_on()
    return facts.program(
        ir.with_leaves(function.body, settling.statement), settling.found
    )


def _is_open(kind: ir.Kind | None) -> bool:
    if isinstance(kind, ir.Array):
        return kind.promoted or kind.axes is None
    return isinstance(kind, ir.Unknown) and not kind.inactive and kind.present is None


def _returns(s: ir.Statement) -> bool:
    return isinstance(s, ir.Return)


def _read(s: ir.Statement) -> tuple[ir.Var, ...]:
    return ir.direct_reads(s)


class _Settling:
    def __init__(self, facts: programs.Facts, wanted: set[str]) -> None:
        self.facts, self.wanted = facts, wanted
        self.found: dict[str, ir.Kind] = {}
        """The kinds of the variables that had none, so far."""
        self.mixed: set[str] = set()
        """Those that are numbers somewhere."""
        self.held: dict[str, list[ir.Operand]] = {}
        """What is saved on each stack."""
        for s in ir.walk(facts.function.body):
            if isinstance(s, ir.Save):
                self.held.setdefault(s.stack.name, []).append(s.value)

    def hand_on(self) -> None:
        """Find the kinds of variables from those of what they are computed of."""
        for _ in range(ROUNDS):
            kinds: dict[str, list[ir.Kind]] = {}
            for s in ir.walk(self.facts.function.body):
                if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                    if s.target.name in self.wanted:
                        kind = self.kind_of_value(s)
                        if kind is not None:
                            kinds.setdefault(s.target.name, []).append(kind)
                elif isinstance(s, ir.Restore) and s.target.name in self.wanted:
                    saved = map(self.kind, self.held.get(s.stack.name, []))
                    kinds.setdefault(s.target.name, []).extend(filter(None, saved))
            before = dict(self.found)
            for name, several in kinds.items():
                joined = self.joined(name, several)
                if joined is not None:
                    self.found[name] = joined
            if self.found == before:
                break
        for s in ir.walk(self.facts.function.body):
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                if s.target.name in self.found and self.kind_of_value(s) is None:
                    del self.found[s.target.name]

    def kind(self, operand: ir.Operand | ir.Apply) -> ir.Kind | None:
        if isinstance(operand, ir.Var) and operand.name in self.wanted:
            return self.found.get(operand.name)
        return self.facts.kind(operand)

    def joined(self, name: str, several: list[ir.Kind]) -> ir.Kind | None:
        """One kind for several; None where there is none."""
        arrays = [k for k in several if isinstance(k, ir.Array)]
        numbers = [k for k in several if isinstance(k, ir.Scalar | ir.NumPyScalar)]
        if len(arrays) + len(numbers) < len(several):
            return None
        dtypes = {ir.dtype_of(k) for k in several}
        dtype = dtypes.pop() if len(dtypes) == 1 else "float64"
        if not arrays:
            return ir.NumPyScalar(dtype)
        ranks = {len(k.axes or ()) for k in arrays}
        if len(ranks) > 1:
            return None
        if numbers:
            self.mixed.add(name)
        axes = {k.axes for k in arrays}
        if len(axes) == 1 and not numbers:
            return ir.Array(dtype, axes.pop())
        return ir.Array(dtype, tuple(ir.Axis("any") for _ in range(ranks.pop())))

    def kind_of_value(self, s: ir.Assign) -> ir.Kind | None:
        """The kind of what a line assigns."""
        value = s.value
        if not isinstance(value, ir.Apply):
            return self.kind(value)
        function: Any = value.function
        if function in _LIKE_SECOND:
            first = self.kind(value.args[0])
            if function is sum_to_shape_of and isinstance(
                first, ir.Scalar | ir.NumPyScalar
            ):
                return first
            like = self.kind(value.args[1])
            like = ir.array_of_list(like) or like
            return (
                replace(like, dtype="float64") if isinstance(like, ir.Array) else like
            )
        if function in _LIKE_FIRST:
            return self.kind(value.args[0])
        try:
            known = function in functions.ELEMENTWISE or function in functions.IN_PLACE
        except TypeError:
            return None
        if known:
            operands = (*value.args, *(v for _, v in value.keywords))
            kinds = [k for a in operands if (k := self.kind(a)) is not None]
            open_ones = any(
                isinstance(a, ir.Var) and a.name in self.wanted and self.kind(a) is None
                for a in operands
            )
            axes = None if open_ones else rules.broadcast_axes(kinds)
            if axes is None:
                return None
            dtype = ir.dtype_of(s.kind) if s.kind is not None else None
            dtype = dtype or "float64"
            return ir.Array(dtype, axes) if axes else ir.NumPyScalar(dtype)
        return None if s.kind is None or _is_open(s.kind) else s.kind

    # ------------------------------------------------------------------- the lines

    def statement(self, s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return (s,)
        kind = self.found.get(s.target.name)
        s = self.fitted(s)
        if kind is None:
            return (self.added_apart(s),)
        of_value = self.kind_of_value(s)
        s = replace(s, kind=kind)
        if not isinstance(kind, ir.Array):
            return (s,)
        if not isinstance(of_value, ir.Scalar | ir.NumPyScalar):
            return (self.added_apart(s),)
        lines: list[ir.Statement] = []
        number: Any = s.value
        if isinstance(number, ir.Apply):
            named = self.facts.fresh("number", of_value)
            lines.append(replace(s, target=named, kind=of_value))
            number = named
        if kind.dtype == "float64" and ir.dtype_of(of_value) != "float64":
            if isinstance(number, ir.Const):
                number = ir.Const(float(number.value))
            else:
                named = self.facts.fresh("number", ir.Scalar("float"))
                made = ir.Apply(float, (number,))
                lines.append(
                    replace(s, target=named, value=made, kind=ir.Scalar("float"))
                )
                number = named
        ones = [ir.Const(1) for _ in kind.axes or ()]
        shape = ones[0] if len(ones) == 1 else ir.pack_tuple(*ones)
        return (*lines, replace(s, value=ir.Apply(np.full, (shape, number))))

    def fitted(self, s: ir.Assign) -> ir.Assign:
        """What is fitted to the shape of a number: the sum, or the number itself."""
        value = s.value
        if not isinstance(value, ir.Apply) or value.function not in _FITTED:
            return s
        first, like = map(self.kind, value.args[:2])
        if isinstance(first, ir.Scalar | ir.NumPyScalar) and (
            isinstance(like, ir.Scalar | ir.NumPyScalar)
            or value.function is sum_to_shape_of
        ):
            return replace(s, value=value.args[0])
        if isinstance(first, ir.Array) and isinstance(like, ir.Scalar | ir.NumPyScalar):
            return replace(s, value=ir.Apply(np.sum, value.args[:1]))
        return s

    def added_apart(self, s: ir.Assign) -> ir.Assign:
        """``x += y`` of what may be one element, as ``x = x + y``."""
        value = s.value
        if isinstance(value, ir.Apply) and value.function in _PLAIN:
            first = value.args[0]
            if isinstance(first, ir.Var) and isinstance(
                self.found.get(first.name), ir.Array
            ):
                plain = replace(value, function=_PLAIN[value.function], spelling="")
                return replace(s, value=plain)
        return s
