"""One element of the value of an operation on arrays, as operations on elements.

``element`` of ``add(x, transpose(y))`` at ``(i, j)`` is ``add(x[i, j], y[j, i])``. The
operations are those that compute each element by itself (elementwise functions, outer
products), move elements (transposes, new axes, broadcasts) or pick them by arrays of
places.

An axis of length 1 is read at 0. Where it isn't known whether a length is 1, the text
asks.
"""

import builtins
import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.arrays.indexing import Index
from s2sad.codegen.numba.lists import lengths
from s2sad.codegen.numba.lists.lengths import COPIES, ITSELF, Place
from s2sad.codegen.numba.programs import Lines
from s2sad.ops.runtime.broadcasting import as_dtype_of
from s2sad.rules.numpy.shapes import CASTS
from s2sad.rules.python.choice import choose
from s2sad.rules.steps.shape_queries import axis_length

OPERATORS: dict[Any, Any] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
    np.power: operator.pow,
    builtins.pow: operator.pow,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
}
"""What functions of arrays are between numbers."""


def stem_of(name: str) -> str:
    """What a variable is called, without the numbers that tell it from others.

    >>> stem_of("total.1.bar~2"), stem_of(".cotangent.13:ties")
    ('total.bar', 'ties')
    """
    stem = re.sub(r"[.~]\d+", "", name.split(":")[-1]).strip(".")
    return stem or "item"


class Elements(lengths.Lengths):
    """Writes lines that compute elements."""

    def element(
        self,
        operand: ir.Operand,
        index: Sequence[ir.Operand],
        axes: Sequence[ir.Axis],
        lines: Lines,
    ) -> ir.Operand:
        """The element of an operand that broadcasts to ``axes``, at an index of as many
        places; ``lines`` gets what computes it."""
        own = self.axes(operand)
        if not own:
            return operand
        places = self.places_in(operand, index, axes, lines)
        assert isinstance(operand, ir.Var)
        if operand.name in self.lazy:
            value = self.lazy[operand.name].value
            assert isinstance(value, ir.Apply)
            return self.computed(value, places, own, lines, stem_of(operand.name))
        return self.read(operand, places, lines)

    def places_in(
        self,
        operand: ir.Operand,
        index: Sequence[ir.Operand],
        axes: Sequence[ir.Axis],
        lines: Lines,
    ) -> list[ir.Operand]:
        """Where an operand that broadcasts to ``axes`` has what belongs to an index."""
        own = self.axes(operand)
        places = list(index[len(index) - len(own) :])
        wanted = list(axes[len(axes) - len(own) :])
        for k, (axis, whole) in enumerate(zip(own, wanted)):
            if axis.length == "one":
                places[k] = ir.Const(0)
            elif axis.length == "any" and not _same(axis, whole):
                places[k] = self._asked(operand, k, places[k], lines)
        return places

    def computed(
        self,
        value: ir.Apply,
        index: Sequence[ir.Operand],
        axes: Sequence[ir.Axis],
        lines: Lines,
        stem: str,
    ) -> ir.Operand:
        """The element of an operation's result."""

        def at(operand: ir.Operand, places: Sequence[ir.Operand]) -> ir.Operand:
            return self.element(operand, places, self.axes(operand), lines)

        first = value.args[0]
        if value.function in (*lengths.SPREAD, *COPIES, as_dtype_of):
            return self.element(first, index, axes, lines)
        if value.function is np.arange:
            return index[0]
        if value.function is np.outer:
            parts = [at(a, (i,)) for a, i in zip(value.args, index)]
            return self.named(ir.Apply(operator.mul, tuple(parts)), lines, stem)
        if self.is_elementwise(value):

            def part(operand: ir.Operand) -> ir.Operand:
                whole = lengths.is_setting(operand)
                return operand if whole else self.element(operand, index, axes, lines)

            args = tuple(map(part, value.args))
            words = tuple((k, part(v)) for k, v in value.keywords)
            return self.named(ir.Apply(value.function, args, words), lines, stem)
        if value.function is np.roll:
            return at(first, self._rolled(value, index, lines))
        rank = len(self.axes(first))
        moved = ops.index_map_of(value, rank)
        if moved is not None:
            places = list(index)
            for k in sorted(moved.backwards):
                axis = moved.sources[k]
                assert axis is not None
                places[k] = self._from_the_end(first, axis, index[k], lines)
            return at(first, moved.back(places, rank, ir.Const(0)))
        return at(first, self.places(first, value.args[1], index, lines))

    def _from_the_end(
        self, array: ir.Operand, axis: int, place: ir.Operand, lines: Lines
    ) -> ir.Operand:
        """The place that is as far from the end of an axis as another from its
        start."""
        length = self.named_length(self.length(array, axis), lines)
        last = ir.Apply(operator.sub, (length, ir.Const(1)))
        last_place = self._line(last, lines, "last")
        return self._line(ir.Apply(operator.sub, (last_place, place)), lines, "place")

    def _rolled(
        self, value: ir.Apply, index: Sequence[ir.Operand], lines: Lines
    ) -> list[ir.Operand]:
        """Where an element comes from that ``np.roll`` moves."""
        known = self.rolled(value)
        assert known is not None
        shift, k = known
        places = list(index)
        length = self.named_length(self.length(value.args[0], k), lines)
        back = self._line(ir.Apply(operator.sub, (places[k], shift)), lines, "back")
        moved = ir.Apply(operator.mod, (back, length))
        places[k] = self._line(moved, lines, "place")
        return places

    def places(
        self,
        array: ir.Operand,
        index: ir.Operand,
        at: Sequence[ir.Operand],
        lines: Lines,
    ) -> list[ir.Operand]:
        """Where ``array[index]`` has its element ``at``."""
        known = Index(index, len(self.axes(array)), self.facts)
        of_axes: dict[int, ir.Operand] = {}
        of_arrays: dict[int, ir.Operand] = {}
        for (form, k), place in zip(known.axes_of_result(), at):
            if form == "axis":
                of_axes[k] = place
            elif form == "place":
                of_arrays[k] = place
        spread = known.spread()
        shared = [of_arrays[spread - k] for k in range(spread)]
        whole = self.axes_of_places(known)
        found: list[ir.Operand] = []
        axis = 0
        for item in known.items:
            if item == ir.Const(None):
                continue
            if isinstance(item, ir.Slice):
                found.append(of_axes[axis])
            else:
                found.append(self.element(item, shared, whole, lines))
            axis += 1
        return found

    def axes_of_places(self, index: Index) -> list[ir.Axis]:
        """The axes of arrays of places, broadcast together."""
        spread = index.spread()
        found = [ir.ONE] * spread
        for array in index.arrays:
            axes = self.axes(array)
            for k, axis in enumerate(axes, spread - len(axes)):
                if axis.length != "one" and found[k].length != "many":
                    found[k] = axis
        return found

    def read(self, array: ir.Var, places: Sequence[ir.Operand], lines: Lines) -> ir.Var:
        """One element of a variable."""
        index = places[0] if len(places) == 1 else ir.pack_tuple(*places)
        value = ir.Apply(operator.getitem, (array, index))
        dtype = ir.dtype_of(self.facts.kinds[array.name])
        return self.named(value, lines, "item", ir.NumPyScalar(dtype))

    def named(
        self, value: ir.Apply, lines: Lines, stem: str, kind: ir.Kind | None = None
    ) -> ir.Var:
        """A variable for an operation on elements."""
        kind = kind or ir.NumPyScalar(self._dtype(value))
        if value.function in OPERATORS:
            value = ir.Apply(OPERATORS[value.function], value.args)
        target, like = self.facts.fresh(stem, kind), lines.like
        lines.append(ir.Assign(like.span, target, value, kind, derived=like.derived))
        return target

    def _dtype(self, value: ir.Apply) -> str:
        """The dtype of an operation on numbers."""
        if value.function in CASTS:
            dtype = (
                value.args[1] if len(value.args) > 1 else dict(value.keywords)["dtype"]
            )
            assert isinstance(dtype, ir.Const)
            return np.dtype(dtype.value).name
        samples = []
        for arg in value.args:
            kind = self.facts.kind(arg)
            samples.append(np.ones((), ir.dtype_of(kind) or "float64")[()])  # type: ignore[arg-type]
        if value.function is as_dtype_of:
            return samples[0].dtype.name
        if value.function in (choose, np.where):
            return str(np.result_type(*samples[1:]))
        try:
            with np.errstate(all="ignore"):
                return np.asarray(value.function(*samples)).dtype.name
        except TypeError:
            return "float64"

    def named_length(self, place: Place, lines: Lines) -> ir.Operand:
        """A length as an operand."""
        if isinstance(place, ir.Const):
            return place
        if isinstance(place, lengths.Common):
            *others, last = place.places
            length = self.named_length(last, lines)
            for other in reversed(others):
                first = self.named_length(other, lines)
                test = self._line(
                    ir.Apply(operator.ne, (first, ir.Const(1))), lines, "wide"
                )
                chosen = ir.Apply(choose, (test, first, length))
                length = self._line(chosen, lines, "length")
            return length
        operand, axis = place
        if axis == ITSELF:
            return operand
        if axis == lengths.AT_LEAST_ZERO:
            return self._line(ir.Apply(max, (operand, ir.Const(0))), lines, "length")
        read = ir.Apply(axis_length, (operand, ir.Const(axis)))
        return self._line(read, lines, "length")

    def _line(self, value: ir.Apply, lines: Lines, stem: str) -> ir.Var:
        kind = ir.Scalar("bool") if stem == "wide" else ir.INT
        target = self.facts.fresh(stem, kind)
        lines.append(ir.Assign(None, target, value, kind, derived=lines.like.derived))
        return target

    def _asked(
        self, operand: ir.Operand, axis: int, place: ir.Operand, lines: Lines
    ) -> ir.Operand:
        """The place along an axis that may be of length 1."""
        length = self.named_length(self.length(operand, axis), lines)
        if isinstance(length, ir.Const):
            return ir.Const(0) if length == ir.Const(1) else place
        test = self.named(
            ir.Apply(operator.ne, (length, ir.Const(1))),
            lines,
            "wide",
            ir.Scalar("bool"),
        )
        return self.named(
            ir.Apply(choose, (test, place, ir.Const(0))), lines, "place", ir.INT
        )


def _same(axis: ir.Axis, other: ir.Axis) -> bool:
    return axis.symbol is not None and axis.symbol == other.symbol
