"""Calls that Numba doesn't know, as calls and operations that it does.

::

    d = diff(x)                              a = getitem(x, 1:)
                                     ->      b = getitem(x, :-1)
                                             d = sub(a, b)

Takes the program before arrays become loops, so that what is written here as
elementwise operations joins the loops around it. Functions that need loops of their own
are in :mod:`~s2sad.codegen.numba.array_helpers`.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.codegen.helper_functions import special
from s2sad.codegen.helper_functions.indices import last_writes
from s2sad.codegen.helper_functions.products import product_of_others
from s2sad.codegen.helper_functions.sequences import order_of_items
from s2sad.codegen.helper_functions.ties import mean_of_ties, weights_of_median
from s2sad.codegen.numba import array_helpers, helpers
from s2sad.codegen.numba.indexing import Index
from s2sad.codegen.numba.nests import WRITES
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.ir.kinds import (
    INT,
    ONE,
    Array,
    Axis,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import with_leaves
from s2sad.rules.shape_queries import axis_length
from s2sad.transform.buffers import overwritten_part, own_copy

_ANY = Axis("any")
_FULL = Slice(None, None, None)


def with_known_calls(function: Function) -> Function:
    """The program with calls that Numba knows."""
    facts = Facts(function)
    calls = _Calls(facts)
    body = with_leaves(function.body, calls.statement)
    return replace(
        function,
        body=body,
        kinds={**function.kinds, **calls.changed, **facts.added},
        temporaries=function.temporaries | frozenset(facts.added),
    )


class _Calls:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.changed: dict[str, Kind] = {}
        """The kinds of variables that got others."""
        self.lines: list[Statement] = []
        """What stands in front of the line at hand."""
        self.like: Assign = Assign(None, Var(""), Const(None))
        self.table: dict[Any, Callable[[Assign, Apply], Apply | Operand | None]] = {
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
            np.cross: self.cross,
            np.diag: self.diagonal,
            np.conjugate: self.itself,
            np.real: self.itself,
            last_writes: self.last_writes,
            overwritten_part: self.part,
            mean_of_ties: self.mean_of_ties,
            product_of_others: self.product_of_others,
            weights_of_median: self.weights_of_median,
            order_of_items: self.order_of_items,
            special.digamma: self.digamma,
        }

    def statement(self, s: Statement) -> Block:
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return (s,)
        value = self.with_places(self.with_settings(s.value), s)
        self.like = s
        value = self.of_numbers(value)
        try:
            change = self.table.get(value.function)
        except TypeError:
            change = None
        if value.function in (float, int, bool) and not value.args:
            return (replace(s, value=Const(value.function())),)
        changed = change(s, value) if change is not None else None
        if changed is None and value is s.value and not self.lines:
            return (s,)
        line = replace(s, value=value if changed is None else changed)
        lines, self.lines = (*self.lines, line), []
        return lines

    def with_settings(self, value: Apply) -> Apply:
        """The call with what is known of its settings (axes, counts) written out."""
        if not (getattr(value.function, "__module__", "") or "").startswith("numpy"):
            return value

        def settled(operand: Operand) -> Operand:
            if isinstance(operand, Var) and self.facts.writes[operand.name] == 1:
                kind = self.facts.kinds.get(operand.name)
                if isinstance(kind, Scalar) and kind.type in ("int", "bool"):
                    if isinstance(kind.value, bool | int):
                        return Const(kind.value)
            return operand

        words = tuple((k, settled(v)) for k, v in value.keywords)
        args = (*value.args[:1], *map(settled, value.args[1:]))
        if words == value.keywords and args == value.args:
            return value
        return replace(value, args=args, keywords=words)

    def with_places(self, value: Apply, s: Assign) -> Apply:
        """The operation with lists of places as arrays of them."""
        of_parts = (operator.getitem, overwritten_part, last_writes, *WRITES)
        if value.function not in of_parts or not is_array(self.kind(value.args[0])):
            return value
        index = value.args[1]
        items = index.items if _is_tuple(index) else (index,)  # type: ignore[union-attr]
        found = tuple(map(self.place, items))
        if Const(Ellipsis) in found:
            at = found.index(Const(Ellipsis))
            named = sum(i not in (Const(Ellipsis), Const(None)) for i in found)
            rest = len(self.axes(value.args[0])) - named
            found = (*found[:at], *[_FULL] * rest, *found[at + 1 :])
        if found == items:
            return value
        whole: Operand = found[0] if len(found) == 1 else pack_tuple(*found)
        return replace(value, args=(value.args[0], whole, *value.args[2:]))

    def place(self, item: Operand) -> Operand:
        """A list in an index as an array."""
        kind = self.kind(item)
        display = isinstance(item, Pack) and item.constructor is list
        if display and isinstance(item, Pack):
            items = [self.kind(i) for i in item.items]
            if items and all(
                isinstance(k, Scalar | NumPyScalar) and dtype_of(k) == "int64"
                for k in items
            ):
                return self.named(Apply(np.array, (item,)), Array("int64", (_ANY,)))
        of_numbers = isinstance(kind, List) and isinstance(kind.item, Scalar)
        if of_numbers and isinstance(kind, List) and dtype_of(kind.item) == "int64":  # type: ignore[arg-type]
            made = Apply(helpers.array_of_items, (item,))
            return self.named(made, Array("int64", (_ANY,)))
        return item

    def of_numbers(self, value: Apply) -> Apply:
        """SciPy's functions of numbers as Python's, or helpers."""
        scipy = sys.modules.get("scipy.special")
        if scipy is None or not isinstance(value.function, np.ufunc):
            return value
        name = value.function.__name__
        found = _OF_SCIPY.get(name)
        if found is None or getattr(scipy, name, None) is not value.function:
            return value
        return replace(value, function=found, spelling="")

    # -------------------------------------------------------------------- questions

    def kind(self, operand: Operand) -> Kind | None:
        return self.facts.kind(operand)

    def axes(self, operand: Operand) -> tuple[Axis, ...]:
        kind = self.kind(operand)
        return kind.axes or () if isinstance(kind, Array) and is_array(kind) else ()

    def setting(self, value: Apply, place: int, name: str) -> Any:
        """What is said for a parameter; None where nothing is, or it isn't known."""
        words = dict(value.keywords)
        given = value.args[place] if len(value.args) > place else words.get(name)
        return _value(given)

    def named(self, value: Any, kind: Kind, stem: str = "part") -> Var:
        """A variable for an operation in front of the line at hand."""
        target = self.facts.fresh(stem, kind)
        like = self.like
        line = Assign(like.span, target, value, kind, derived=like.derived)
        self.lines.append(line)
        return target

    # ------------------------------------------------------------------------ calls

    def joined(self, s: Assign, value: Apply) -> Apply | None:
        """The arrays in a tuple: Numba joins no lists."""
        parts = value.args[0]
        if not isinstance(parts, Pack) or parts.constructor is tuple:
            return None
        return replace(value, args=(pack_tuple(*parts.items), *value.args[1:]))

    def side_by_side(self, s: Assign, value: Apply) -> Apply | None:
        parts = value.args[0]
        if not isinstance(parts, Pack) or value.keywords:
            return None
        ranks = {len(self.axes(p)) for p in parts.items}
        if len(ranks) != 1 or 0 in ranks:
            return None
        axis = () if ranks == {1} else (("axis", Const(1)),)
        return Apply(np.concatenate, (pack_tuple(*parts.items),), axis)

    def on_top(self, s: Assign, value: Apply) -> Apply | None:
        parts = value.args[0]
        if not isinstance(parts, Pack) or value.keywords:
            return None
        ranks = {len(self.axes(p)) for p in parts.items}
        if len(ranks) != 1 or 0 in ranks:
            return None
        function = np.stack if ranks == {1} else np.concatenate
        return Apply(function, (pack_tuple(*parts.items),))

    def array(self, s: Assign, value: Apply) -> Apply | Operand | None:
        """``np.array`` of arrays, or of an array."""
        first = value.args[0]
        dtype = self.setting(value, 1, "dtype")
        if len(value.args) > 2 or {k for k, _ in value.keywords} - {"dtype"}:
            return None
        if isinstance(first, Pack) and dtype is None:
            kinds = {
                (len(self.axes(p)), dtype_of(k) if (k := self.kind(p)) else None)
                for p in first.items
            }
            if len(kinds) == 1 and kinds.pop()[0] > 0:
                return Apply(np.stack, (pack_tuple(*first.items),))
            return None
        if is_array(self.kind(first)):
            own = dtype_of(self.kind(first))  # type: ignore[arg-type]
            if dtype is not None and np.dtype(dtype).name != own:
                return None
            return first if value.function is np.asarray else Apply(own_copy, (first,))
        return None

    def linspace(self, s: Assign, value: Apply) -> Apply | None:
        """Without what Numba's doesn't take."""
        end = self.setting(value, 3, "endpoint")
        words = dict(value.keywords)
        if (end is not True and end is not None) or set(words) - {"endpoint", "num"}:
            return None
        number = value.args[2] if len(value.args) > 2 else words.get("num")
        args = value.args[:2] if number is None else (*value.args[:2], number)
        return Apply(np.linspace, args)

    def diff(self, s: Assign, value: Apply) -> Apply | None:
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
        assert isinstance(kind, Array)
        shorter = Array(kind.dtype, (*axes[:at], _ANY, *axes[at + 1 :]))
        for k in range(n):
            parts = []
            for bounds in ((Const(1), None), (None, Const(-1))):
                whole: list[Operand] = [Slice(None, None, None)] * at
                index = (*whole, Slice(*bounds, None))
                part = index[0] if len(index) == 1 else pack_tuple(*index)
                read = Apply(operator.getitem, (x, part))
                parts.append(self.named(read, shorter))
            difference = Apply(operator.sub, tuple(parts))
            if k == n - 1:
                return difference
            x = self.named(difference, shorter, "difference")
        return None

    def inner(self, s: Assign, value: Apply) -> Apply | None:
        ranks = [len(self.axes(a)) for a in value.args]
        return Apply(operator.matmul, value.args) if ranks == [1, 1] else None

    def product(self, s: Assign, value: Apply) -> Apply | None:
        """``x @ y``, which is all that Numba has."""
        plain = len(value.args) == 2 and not value.keywords
        return Apply(operator.matmul, value.args) if plain else None

    def tiled(self, s: Assign, value: Apply) -> Apply | None:
        """A vector several times, one behind the other."""
        times = _value(value.args[1]) if len(value.args) == 2 else None
        if (
            type(times) is not int
            or not 0 < times <= 8
            or len(self.axes(value.args[0])) != 1
        ):
            return None
        return Apply(np.concatenate, (pack_tuple(*([value.args[0]] * times)),))

    def _to_front(self, x: Operand, axis: int) -> Operand:
        if axis == 0:
            return x
        axes = self.axes(x)
        kind = self.kind(x)
        assert isinstance(kind, Array)
        moved = Array(kind.dtype, (axes[axis], *axes[:axis], *axes[axis + 1 :]))
        return self.named(Apply(np.moveaxis, (x, Const(axis), Const(0))), moved)

    def _of_one_along(self, function: Any, x: Operand, axis: int) -> Apply:
        """A function along the first axis, along another."""
        return self._of_all_along(function, (x,), axis)

    def _of_all_along(
        self, function: Any, arrays: tuple[Operand, ...], axis: int
    ) -> Apply:
        """The same of arrays of equal shapes; the result has the last one's."""
        front = tuple(self._to_front(x, axis) for x in arrays)
        found = Apply(function, front)
        if axis == 0:
            return found
        kind = self.kind(front[-1])
        assert isinstance(kind, Array)
        dtype = "int64" if function is array_helpers.order_in_columns else "float64"
        result = self.named(found, replace(kind, dtype=dtype), "result")
        return Apply(np.moveaxis, (result, Const(0), Const(axis)))

    def _axis(self, value: Apply, place: int, default: int | None = None) -> int | None:
        axis = self.setting(value, place, "axis")
        rank = len(self.axes(value.args[0]))
        axis = default if axis is None else axis
        return axis % rank if type(axis) is int and rank else None

    def cumulated(self, s: Assign, value: Apply) -> Apply | None:
        axis = self._axis(value, 1)
        floats = dtype_of(self.kind(value.args[0]) or INT) == "float64"
        if axis is None or len(value.args) > 2 or not floats:
            return None
        if len(self.axes(value.args[0])) == 1:
            return Apply(value.function, value.args[:1])
        so_far = array_helpers.sums_so_far
        if value.function is np.cumprod:
            so_far = array_helpers.products_so_far
        return self._of_one_along(so_far, value.args[0], axis)

    def in_order(self, s: Assign, value: Apply) -> Apply | None:
        x = value.args[0]
        axis = self._axis(value, 1, -1)
        if axis is None or {k for k, _ in value.keywords} - {"axis", "kind"}:
            return None
        if len(self.axes(x)) == 1:
            return Apply(np.sort, (x,))
        if len(self.axes(x)) == 2 and dtype_of(self.kind(x)) == "float64":  # type: ignore[arg-type]
            return self._of_one_along(array_helpers.sorted_columns, x, axis)
        return None

    def argsort(self, s: Assign, value: Apply) -> Apply | None:
        """Numba calls the stable order that of a mergesort."""
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
        kind = (("kind", Const("mergesort")),)
        return Apply(np.argsort, value.args[:1], kind)

    def taken(self, s: Assign, value: Apply) -> Apply | None:
        ranks = [len(self.axes(a)) for a in value.args[:2]]
        axis = self._axis(value, 2, -1)
        if ranks == [2, 2] and axis is not None:
            return self._of_all_along(
                array_helpers.taken_in_columns, value.args[:2], axis
            )
        return Apply(operator.getitem, value.args[:2]) if ranks == [1, 1] else None

    def with_new_axes(self, s: Assign, value: Apply) -> Apply | None:
        """Several new axes, one after the other."""
        axis = self.setting(value, 1, "axis")
        kind = self.kind(value.args[0])
        if not isinstance(axis, tuple) or not is_array(kind):
            return None
        assert isinstance(kind, Array)
        axes = kind.axes or ()
        rank = len(axes) + len(axis)
        *others, last = sorted(a % rank for a in axis)
        x = value.args[0]
        for at in others:
            axes = (*axes[:at], ONE, *axes[at:])
            wide = Apply(np.expand_dims, (x, Const(at)))
            x = self.named(wide, Array(kind.dtype, axes), "wide")
        return Apply(np.expand_dims, (x, Const(last)))

    def variance(self, s: Assign, value: Apply) -> Apply | None:
        """The mean of the squares of what differs from the mean."""
        x = value.args[0]
        axis = self._axis(value, 1)
        axes = self.axes(x)
        if axis is None or {k for k, _ in value.keywords} - {"axis"} or len(axes) < 2:
            return None
        kind = Array("float64", (*axes[:axis], ONE, *axes[axis + 1 :]))
        words = (("axis", Const(axis)), ("keepdims", Const(True)))
        mean = self.named(Apply(np.mean, (x,), words), kind, "mean")
        whole = Array("float64", axes)
        apart = self.named(Apply(operator.sub, (x, mean)), whole, "apart")
        square = self.named(Apply(operator.mul, (apart, apart)), whole, "square")
        return Apply(np.mean, (square,), words[:1])

    def padded(self, s: Assign, value: Apply) -> Apply | None:
        """Zeros around one axis."""
        if len(value.args) != 2 or value.keywords:
            return None
        x, widths = value.args
        given = _value(widths)
        rank = len(self.axes(x))
        if not rank or dtype_of(self.kind(x)) != "float64":  # type: ignore[arg-type]
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
        args = (front, *map(Const, pairs[axis]))
        found = Apply(array_helpers.with_zeros_around, args)
        if axis == 0:
            return found
        kind = self.kind(front)
        assert isinstance(kind, Array)
        longer = Array(kind.dtype, (_ANY, *(kind.axes or ())[1:]))
        result = self.named(found, longer, "padded")
        return Apply(np.moveaxis, (result, Const(0), Const(axis)))

    def cross(self, s: Assign, value: Apply) -> Apply | None:
        ranks = [len(self.axes(a)) for a in value.args]
        if ranks != [1, 1] or value.keywords:
            return None
        return Apply(array_helpers.cross_product, value.args)

    def diagonal(self, s: Assign, value: Apply) -> Apply | None:
        """Without an offset of 0."""
        if len(value.args) == 2 and value.args[1] == Const(0) and not value.keywords:
            return Apply(np.diag, value.args[:1])
        return None

    def itself(self, s: Assign, value: Apply) -> Operand | None:
        """The conjugate of what is real."""
        kind = self.kind(value.args[0])
        real = kind is not None and dtype_of(kind) in ("float64", "int64")
        return value.args[0] if real and len(value.args) == 1 else None

    def last_writes(self, s: Assign, value: Apply) -> Apply | None:
        """Which of several writes at arrays of places stay."""
        x, places = value.args
        axes = self.axes(x)
        index = Index(places, len(axes), self.facts)
        if not index.arrays or index.mask is not None or not index.is_simple():
            return None
        ranks = {len(self.axes(a)) for a in index.arrays}
        if ranks != {1} or len(index.arrays) != len(index.picked) or index.picked[0]:
            return None
        count = len(index.picked)
        if index.picked != list(range(count)) or count > 2:
            return None
        lengths = [
            self.named(Apply(axis_length, (x, Const(k))), INT, "length")
            for k in range(count)
        ]
        function = (
            array_helpers.are_last if count == 1 else array_helpers.are_last_pairs
        )
        found = Apply(function, (*lengths, *index.arrays))
        rest = len(axes) - count
        if not isinstance(s.target, Var):
            return None
        for k in range(rest):
            along = (_ANY, *([ONE] * k))
            line = self.named(found, Array("bool", along), "last")
            found = Apply(np.expand_dims, (line, Const(k + 1)))
        if rest:
            narrow = Array("bool", (_ANY, *([ONE] * rest)))
            self.changed[s.target.name] = self.facts.kinds[s.target.name] = narrow
        return found

    def part(self, s: Assign, value: Apply) -> Apply | None:
        """What stands at arrays of places, which is a copy anyhow."""
        array, index = value.args[:2]
        if not is_array(self.kind(array)):
            return None
        known = Index(index, len(self.axes(array)), self.facts)
        if not known.arrays or known.mask is not None or not known.is_simple():
            return None
        return Apply(operator.getitem, (array, index))

    def mean_of_ties(self, s: Assign, value: Apply) -> Apply | None:
        values, ordered, axis = value.args[0], value.args[1], _value(value.args[2])
        if len(self.axes(ordered)) == 1:
            return Apply(array_helpers.mean_of_equals, value.args[:2])
        if len(self.axes(ordered)) != 2 or type(axis) is not int:
            return None
        in_columns = array_helpers.mean_of_equals_in_columns
        return self._of_all_along(in_columns, (values, ordered), axis % 2)

    def product_of_others(self, s: Assign, value: Apply) -> Apply | None:
        x, axis = value.args[0], _value(value.args[1])
        rank = len(self.axes(x))
        if rank == 1:
            return Apply(array_helpers.products_of_others, (x,))
        if rank == 2 and type(axis) is int:
            columns = array_helpers.products_of_others_in_columns
            return self._of_one_along(columns, x, axis % 2)
        return None

    def weights_of_median(self, s: Assign, value: Apply) -> Apply | None:
        if len(self.axes(value.args[0])) != 1:
            return None
        return Apply(array_helpers.weights_in_median, value.args[:1])

    def order_of_items(self, s: Assign, value: Apply) -> Apply | None:
        kind = self.kind(value.args[0])
        of_numbers = isinstance(kind, List) and isinstance(
            kind.item, Scalar | NumPyScalar
        )
        if not of_numbers and len(self.axes(value.args[0])) != 1:
            return None
        return Apply(array_helpers.order_of_numbers, value.args)

    def digamma(self, s: Assign, value: Apply) -> Apply:
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


def _value(operand: Any) -> Any:
    """What is known of an operand, tuples of constants too; None where nothing is."""
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, Pack):
        items = tuple(map(_value, operand.items))
        return None if None in items else items
    return None


def _is_tuple(index: Operand) -> bool:
    return isinstance(index, Pack) and index.constructor is tuple
