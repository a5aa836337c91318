"""Calls that Numba doesn't know, as calls and operations that it does.

::

    d = diff(x)                              a = getitem(x, 1:)
                                     ->      b = getitem(x, :-1)
                                             d = sub(a, b)

Takes the program before arrays become loops, so that what is written here as
elementwise operations joins the loops around it. Functions that need loops of their own
are in :mod:`~s2sad.codegen.numba.arrays.array_helpers`.
"""

import math
import operator
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import call_lines, functions, helpers
from s2sad.codegen.numba.arrays import array_helpers, calls_along_axes, indexing, nests
from s2sad.codegen.numba.numbers.complex_operations import is_complex
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.ops.numerics import special
from s2sad.ops.runtime import products, sequences, ties
from s2sad.ops.runtime.indices import last_writes
from s2sad.rules.steps.shape_queries import axis_length

_FULL = ir.Slice(None, None, None)


def with_known_calls(function: ir.Function) -> ir.Function:
    """The program with calls that Numba knows."""
    facts = Facts(function)
    calls = _Calls(facts)
    return facts.program(ir.with_leaves(function.body, calls.statement), calls.changed)


class _Calls(calls_along_axes.CallsAlongAxes):
    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.table: dict[
            Any, Callable[[ir.Assign, ir.Apply], ir.Apply | ir.Operand | None]
        ] = {
            np.concatenate: self.joined,
            np.stack: self.joined,
            np.hstack: self.side_by_side,
            np.vstack: self.on_top,
            np.array: self.array,
            np.asarray: self.array,
            np.linspace: self.linspace,
            np.diff: self.diff,
            np.vdot: self.inner,
            np.inner: self.inner,
            np.matmul: self.product,
            np.tile: self.tiled,
            np.cumsum: self.cumulated,
            np.cumprod: self.cumulated,
            np.sort: self.in_order,
            np.argsort: self.argsort,
            np.take_along_axis: self.taken,
            np.expand_dims: self.with_new_axes,
            np.var: self.variance,
            np.pad: self.padded,
            np.linalg.cross: self.cross,
            np.diag: self.diagonal,
            np.conjugate: self.itself,
            np.real: self.itself,
            **dict.fromkeys(functions.OF_COMPLEX, self.of_complex),
            last_writes: self.last_writes,
            ops.overwritten_part: self.part,
            ties.mean_of_ties: self.mean_of_ties,
            products.product_of_others: self.product_of_others,
            ties.weights_of_median: self.weights_of_median,
            sequences.order_of_items: self.order_of_items,
            special.digamma: self.digamma,
        }

    def statement(self, s: ir.Statement) -> ir.Block:
        if not ir.applies(s):
            return (s,)
        value = self.with_places(self.with_settings(s.value))
        self.like = s
        value = self.of_numbers(value)
        try:
            change = self.table.get(value.function)
        except TypeError:
            change = None
        if value.function in (float, int, bool) and not value.args:
            return (replace(s, value=ir.Const(value.function())),)
        changed = change(s, value) if change is not None else None
        if changed is None and value is s.value and not self.lines:
            return (s,)
        line = replace(s, value=value if changed is None else changed)
        lines, self.lines = (*self.lines, line), []
        return lines

    def with_settings(self, value: ir.Apply) -> ir.Apply:
        """The call with what is known of its settings (axes, counts) written out."""
        if not (getattr(value.function, "__module__", "") or "").startswith("numpy"):
            return value

        def settled(operand: ir.Operand) -> ir.Operand:
            if isinstance(operand, ir.Var) and self.facts.writes[operand.name] == 1:
                kind = self.facts.kinds.get(operand.name)
                if isinstance(kind, ir.Scalar) and kind.type in ("int", "bool"):
                    if isinstance(kind.value, bool | int):
                        return ir.Const(kind.value)
            return operand

        words = tuple((k, settled(v)) for k, v in value.keywords)
        args = (*value.args[:1], *map(settled, value.args[1:]))
        if words == value.keywords and args == value.args:
            return value
        return replace(value, args=args, keywords=words)

    def with_places(self, value: ir.Apply) -> ir.Apply:
        """The operation with lists of places as arrays of them."""
        of_parts = (operator.getitem, ops.overwritten_part, last_writes, *nests.WRITES)
        if value.function not in of_parts or not is_array(self.kind(value.args[0])):
            return value
        index = value.args[1]
        items = index.items if _is_tuple(index) else (index,)  # type: ignore[union-attr]
        found = tuple(map(self.place, items))
        if ir.Const(Ellipsis) in found:
            at = found.index(ir.Const(Ellipsis))
            named = sum(i not in (ir.Const(Ellipsis), ir.Const(None)) for i in found)
            rest = len(self.axes(value.args[0])) - named
            found = (*found[:at], *[_FULL] * rest, *found[at + 1 :])
        if found == items:
            return value
        whole: ir.Operand = found[0] if len(found) == 1 else ir.pack_tuple(*found)
        return replace(value, args=(value.args[0], whole, *value.args[2:]))

    def place(self, item: ir.Operand) -> ir.Operand:
        """A list in an index as an array."""
        kind = self.kind(item)
        display = isinstance(item, ir.Pack) and item.constructor is list
        if display and isinstance(item, ir.Pack):
            items = [self.kind(i) for i in item.items]
            if items and all(
                isinstance(k, ir.Scalar | ir.NumPyScalar) and ir.dtype_of(k) == "int64"
                for k in items
            ):
                return self.named(
                    ir.Apply(np.array, (item,)), ir.Array("int64", (call_lines.ANY,))
                )
        number = kind.item if isinstance(kind, ir.List) else None
        if isinstance(number, ir.Scalar) and ir.dtype_of(number) == "int64":
            made = ir.Apply(helpers.array_of_items, (item,))
            return self.named(made, ir.Array("int64", (call_lines.ANY,)))
        return item

    def of_numbers(self, value: ir.Apply) -> ir.Apply:
        """SciPy's functions of numbers as Python's, or helpers."""
        scipy = sys.modules.get("scipy.special")
        if scipy is None or not isinstance(value.function, np.ufunc):
            return value
        name = value.function.__name__
        found = _OF_SCIPY.get(name)
        if found is None or getattr(scipy, name, None) is not value.function:
            return value
        return replace(value, function=found, spelling="")

    def joined(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """The arrays in a tuple: Numba joins no lists."""
        parts = value.args[0]
        if not isinstance(parts, ir.Pack) or parts.constructor is tuple:
            return None
        return replace(value, args=(ir.pack_tuple(*parts.items), *value.args[1:]))

    def alike(self, value: ir.Apply) -> tuple[ir.Operand, int] | None:
        """The tuple of the arrays that are the only argument, and their common rank."""
        parts = value.args[0]
        if not isinstance(parts, ir.Pack) or value.keywords:
            return None
        ranks = {len(self.axes(p)) for p in parts.items}
        if len(ranks) != 1 or 0 in ranks:
            return None
        return ir.pack_tuple(*parts.items), ranks.pop()

    def side_by_side(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        if (found := self.alike(value)) is None:
            return None
        axis = () if found[1] == 1 else (("axis", ir.Const(1)),)
        return ir.Apply(np.concatenate, (found[0],), axis)

    def on_top(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        if (found := self.alike(value)) is None:
            return None
        return ir.Apply(np.stack if found[1] == 1 else np.concatenate, (found[0],))

    def array(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | ir.Operand | None:
        """``np.array`` of arrays, or of an array."""
        first = value.args[0]
        dtype = self.setting(value, 1, "dtype")
        if len(value.args) > 2 or {k for k, _ in value.keywords} - {"dtype"}:
            return None
        if isinstance(first, ir.Pack) and dtype is None:
            kinds = {
                (len(self.axes(p)), ir.dtype_of(k) if (k := self.kind(p)) else None)
                for p in first.items
            }
            if len(kinds) == 1 and kinds.pop()[0] > 0:
                return ir.Apply(np.stack, (ir.pack_tuple(*first.items),))
            return None
        if is_array(self.kind(first)):
            own = ir.dtype_of(self.kind(first))  # type: ignore[arg-type]
            if dtype is not None and np.dtype(dtype).name != own:
                return None
            return (
                first
                if value.function is np.asarray
                else ir.Apply(ops.own_copy, (first,))
            )
        number = dtype is None and is_complex(self.kind(first))
        return first if value.function is np.asarray and number else None

    def linspace(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """Without what Numba's doesn't take."""
        end = self.setting(value, 3, "endpoint")
        words = dict(value.keywords)
        if (end is not True and end is not None) or set(words) - {"endpoint", "num"}:
            return None
        number = value.args[2] if len(value.args) > 2 else words.get("num")
        args = value.args[:2] if number is None else (*value.args[:2], number)
        return ir.Apply(np.linspace, args)

    def inner(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        ranks = [len(self.axes(a)) for a in value.args]
        return ir.Apply(operator.matmul, value.args) if ranks == [1, 1] else None

    def product(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """``x @ y``, which is all that Numba has."""
        plain = len(value.args) == 2 and not value.keywords
        return ir.Apply(operator.matmul, value.args) if plain else None

    def tiled(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """A vector several times, one behind the other."""
        times = call_lines.known_value(value.args[1]) if len(value.args) == 2 else None
        if (
            type(times) is not int
            or not 0 < times <= 8
            or len(self.axes(value.args[0])) != 1
        ):
            return None
        return ir.Apply(np.concatenate, (ir.pack_tuple(*([value.args[0]] * times)),))

    def cross(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        ranks = [len(self.axes(a)) for a in value.args]
        if ranks != [1, 1] or value.keywords:
            return None
        return ir.Apply(array_helpers.cross_product, value.args)

    def diagonal(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """Without an offset of 0."""
        if len(value.args) == 2 and value.args[1] == ir.Const(0) and not value.keywords:
            return ir.Apply(np.diag, value.args[:1])
        return None

    def itself(self, s: ir.Assign, value: ir.Apply) -> ir.Operand | None:
        """The conjugate of what is real."""
        kind = self.kind(value.args[0])
        real = kind is not None and ir.dtype_of(kind) in ("float64", "int64")
        return value.args[0] if real and len(value.args) == 1 else None

    def of_complex(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """What stands for a function of complex numbers."""
        if value.keywords or not is_complex(self.kind(value.args[0])):
            return None
        return ir.Apply(functions.OF_COMPLEX[value.function], value.args)

    def last_writes(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """Which of several writes at arrays of places stay."""
        x, places = value.args
        axes = self.axes(x)
        index = indexing.Index(places, len(axes), self.facts)
        if not index.arrays or index.mask is not None or not index.is_simple():
            return None
        ranks = {len(self.axes(a)) for a in index.arrays}
        if ranks != {1} or len(index.arrays) != len(index.picked) or index.picked[0]:
            return None
        count = len(index.picked)
        if index.picked != list(range(count)) or count > 2:
            return None
        lengths = [
            self.named(ir.Apply(axis_length, (x, ir.Const(k))), ir.INT, "length")
            for k in range(count)
        ]
        function = (
            array_helpers.are_last if count == 1 else array_helpers.are_last_pairs
        )
        found = ir.Apply(function, (*lengths, *index.arrays))
        rest = len(axes) - count
        if not isinstance(s.target, ir.Var):
            return None
        for k in range(rest):
            along = (call_lines.ANY, *([ir.ONE] * k))
            line = self.named(found, ir.Array("bool", along), "last")
            found = ir.Apply(np.expand_dims, (line, ir.Const(k + 1)))
        if rest:
            narrow = ir.Array("bool", (call_lines.ANY, *([ir.ONE] * rest)))
            self.changed[s.target.name] = self.facts.kinds[s.target.name] = narrow
        return found

    def part(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        """What stands at arrays of places, which is a copy anyhow."""
        array, index = value.args[:2]
        if not is_array(self.kind(array)):
            return None
        known = indexing.Index(index, len(self.axes(array)), self.facts)
        if not known.arrays or known.mask is not None or not known.is_simple():
            return None
        return ir.Apply(operator.getitem, (array, index))

    def order_of_items(self, s: ir.Assign, value: ir.Apply) -> ir.Apply | None:
        kind = self.kind(value.args[0])
        of_numbers = isinstance(kind, ir.List) and isinstance(
            kind.item, ir.Scalar | ir.NumPyScalar
        )
        if not of_numbers and len(self.axes(value.args[0])) != 1:
            return None
        return ir.Apply(array_helpers.order_of_numbers, value.args)

    def digamma(self, s: ir.Assign, value: ir.Apply) -> ir.Apply:
        return replace(value, function=array_helpers.slope_of_log_gamma, spelling="")


_OF_SCIPY: dict[str, Any] = {
    "erf": math.erf,
    "erfc": math.erfc,
    "gammaln": math.lgamma,
    "ndtr": array_helpers.normal_distribution,
    "expit": array_helpers.logistic,
    "digamma": array_helpers.slope_of_log_gamma,
    "psi": array_helpers.slope_of_log_gamma,
}


def _is_tuple(index: ir.Operand) -> bool:
    return isinstance(index, ir.Pack) and index.constructor is tuple
