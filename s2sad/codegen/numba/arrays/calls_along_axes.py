"""Calls that NumPy makes along an axis, and Numba doesn't: sorting, sums and products
so far, padding, differences."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.codegen.numba.arrays import array_helpers
from s2sad.codegen.numba.call_lines import ANY, CallLines, known_value
from s2sad.codegen.numba.programs import is_array


class CallsAlongAxes(CallLines):
    """Writes them by helpers along the first axis."""

    def _of_one_along(self, function: Any, x: ir.Operand, axis: int) -> ir.Apply:
        """A function along the first axis, along another."""
        return self._of_all_along(function, (x,), axis)

    def _of_all_along(
        self, function: Any, arrays: tuple[ir.Operand, ...], axis: int
    ) -> ir.Apply:
        """The same of arrays of equal shapes; the result has the last one's."""
        front = tuple(self._to_front(x, axis) for x in arrays)
        found = ir.Apply(function, front)
        if axis == 0:
            return found
        kind = self.kind(front[-1])
        assert isinstance(kind, ir.Array)
        dtype = "int64" if function is array_helpers.order_in_columns else "float64"
        result = self.named(found, replace(kind, dtype=dtype), "result")
        return ir.Apply(np.moveaxis, (result, ir.Const(0), ir.Const(axis)))

    def cumulated(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        axis = self._axis(value, 1)
        floats = ir.dtype_of(self.kind(value.args[0]) or ir.INT) == "float64"
        if axis is None or len(value.args) > 2 or not floats:
            return None
        if len(self.axes(value.args[0])) == 1:
            return ir.Apply(value.function, value.args[:1])
        so_far = array_helpers.sums_so_far
        if value.function is np.cumprod:
            so_far = array_helpers.products_so_far
        return self._of_one_along(so_far, value.args[0], axis)

    def _flat(self, value: ir.Apply) -> ir.Apply:
        """A call by which all elements are one line, of the flattened array."""
        given = (
            value.args[1] if len(value.args) > 1 else dict(value.keywords).get("axis")
        )
        kind = self.kind(value.args[0])
        if given != ir.Const(None) or not isinstance(kind, ir.Array):
            return value
        line = value.args[0]
        if len(self.axes(line)) != 1:
            flat = replace(kind, axes=(ir.Axis("any"),))
            line = self.named(ir.Apply(np.ravel, (line,)), flat)
        words = tuple((k, v) for k, v in value.keywords if k != "axis")
        return ir.Apply(value.function, (line,), words)

    def in_order(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        value = self._flat(value)
        x = value.args[0]
        axis = self._axis(value, 1, -1)
        if axis is None or {k for k, _ in value.keywords} - {"axis", "kind"}:
            return None
        if len(self.axes(x)) == 1:
            return ir.Apply(np.sort, (x,))
        if len(self.axes(x)) == 2 and ir.dtype_of(self.kind(x)) == "float64":  # type: ignore[arg-type]
            return self._of_one_along(array_helpers.sorted_columns, x, axis)
        return None

    def argsort(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """Numba calls the stable order that of a mergesort."""
        value = self._flat(value)
        words = dict(value.keywords)
        rank = len(self.axes(value.args[0]))
        axis = self._axis(value, 1, -1)
        if set(words) - {"axis", "kind"} or axis is None:
            return None
        if rank == 2:
            return self._of_all_along(
                array_helpers.order_in_columns, value.args[:1], axis
            )
        if rank != 1:
            return None
        kind = (("kind", ir.Const("mergesort")),)
        return ir.Apply(np.argsort, value.args[:1], kind)

    def taken(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        ranks = [len(self.axes(a)) for a in value.args[:2]]
        axis = self._axis(value, 2, -1)
        if ranks == [2, 2] and axis is not None:
            return self._of_all_along(
                array_helpers.taken_in_columns, value.args[:2], axis
            )
        return ir.Apply(operator.getitem, value.args[:2]) if ranks == [1, 1] else None

    def with_new_axes(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """Several new axes, one after the other."""
        axis = self.setting(value, 1, "axis")
        kind = self.kind(value.args[0])
        if axis == 0 and isinstance(kind, ir.Scalar | ir.NumPyScalar):
            return ir.Apply(np.full, (ir.Const(1), value.args[0]))
        if not isinstance(axis, tuple) or not is_array(kind):
            return None
        assert isinstance(kind, ir.Array)
        axes = kind.axes or ()
        rank = len(axes) + len(axis)
        *others, last = sorted(a % rank for a in axis)
        x = value.args[0]
        for at in others:
            axes = (*axes[:at], ir.ONE, *axes[at:])
            wide = ir.Apply(np.expand_dims, (x, ir.Const(at)))
            x = self.named(wide, ir.Array(kind.dtype, axes), "wide")
        return ir.Apply(np.expand_dims, (x, ir.Const(last)))

    def variance(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """The mean of the squares of what differs from the mean."""
        x = value.args[0]
        axis = self._axis(value, 1)
        axes = self.axes(x)
        if axis is None or {k for k, _ in value.keywords} - {"axis"} or len(axes) < 2:
            return None
        kind = ir.Array("float64", (*axes[:axis], ir.ONE, *axes[axis + 1 :]))
        words = (("axis", ir.Const(axis)), ("keepdims", ir.Const(True)))
        mean = self.named(ir.Apply(np.mean, (x,), words), kind, "mean")
        whole = ir.Array("float64", axes)
        apart = self.named(ir.Apply(operator.sub, (x, mean)), whole, "apart")
        square = self.named(ir.Apply(operator.mul, (apart, apart)), whole, "square")
        return ir.Apply(np.mean, (square,), words[:1])

    def padded(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """Zeros around one axis."""
        if len(value.args) != 2 or value.keywords:
            return None
        x, widths = value.args
        given = known_value(widths)
        rank = len(self.axes(x))
        if not rank or ir.dtype_of(self.kind(x)) != "float64":  # type: ignore[arg-type]
            return None
        if type(given) is int:
            pairs: Any = ((given, given),) * rank
        elif isinstance(given, tuple) and given and type(given[0]) is int:
            pairs = (given,) * rank if len(given) == 2 else None
        else:
            pairs = given
        if not isinstance(pairs, tuple) or len(pairs) != rank:
            return None
        wide = [k for k, pair in enumerate(pairs) if tuple(pair) != (0, 0)]
        if len(wide) != 1:
            return None
        (axis,) = wide
        front = self._to_front(x, axis)
        args = (front, *map(ir.Const, pairs[axis]))
        found = ir.Apply(array_helpers.with_zeros_around, args)
        if axis == 0:
            return found
        kind = self.kind(front)
        assert isinstance(kind, ir.Array)
        longer = ir.Array(kind.dtype, (ANY, *(kind.axes or ())[1:]))
        result = self.named(found, longer, "padded")
        return ir.Apply(np.moveaxis, (result, ir.Const(0), ir.Const(axis)))

    def mean_of_ties(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        values, ordered, axis = value.args[0], value.args[1], known_value(value.args[2])
        if len(self.axes(ordered)) == 1:
            return ir.Apply(array_helpers.mean_of_equals, value.args[:2])
        if len(self.axes(ordered)) != 2 or type(axis) is not int:
            return None
        in_columns = array_helpers.mean_of_equals_in_columns
        return self._of_all_along(in_columns, (values, ordered), axis % 2)

    def product_of_others(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        x, axis = value.args[0], known_value(value.args[1])
        rank = len(self.axes(x))
        if rank == 1:
            return ir.Apply(array_helpers.products_of_others, (x,))
        if rank == 2 and type(axis) is int:
            columns = array_helpers.products_of_others_in_columns
            return self._of_one_along(columns, x, axis % 2)
        return None

    def weights_of_median(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        if len(self.axes(value.args[0])) != 1:
            return None
        return ir.Apply(array_helpers.weights_in_median, value.args[:1])

    def diff(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """``x[1:] - x[:-1]``, as often as is said."""
        x = value.args[0]
        axes = self.axes(x)
        n = self.setting(value, 1, "n")
        axis = self.setting(value, 2, "axis")
        n, axis = 1 if n is None else n, -1 if axis is None else axis
        if not axes or type(n) is not int or type(axis) is not int or not 0 < n < 4:
            return None
        at = axis % len(axes)
        kind = self.kind(x)
        assert isinstance(kind, ir.Array)
        shorter = ir.Array(kind.dtype, (*axes[:at], ANY, *axes[at + 1 :]))
        for k in range(n):
            parts = []
            for first, last in ((ir.Const(1), None), (None, ir.Const(-1))):
                whole: list[ir.Operand] = [ir.Slice(None, None, None)] * at
                index = (*whole, ir.Slice(first, last, None))
                part = index[0] if len(index) == 1 else ir.pack_tuple(*index)
                read = ir.Apply(operator.getitem, (x, part))
                parts.append(self.named(read, shorter))
            difference = ir.Apply(operator.sub, tuple(parts))
            if k == n - 1:
                return difference
            x = self.named(difference, shorter, "difference")
        return None
