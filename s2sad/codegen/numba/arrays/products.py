"""Products over axes that have names, and of many matrices, as loops."""

import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.arrays.array_parts import ArrayParts
from s2sad.codegen.numba.arrays.contractions import Labels
from s2sad.codegen.numba.arrays.elements import Place
from s2sad.codegen.numba.arrays.nests import at_place
from s2sad.codegen.numba.lists.lengths import Common
from s2sad.codegen.numba.numbers.complex_operations import is_complex
from s2sad.codegen.numba.programs import Lines

PRODUCTS = (operator.matmul, np.matmul)


class Products(ArrayParts):
    """Writes products."""

    def contracted(
        self, s: ir.Line, labels: Labels, operands: tuple[ir.Operand, ...]
    ) -> list[ir.Statement]:
        """A sum of products over axes that have names."""
        inputs, result = labels
        order = [
            *result,
            *dict.fromkeys(c for t in inputs for c in t if c not in result),
        ]
        places: dict[str, list[tuple[ir.Axis, Place]]] = {}
        """For each label, the axes that have it, and where their lengths are read."""
        lines = Lines(s)
        for term, operand in zip(inputs, operands):
            for k, label in enumerate(term):
                axis = self.elements.axes(operand)[k]
                place = self.elements.length(operand, k)
                for other, second in places.setdefault(label, []):
                    same = axis.symbol is not None and axis.symbol == other.symbol
                    ones = "one" in (axis.length, other.length)
                    if not (same or ones or s.derived):
                        self.require_equal(other, second, axis, place, lines)
                places[label].append((axis, place))
        joint = {label: _joint(axes) for label, axes in places.items()}
        lengths: list[Place] = [joint[label][1] for label in order]
        target = s.target
        own = self.facts.kinds.get(target.name) or s.kind
        dtype = "complex128" if is_complex(own) else "float64"
        if result:
            made = self.allocated(np.zeros, lengths[: len(result)], dtype, lines)
            lines.append(self.line(s, target, made))
        else:
            lines.append(self.line(s, target, ir.Const(0.0)))

        def body(index: list[ir.Operand], inner: Lines) -> None:
            at = dict(zip(order, index))
            product: ir.Operand | None = None
            for term, operand in zip(inputs, operands):
                own = [at[label] for label in term]
                axes = [joint[label][0] for label in term]
                found = self.elements.element(operand, own, axes, inner)
                if product is not None:
                    times = ir.Apply(operator.mul, (product, found))
                    found = self.elements.named(times, inner, "product")
                product = found
            assert product is not None
            if result:
                where = index[: len(result)]
                changed = self.change(ops.index_add, target, where, product, inner)
            else:
                changed = ir.Apply(operator.add, (target, product), (), "augmented")
            inner.append(self.line(s, target, changed))

        return lines + self.nest(lengths, body, s)

    def is_batched(self, value: ir.Apply) -> bool:
        """A product of matrices of which there are many."""
        if value.function not in PRODUCTS or len(value.args) != 2:
            return False
        ranks = [len(self.elements.axes(a)) for a in value.args]
        return max(ranks) > 2 and min(ranks) >= 2 and not value.keywords

    def batched(self, s: ir.Line, value: ir.Apply) -> list[ir.Statement]:
        """One product after the other."""
        kind = self.facts.kinds[s.target.name]
        assert isinstance(kind, ir.Array) and kind.axes is not None
        left, right = value.args
        rank = len(kind.axes)
        lengths: list[Place] = [
            self.elements._length_of_operands(value.args, k, rank)
            for k in range(rank - 2)
        ]
        lengths += [
            (left, len(self.elements.axes(left)) - 2),
            (right, len(self.elements.axes(right)) - 1),
        ]
        lines = Lines(s)
        made = self.allocated(np.empty, lengths, kind.dtype, lines)
        target = s.target
        lines.append(self.line(s, target, made))

        def body(index: list[ir.Operand], inner: Lines) -> None:
            parts = []
            for operand in (left, right):
                axes = self.elements.axes(operand)
                own = index[len(index) - (len(axes) - 2) :] if len(axes) > 2 else []
                places = [
                    ir.Const(0) if a.length == "one" else i for a, i in zip(axes, own)
                ]
                part: Any = operand
                if places:
                    matrix = ir.Array(kind.dtype, axes[-2:])
                    picked = ir.Apply(operator.getitem, (operand, at_place(places)))
                    part = self.elements.named(picked, inner, "matrix", matrix)
                parts.append(part)
            matrix = ir.Array(kind.dtype, (kind.axes or ())[-2:])
            product = ir.Apply(value.function, tuple(parts))
            found = self.elements.named(product, inner, "product", matrix)
            changed = ir.Apply(ops.index_set, (target, at_place(index), found))
            inner.append(self.line(s, target, changed))

        return lines + self.nest([(target, k) for k in range(rank - 2)], body, s)


def _joint(axes: list[tuple[ir.Axis, Place]]) -> tuple[ir.Axis, Place]:
    """The axis that several are broadcast to, of which each may be of length 1, and
    where its length is read."""
    known: dict[object, tuple[ir.Axis, Place]] = {}
    for axis, place in axes:
        if axis.length == "many":
            return axis, place
        if axis.length == "any":
            known.setdefault(axis.symbol or place, (axis, place))
    if not known:
        return ir.ONE, ir.Const(1)
    if len(known) == 1:
        (only,) = known.values()
        return only
    return ir.Axis("any"), Common(tuple(place for _, place in known.values()))
