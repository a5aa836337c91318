"""Writes into parts of arrays: at places of arrays of places, through masks, along
diagonals, and into views of what is computed as it is written."""

import operator
from collections.abc import Sequence
from dataclasses import replace

from s2sad import ir, rules
from s2sad.codegen.numba.arrays import nests, reductions
from s2sad.codegen.numba.arrays.elements import ITSELF, Index, Place
from s2sad.codegen.numba.programs import Lines, is_array
from s2sad.ops.runtime.indices import diagonal_index
from s2sad.rules.numpy.indexing import BOUNDS


class ArrayParts(reductions.Reductions):
    """Writes into parts of arrays."""

    def is_in_place(self, value: ir.Apply) -> bool:
        return all(is_array(self.facts.kind(a)) for a in value.args)

    def scatters(self, value: ir.Apply) -> bool:
        """True for a write at arrays of places, or through a mask."""
        array, index = value.args[:2]
        known = Index(index, len(self.elements.axes(array)), self.facts)
        return bool(known.arrays) and (known.mask is not None or known.is_simple())

    def written(self, s: ir.Line, value: ir.Apply) -> Sequence[ir.Statement]:
        """A write into a part of an array."""
        buffer, index, amount = value.args[:3]
        target = s.target
        lines = Lines(s)
        if value.args[3:] == (ir.Const(True),) and not self.names_places(buffer, index):
            value = replace(value, args=(*value.args[:3], ir.Const(False)))
            s = replace(s, value=value)
        if self.scatters(value):
            if target != buffer:
                lines.append(self.line(s, target, buffer))
            known = Index(index, len(self.elements.axes(buffer)), self.facts)
            if known.mask is not None:
                return [*lines, *self.written_through(s, value, known.mask)]
            return lines + self.scattered(s, value, known)
        if self.is_of_diagonal(value):
            if target != buffer:
                lines.append(self.line(s, target, buffer))
            return lines + self.written_along_diagonal(s, value)
        if not self.runs_through(value):
            return (s,)
        if target != buffer:
            lines.append(self.line(s, target, buffer))
        axes = self.axes_of_part(buffer, index)
        if axes is None:  # one element, of which there is no lazy value
            return (s,)
        kind = ir.Array(ir.dtype_of(self.facts.kind(buffer)), axes)  # type: ignore[arg-type]
        part = self.facts.fresh("part", kind)
        lines.append(self.line(s, part, ir.Apply(operator.getitem, (target, index))))

        def body(places: list[ir.Operand], inner: Lines) -> None:
            found = self.elements.element(amount, places, axes, inner)
            changed = self.change(value.function, part, places, found, inner)
            inner.append(self.line(s, part, changed))

        lines += self.comparisons_of(s, amount)
        lines += self.fitting(s, part, axes, amount)
        return lines + self.nest([(part, k) for k in range(len(axes))], body, s)

    def runs_through(self, value: ir.Apply) -> bool:
        """True for a write of an array into a part, as a loop: Numba's own would add to
        a view, and copy the view to itself."""
        index, amount = value.args[1:3]
        if isinstance(amount, ir.Var) and amount.name in self.lazy:
            return True
        if not is_array(self.facts.kind(amount)):
            return False
        return self.axes_of_part(value.args[0], index) is not None

    def names_places(self, buffer: ir.Operand, index: ir.Operand) -> bool:
        """True for an index with arrays of places, of which some may be equal."""
        return bool(Index(index, len(self.elements.axes(buffer)), self.facts).arrays)

    def axes_of_part(
        self, buffer: ir.Operand, index: ir.Operand
    ) -> tuple[ir.Axis, ...] | None:
        """The axes of a part at numbers and slices; None where it is one element."""
        rule = rules.rule_for(operator.getitem)
        assert rule is not None and rule.kind is not None
        kind = rule.kind(a=self.facts.kind(buffer), b=self._kind_of_index(index))
        return kind.axes or None if isinstance(kind, ir.Array) else None

    def _kind_of_index(self, index: ir.Operand | None) -> ir.Kind:
        """The kind of an index, as rules see it."""
        if isinstance(index, ir.Slice):
            bounds = (index.lower, index.upper, index.step)
            return ir.Structure(slice, BOUNDS, tuple(map(self._kind_of_index, bounds)))
        if isinstance(index, ir.Pack):
            return ir.Structure(
                tuple, index.keys, tuple(map(self._kind_of_index, index.items))
            )
        if index is None:
            return ir.Known(None)
        kind = self.facts.kind(index)
        if kind is None and isinstance(index, ir.Const):
            return ir.Known(index.value)
        return kind or ir.UNKNOWN

    def scattered(
        self, s: ir.Line, value: ir.Apply, index: Index
    ) -> list[ir.Statement]:
        """A write at arrays of places."""
        buffer, places, amount = value.args[:3]
        target = s.target
        whole = self.elements.axes_of_places(index)
        own = self.elements.axes(buffer)
        picked = ir.Apply(operator.getitem, (target, places))
        axes: list[ir.Axis] = []
        lengths: list[Place] = []
        result = index.axes_of_result()
        for k, (form, axis) in enumerate(result):
            axes.append(own[axis] if form == "axis" else whole[len(whole) - axis])
            lengths.append(self.elements.length_of_value(picked, k, len(result)))

        def body(at: list[ir.Operand], inner: Lines) -> None:
            found = self.elements.element(amount, at, axes, inner)
            where = self.elements.places(buffer, places, at, inner)
            changed = self.change(value.function, target, where, found, inner)
            inner.append(self.line(s, target, changed))

        return self.nest(lengths, body, s)

    def only_places(self, index: ir.Var) -> bool:
        """True where an index is of the main diagonal wherever it is read."""
        readers = [
            s for s in ir.walk(self.function.body) if index in ir.direct_reads(s)
        ]
        return all(
            ir.applies(s, *nests.WRITES) and self.is_of_diagonal(s.value)
            for s in readers
        )

    def is_of_diagonal(self, value: ir.Apply) -> bool:
        """True for a write along the main diagonal of a matrix."""
        array, index = value.args[:2]
        made = self.facts.made_by.get(index.name) if isinstance(index, ir.Var) else None
        return (
            made is not None
            and made.function is diagonal_index
            and made.args[1] == ir.Const(0)
            and len(self.elements.axes(array)) == 2
        )

    def written_along_diagonal(self, s: ir.Line, value: ir.Apply) -> list[ir.Statement]:
        """A write along the main diagonal of a matrix."""
        target, amount = s.target, value.args[2]
        lines = Lines(s)
        ends = [self.elements.named_length((target, k), lines) for k in (0, 1)]
        shorter = ir.Apply(min, tuple(ends))
        count = self.elements.named(shorter, lines, "count", ir.INT)

        def body(index: list[ir.Operand], inner: Lines) -> None:
            axes = self.elements.axes(amount)
            found = self.elements.element(amount, index, axes, inner)
            changed = self.change(
                value.function, target, [*index, *index], found, inner
            )
            inner.append(self.line(s, target, changed))

        return lines + self.nest([(count, ITSELF)], body, s)

    def written_through(
        self, s: ir.Line, value: ir.Apply, mask: ir.Var
    ) -> list[ir.Statement]:
        """A write at the elements that a mask names."""
        target, amount = s.target, value.args[2]
        rank = len(self.elements.axes(mask))
        if rank != len(self.elements.axes(value.args[0])):
            return [s]
        several = is_array(self.facts.kind(amount))
        count = self.facts.fresh("count", ir.INT)
        lines = Lines(s)
        if several:
            lines.append(self.line(s, count, ir.Const(0)))

        def body(index: list[ir.Operand], inner: Lines) -> None:
            test = self.elements.element(mask, index, self.elements.axes(mask), inner)
            chosen = Lines(s)
            found = amount
            if several:
                axes = self.elements.axes(amount)
                found = self.elements.element(amount, [count], axes, chosen)
            changed = self.change(value.function, target, index, found, chosen)
            chosen.append(self.line(s, target, changed))
            if several:
                more = ir.Apply(operator.add, (count, ir.Const(1)), (), "augmented")
                chosen.append(self.line(s, count, more))
            inner.append(ir.If(s.span, test, tuple(chosen), ()))

        return lines + self.nest([(target, k) for k in range(rank)], body, s)
