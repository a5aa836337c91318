"""Sums of contributions over the axes in which a variable was broadcast."""

import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of, sum_to_shape_of
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.adjoints.adjoints import Adjoints


class BroadcastSums(Adjoints):
    """The adjoints, with sums that bring contributions to their shapes."""

    def __init__(
        self, function: ir.Function, spec: Specialiser, active: set[str]
    ) -> None:
        super().__init__(function, spec, active)
        self._statement_names: list[str] = []
        """The variables that the current statement reads and writes."""

    def of_shape(
        self, value: core.Leaf, x: ir.Operand, kind: ir.Kind | None = None
    ) -> core.Leaf:
        """A cotangent of ``x``, of promoted kind, summed to the shape of ``x``."""
        if ir.axes_of(value.kind) == ():
            return value
        if kind is None:
            kind = self.kind(x.name)  # type: ignore[union-attr]
        wanted = core.Leaf(x, kind)
        return core.single(
            self.spec.apply(sum_to_shape_of, (value, wanted), hint="reduced")
        )

    def of_number(self, value: core.Leaf) -> core.Leaf:
        """The cotangent of a number, from that of the array that it joined."""
        if ir.axes_of(value.kind) == ():
            return value
        return core.single(self.spec.apply(np.sum, (value,), hint="total"))

    def reduced(
        self, value: core.Leaf, result: core.Leaf, argument: core.Value
    ) -> core.Leaf:
        """Sum a contribution over the axes in which the argument was broadcast to the
        result."""
        out, kind = result.kind, core.kind_of(argument)
        axes, wanted = ir.axes_of(out), ir.axes_of(kind)
        promoted = [k for k in (out, kind) if isinstance(k, ir.Array) and k.promoted]
        if promoted and kind == out:
            return value
        if isinstance(kind, ir.Array) and kind.promoted and wanted is not None:
            if axes is not None and len(axes) == len(wanted):
                return value
        if ir.is_optional_number(out):
            return value  # a number, where there is one
        if axes is None or wanted is None or len(wanted) > len(axes):
            return self._summed_at_run_time(value, result, argument)
        offset = len(axes) - len(wanted)
        summed: list[int] = []
        for position, axis in enumerate(axes):
            own = None if position < offset else wanted[position - offset]
            if axis.length == "one" or (own is not None and own.length == "many"):
                continue
            if own is None or own.length == "one":
                summed.append(position)
            elif own.symbol is None or own.symbol != axis.symbol:
                return self._summed_at_run_time(value, result, argument)
        if not offset and not summed:
            return value
        return self._summed(value, axes, summed, offset, result, argument)

    def _summed_at_run_time(
        self, value: core.Leaf, result: core.Leaf, argument: core.Value
    ) -> core.Leaf:
        """Decided when the program runs, from a contribution of the result's full
        shape."""
        maybe_number = ir.is_promoted(result.kind)
        if maybe_number or not self.is_full(value.kind, result.kind):
            unknown = maybe_number or ir.axes_of(result.kind) is None
            spread = broadcast_to_shape_of if unknown else ops.broadcast_like
            filled = core.single(self.spec.apply(spread, (value, result), hint="full"))
            value = filled
        return core.single(
            self.spec.apply(sum_to_shape_of, (value, argument), hint="reduced")
        )

    def _summed(
        self,
        value: core.Leaf,
        axes: tuple[ir.Axis, ...],
        summed: list[int],
        offset: int,
        out: core.Leaf,
        argument: core.Value,
    ) -> core.Leaf:
        """Sum over known axes. An axis along which the contribution is constant is
        counted, not summed."""
        present = ir.axes_of(value.kind)
        if present is None or (
            isinstance(value.kind, ir.Array) and value.kind.promoted
        ):
            return self._summed_at_run_time(value, out, argument)
        shift = len(axes) - len(present)
        spread = [p for p in summed if p < shift or present[p - shift].length == "one"]
        if spread and ir.is_promoted(out.kind):  # where it is a number, it has no axes
            return self._summed_at_run_time(value, out, argument)
        real = [p - shift for p in summed if p not in spread]
        result: core.Value = value
        for position in spread:
            count = self._length_of_result(position, axes, out)
            result = self.spec.operate(operator.mul, (result, count))
        return core.single(self._sum_over(result, real, offset - shift, present))

    def _length_of_result(
        self, position: int, axes: tuple[ir.Axis, ...], out: core.Leaf
    ) -> core.Value:
        array, place = self.find_axis(axes[position].symbol) or (out, position)
        return self.spec.apply(
            axis_length, (array, core.constant(place)), hint="length"
        )

    def find_axis(self, symbol: Any) -> tuple[core.Leaf, int] | None:
        """A variable read or written by the current statement that has an axis of this
        symbol."""
        for name in self._statement_names:
            axes = ir.axes_of(self.kind(name)) or ()
            for place, axis in enumerate(axes):
                if axis.symbol == symbol and symbol is not None:
                    return core.Leaf(ir.Var(name), self.kind(name)), place
        return None

    def _sum_over(
        self,
        value: core.Value,
        axes: list[int],
        offset: int,
        present: tuple[ir.Axis, ...],
    ) -> core.Value:
        leading = list(range(max(offset, 0)))
        inner = [p - len(leading) for p in axes if p >= len(leading)]
        if leading and len(leading) == len(present):
            return self.spec.apply(np.sum, (value,), hint="total")
        if leading:
            value = self.spec.apply(
                np.sum, (value,), {"axis": _axis(leading)}, hint="total"
            )
        if inner:
            value = self.spec.apply(
                np.sum,
                (value,),
                {"axis": _axis(inner), "keepdims": core.constant(True)},
                hint="total",
            )
        return value


def _axis(axes: list[int]) -> core.Value:
    if len(axes) == 1:
        return core.constant(axes[0])
    return core.aggregate_of(tuple(core.constant(a) for a in axes))
