"""Sums, means, products and extrema over axes, as loops."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.codegen.numba.arrays.elements import Place
from s2sad.codegen.numba.arrays.nests import Nests, at_place
from s2sad.codegen.numba.numbers.complex_operations import is_complex
from s2sad.codegen.numba.programs import Lines, is_array
from s2sad.ops.runtime.broadcasting import sum_to_shape_of

SUMS = (np.sum, np.mean, np.prod)
EXTREMA = {
    np.max: np.maximum,
    np.amax: np.maximum,
    np.min: np.minimum,
    np.amin: np.minimum,
}


class Reductions(Nests):
    """Writes reductions."""

    def reduces(self, value: ir.Apply) -> bool:
        """True for a reduction that is written as a loop."""
        if value.function not in SUMS and value.function not in EXTREMA:
            return False
        words = dict(value.keywords)
        if not is_array(self.facts.kind(value.args[0])) or len(value.args) > 2:
            return False
        if not set(words) <= {"axis", "keepdims"}:
            return False
        known = all(isinstance(v, ir.Const | ir.Pack) for v in words.values())
        if value.function in EXTREMA:
            floats = ir.dtype_of(self.facts.kind(value.args[0])) == "float64"  # type: ignore[arg-type]
            return known and self._axis(value) is not None and floats
        return known

    def _axis(self, value: ir.Apply) -> Any:
        words = dict(value.keywords)
        axis: Any = value.args[1] if len(value.args) > 1 else words.get("axis")
        if axis is None or axis == ir.Const(None):
            return None
        if isinstance(axis, ir.Pack):
            return tuple(getattr(i, "value", None) for i in axis.items)
        return getattr(axis, "value", None)

    def sums_to_shape(self, value: ir.Apply) -> bool:
        """True for ``sum_to_shape_of`` an array."""
        if value.function is not sum_to_shape_of:
            return False
        kinds = list(map(self.facts.kind, value.args))
        ranks = [len(k.axes or ()) if isinstance(k, ir.Array) else -1 for k in kinds]
        return all(map(is_array, kinds)) and ranks[0] >= ranks[1]

    def reduced(self, s: ir.Line, value: ir.Apply) -> Sequence[ir.Statement]:
        """A reduction, element by element."""
        array = value.args[0]
        axes = self.elements.axes(array)
        axis = self._axis(value)
        keep = dict(value.keywords).get("keepdims") == ir.Const(True)
        is_lazy = isinstance(array, ir.Var) and array.name in self.lazy
        if axis is None and not keep and not is_lazy:
            return (s,)
        gone = rules.normalised_axes(axis, len(axes))
        lengths = [self.elements.length(array, k) for k in range(len(axes))]
        lines = self.comparisons_of(s, array)
        kept: list[Place] = [
            ir.Const(1) if k in gone else lengths[k]
            for k in range(len(axes))
            if keep or k not in gone
        ]
        target, function = s.target, value.function
        kind = self.facts.kinds.get(target.name) or s.kind
        dtype = (ir.dtype_of(kind) if kind is not None else None) or "float64"
        count = self.count(lengths, gone, lines) if function is np.mean else None
        first: Any = {np.prod: 1.0}.get(function, 0.0)
        if dtype == "int64":
            first = int(first)
        if function in EXTREMA:
            first = -np.inf if EXTREMA[function] is np.maximum else np.inf
            if not s.derived:
                lines += self.not_empty(lengths, gone, s)
        if not kept:
            lines.append(self.line(s, target, ir.Const(first)))
        elif first == 0 and function not in EXTREMA:
            made = self.allocated(np.zeros, kept, dtype, lines)
            lines.append(self.line(s, target, made))
        else:
            made = self.allocated(np.empty, kept, dtype, lines)
            shape = made.args[0]
            lines.append(
                self.line(s, target, ir.Apply(np.full, (shape, ir.Const(first))))
            )

        def body(index: list[ir.Operand], inner: Lines) -> None:
            found = self.elements.element(array, index, axes, inner)
            place = [
                ir.Const(0) if k in gone else i
                for k, i in enumerate(index)
                if keep or k not in gone
            ]
            if not kept:
                step = operator.mul if function is np.prod else operator.add
                total = ir.Apply(step, (target, found), (), "augmented")
                inner.append(self.line(s, target, total))
            elif function in SUMS and function is not np.prod:
                added = ir.Apply(
                    ops.index_add, (target, at_place(place), found, ir.Const(False))
                )
                inner.append(self.line(s, target, added))
            else:
                step = operator.mul if function is np.prod else EXTREMA[function]
                old = self.elements.read(target, place, inner)
                new = self.elements.named(ir.Apply(step, (old, found)), inner, "item")
                changed = ir.Apply(ops.index_set, (target, at_place(place), new))
                inner.append(self.line(s, target, changed))

        lines += self.nest(lengths, body, s, axes)
        if count is not None:
            over = operator.itruediv if kept else operator.truediv
            lines.append(self.line(s, target, ir.Apply(over, (target, count))))
        return lines

    def count(
        self, lengths: Sequence[Place], gone: Sequence[int], lines: Lines
    ) -> ir.Operand:
        """How many elements a reduction makes one of."""
        total: ir.Operand | None = None
        for k in gone:
            length = self.elements.named_length(lengths[k], lines)
            if total is None:
                total = length
            else:
                product = ir.Apply(operator.mul, (total, length))
                total = self.elements.named(product, lines, "count", ir.INT)
        return total or ir.Const(1)

    def not_empty(
        self, lengths: Sequence[Place], gone: Sequence[int], s: ir.Assign
    ) -> list[ir.Statement]:
        """Raise where there is nothing to find an extremum of, as NumPy does."""
        lines = Lines(s)
        for k in gone:
            length = self.elements.named_length(lengths[k], lines)
            test = ir.Apply(operator.eq, (length, ir.Const(0)))
            message = "zero-size array to reduction operation which has no identity"
            lines += self.raised(test, message, s)
        return lines

    def summed_to_shape(self, s: ir.Line, value: ir.Apply) -> list[ir.Statement]:
        """A cotangent summed over axes in which what it belongs to was broadcast, which
        only the run knows."""
        cotangent, like = value.args
        axes, own = self.elements.axes(cotangent), self.elements.axes(like)
        lines = self.comparisons_of(s, cotangent)
        lengths: list[Place] = [(like, k) for k in range(len(own))]
        target = s.target
        kind = self.facts.kinds.get(target.name) or s.kind
        dtype = "complex128" if is_complex(kind) else "float64"
        made = self.allocated(np.zeros, lengths, dtype, lines)
        lines.append(self.line(s, target, made))

        def body(index: list[ir.Operand], inner: Lines) -> None:
            found = self.elements.element(cotangent, index, axes, inner)
            places = self.elements.places_in(like, index, axes, inner)
            changed = self.change(ops.index_add, target, places, found, inner)
            inner.append(self.line(s, target, changed))

        along = [self.elements.length(cotangent, k) for k in range(len(axes))]
        return lines + self.nest(along, body, s)
