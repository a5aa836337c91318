"""One element of the value of an operation on arrays, as operations on elements.

``element`` of ``add(x, transpose(y))`` at ``(i, j)`` is ``add(x[i, j], y[j, i])``. The
operations are those that compute each element by itself (elementwise functions, outer
products), move elements (transposes, new axes, broadcasts) or pick them by arrays of
places.

An axis of length 1 is read at 0. Where it isn't known whether a length is 1, the text
asks.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.codegen.helper_functions.broadcasting import (
    as_dtype_of,
    broadcast_to_shape_of,
)
from s2sad.codegen.numba.operations import ELEMENTWISE
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.ir.kinds import (
    INT,
    ONE,
    Array,
    Axis,
    Kind,
    NumPyScalar,
    Scalar,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.rules.choice import choose
from s2sad.rules.numpy.shapes import CASTS
from s2sad.rules.shape_queries import axis_length
from s2sad.transform.buffers import broadcast_like, full_like_of, own_copy

COPIES = (own_copy, np.copy, np.ndarray.copy)
SPREAD = (broadcast_like, full_like_of, broadcast_to_shape_of)
OPERATORS: dict[Any, Any] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
    np.power: operator.pow,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
}
"""What functions of arrays are between numbers."""
_TRANSPOSES = (np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis)
_FULL = Slice(None, None, None)


@dataclass(frozen=True)
class Common:
    """The length that several broadcast to, of which each may be 1."""

    places: tuple[Place, ...]


Place = tuple[Operand, int] | Const | Common
"""Where a length is read: a variable and the number of its axis; or the length."""
ITSELF, AT_LEAST_ZERO = -1, -2
"""In the place of an axis: the length is the number itself, or 0 where that is less."""


def order_of_axes(value: Apply, rank: int) -> tuple[int, ...] | None:
    """For each axis of a transpose, the axis of its operand; None where that isn't
    known."""
    rest = value.args[1:]
    words = dict(value.keywords)
    if value.function is np.transpose:
        axes = rest[0] if rest else words.get("axes", Const(None))
        if axes == Const(None):
            return tuple(reversed(range(rank)))
        known = _known(axes)
        return None if known is None else tuple(a % rank for a in known)
    if value.function is np.matrix_transpose:
        return (*range(rank - 2), rank - 1, rank - 2)
    known = _known(pack_tuple(*rest)) if len(rest) == 2 and not words else None
    if known is None:
        return None
    numbered = np.broadcast_to(0, tuple(range(rank)))
    moved: tuple[int, ...] = value.function(numbered, *known).shape
    return moved


def _known(operand: Any) -> Any:
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, Pack):
        items = tuple(map(_known, operand.items))
        return None if None in items else items
    return None


def stem_of(name: str) -> str:
    """What a variable is called, without the numbers that tell it from others.

    >>> stem_of("total.1.bar~2"), stem_of(".cotangent.13:ties")
    ('total.bar', 'ties')
    """
    stem = re.sub(r"[.~]\d+", "", name.split(":")[-1]).strip(".")
    return stem or "item"


class Index:
    """An index of several places, of which some are arrays of them."""

    def __init__(self, index: Operand, rank: int, facts: Facts) -> None:
        items = list(index.items) if _is_tuple(index) else [index]  # type: ignore[union-attr]
        self.facts = facts
        named = sum(i not in (Const(Ellipsis), Const(None)) for i in items)
        filled: list[Operand] = []
        for item in items:
            if item == Const(Ellipsis):
                filled += [_FULL] * (rank - named)
            else:
                filled.append(item)
        if Const(Ellipsis) not in items:
            filled += [_FULL] * (rank - named)
        self.items = filled
        self.arrays = [i for i in filled if is_array(facts.kind(i))]
        self.picked = [k for k, i in enumerate(filled) if self._is_place(i)]
        """The positions of numbers and arrays of places."""

    def _is_place(self, item: Operand) -> bool:
        return not isinstance(item, Slice) and item != Const(None)

    @property
    def mask(self) -> Var | None:
        """The mask, where the index is one array of bools."""
        if len(self.items) and isinstance(self.items[0], Var):
            kind = self.facts.kind(self.items[0])
            if is_array(kind) and dtype_of(kind) == "bool":  # type: ignore[arg-type]
                return self.items[0]
        return None

    def is_simple(self) -> bool:
        """True for numbers, arrays of whole numbers, whole axes and new axes."""
        for item in self.items:
            kind = self.facts.kind(item)
            if isinstance(item, Slice):
                if item != _FULL:
                    return False
            elif item == Const(None):
                if self.arrays:
                    return False
            elif kind is None or dtype_of(kind) != "int64" or self._is_other(kind):
                return False
        return True

    def _is_other(self, kind: Kind) -> bool:
        return not isinstance(kind, Scalar | NumPyScalar) and not is_array(kind)

    def spread(self) -> int:
        """The rank of the arrays of places, broadcast together."""
        return max((len(self.facts.kind(a).axes) for a in self.arrays), default=0)  # type: ignore[union-attr]

    def front(self) -> int:
        """The number of axes of the result before those of the arrays of places."""
        first, last = self.picked[0], self.picked[-1]
        together = last - first == len(self.picked) - 1
        return first if together else 0

    def axes_of_result(self) -> list[tuple[str, int]]:
        """For each axis of the result: ``("axis", k)`` of what is indexed, ``("new",
        0)``, or ``("place", k)``, counted from the last of the arrays of places."""
        found: list[tuple[str, int]] = []
        axis = 0
        for item in self.items:
            if item == Const(None):
                found.append(("new", 0))
                continue
            if isinstance(item, Slice):
                found.append(("axis", axis))
            axis += 1
        if self.arrays:
            spread = self.spread()
            places = [("place", spread - k) for k in range(spread)]
            front = self.front()
            found[front:front] = places
        return found


def _is_tuple(index: Operand) -> bool:
    return isinstance(index, Pack) and index.constructor is tuple


class Elements:
    """Writes lines that compute elements; ``lazy`` are the variables that are nowhere
    computed as a whole."""

    def __init__(self, facts: Facts, lazy: Mapping[str, Assign]) -> None:
        self.facts, self.lazy = facts, lazy

    def axes(self, operand: Operand) -> tuple[Axis, ...]:
        """The axes of an operand; () of a number."""
        kind = self.facts.kind(operand)
        return kind.axes or () if isinstance(kind, Array) else ()

    # -------------------------------------------------------- what is understood

    def is_elementwise(self, value: Any) -> bool:
        """True for an operation on each element, of operands that are understood."""
        if not isinstance(value, Apply):
            return False
        try:
            known = value.function in ELEMENTWISE or value.function in (
                *COPIES,
                np.outer,
            )
        except TypeError:
            return False
        if value.function is as_dtype_of:
            kinds = list(map(self.facts.kind, value.args))
            return is_array(kinds[0]) and len({dtype_of(k) for k in kinds if k}) == 1
        return known and all(
            is_array(self.facts.kind(a)) or self.facts.is_number(a) or _is_setting(a)
            for a in (*value.args, *(v for _, v in value.keywords))
        )

    def is_moved(self, value: Any) -> bool:
        """True for an operation that moves or picks elements."""
        if not isinstance(value, Apply) or not value.args:
            return False
        first = value.args[0]
        kind = self.facts.kind(first)
        rank = len(self.axes(first))
        function = value.function
        if function in SPREAD:
            like = self.facts.kind(value.args[1])
            return is_array(like) and (is_array(kind) or self.facts.is_number(first))
        if function is np.arange:
            count = len(value.args) == 1 and not value.keywords
            return count and _is_whole(kind)
        if not is_array(kind):
            return False
        if function in _TRANSPOSES:
            return order_of_axes(value, rank) is not None
        if function in (np.expand_dims, np.squeeze):
            axis = self._axis(value)
            return isinstance(axis, int) and not isinstance(axis, bool)
        if function is operator.getitem:
            index = Index(value.args[1], rank, self.facts)
            return index.mask is None and index.is_simple()
        return False

    def _axis(self, value: Apply) -> Any:
        axis = (
            value.args[1] if len(value.args) > 1 else dict(value.keywords).get("axis")
        )
        return axis.value if isinstance(axis, Const) else None

    # ------------------------------------------------------------------- lengths

    def length(self, operand: Operand, axis: int) -> Place:
        """Where the length of an axis of an operand is read."""
        if isinstance(operand, Var) and operand.name in self.lazy:
            value = self.lazy[operand.name].value
            assert isinstance(value, Apply)
            return self.length_of_value(value, axis, len(self.axes(operand)))
        return (operand, axis)

    def length_of_value(self, value: Apply, axis: int, rank: int) -> Place:
        """Where the length of an axis of an operation's result is read."""
        first = value.args[0]
        inner = len(self.axes(first))
        if value.function in SPREAD:
            return self.length(value.args[1], axis)
        if value.function is np.arange:
            kind = self.facts.kind(first)
            if isinstance(first, Const):
                return Const(max(first.value, 0))
            known = isinstance(kind, Scalar) and kind.length_of is not None
            return (first, ITSELF if known else AT_LEAST_ZERO)
        if value.function is np.outer:
            return self.length(value.args[axis], 0)
        if self.is_elementwise(value):
            return self._length_of_operands(value.args, axis, rank)
        if value.function in _TRANSPOSES:
            order = order_of_axes(value, inner)
            assert order is not None
            return self.length(first, order[axis])
        if value.function is np.expand_dims:
            at = self._axis(value) % rank
            if axis == at:
                return Const(1)
            return self.length(first, axis - (axis > at))
        if value.function is np.squeeze:
            at = self._axis(value) % inner
            return self.length(first, axis + (axis >= at))
        index = Index(value.args[1], inner, self.facts)
        form, k = index.axes_of_result()[axis]
        if form == "new":
            return Const(1)
        if form == "axis":
            return self.length(first, k)
        spread = index.spread()
        return self._length_of_operands(index.arrays, spread - k, spread)

    def _length_of_operands(
        self, operands: Sequence[Operand], axis: int, rank: int
    ) -> Place:
        """The length that operands broadcast to: that of one that isn't of length 1."""
        open_places: dict[Axis, Place] = {}
        for operand in operands:
            axes = self.axes(operand)
            k = axis - (rank - len(axes))
            if k < 0 or axes[k].length == "one":
                continue
            place = self.length(operand, k)
            if axes[k].length == "many":
                return place
            key = axes[k] if axes[k].symbol is not None else Axis("any", place)
            open_places.setdefault(key, place)
        places = tuple(open_places.values())
        if len(places) < 2:
            return places[0] if places else Const(1)
        return Common(places)

    def leaves(self, operand: Operand) -> Iterator[Var]:
        """The variables that are read for an element of an operand."""
        if not isinstance(operand, Var):
            return
        if operand.name not in self.lazy:
            yield operand
            return
        value = self.lazy[operand.name].value
        assert isinstance(value, Apply)
        for arg in (*value.args, *(v for _, v in value.keywords)):
            for inner in arg.items if isinstance(arg, Pack) else (arg,):
                yield from self.leaves(inner)

    # ------------------------------------------------------------------ elements

    def element(
        self,
        operand: Operand,
        index: Sequence[Operand],
        axes: Sequence[Axis],
        lines: list[Statement],
        like: Assign,
    ) -> Operand:
        """The element of an operand that broadcasts to ``axes``, at an index of as many
        places; ``lines`` gets what computes it, in the place of ``like``."""
        own = self.axes(operand)
        if not own:
            return operand
        places = self.places_in(operand, index, axes, lines, like)
        assert isinstance(operand, Var)
        if operand.name in self.lazy:
            value = self.lazy[operand.name].value
            assert isinstance(value, Apply)
            return self.computed(value, places, own, lines, like, stem_of(operand.name))
        return self.read(operand, places, lines, like)

    def places_in(
        self,
        operand: Operand,
        index: Sequence[Operand],
        axes: Sequence[Axis],
        lines: list[Statement],
        like: Assign,
    ) -> list[Operand]:
        """Where an operand that broadcasts to ``axes`` has what belongs to an index."""
        own = self.axes(operand)
        places = list(index[len(index) - len(own) :])
        wanted = list(axes[len(axes) - len(own) :])
        for k, (axis, whole) in enumerate(zip(own, wanted)):
            if axis.length == "one":
                places[k] = Const(0)
            elif axis.length == "any" and not _same(axis, whole):
                places[k] = self._asked(operand, k, places[k], lines, like)
        return places

    def computed(
        self,
        value: Apply,
        index: Sequence[Operand],
        axes: Sequence[Axis],
        lines: list[Statement],
        like: Assign,
        stem: str,
    ) -> Operand:
        """The element of an operation's result."""

        def at(operand: Operand, places: Sequence[Operand]) -> Operand:
            return self.element(operand, places, self.axes(operand), lines, like)

        first = value.args[0]
        if value.function in (*SPREAD, *COPIES, as_dtype_of):
            return self.element(first, index, axes, lines, like)
        if value.function is np.arange:
            return index[0]
        if value.function is np.outer:
            parts = [at(a, (i,)) for a, i in zip(value.args, index)]
            return self.named(Apply(operator.mul, tuple(parts)), lines, like, stem)
        if self.is_elementwise(value):
            args = tuple(
                a if _is_setting(a) else self.element(a, index, axes, lines, like)
                for a in value.args
            )
            words = tuple(
                (k, v if _is_setting(v) else self.element(v, index, axes, lines, like))
                for k, v in value.keywords
            )
            return self.named(Apply(value.function, args, words), lines, like, stem)
        rank = len(self.axes(first))
        if value.function in _TRANSPOSES:
            order = order_of_axes(value, rank)
            assert order is not None
            places: list[Operand] = [Const(0)] * rank
            for place, axis in zip(index, order):
                places[axis] = place
            return at(first, places)
        if value.function is np.expand_dims:
            axis = self._axis(value) % (rank + 1)
            return at(first, [*index[:axis], *index[axis + 1 :]])
        if value.function is np.squeeze:
            axis = self._axis(value) % rank
            return at(first, [*index[:axis], Const(0), *index[axis:]])
        return at(first, self.places(first, value.args[1], index, lines, like))

    def places(
        self,
        array: Operand,
        index: Operand,
        at: Sequence[Operand],
        lines: list[Statement],
        like: Assign,
    ) -> list[Operand]:
        """Where ``array[index]`` has its element ``at``."""
        known = Index(index, len(self.axes(array)), self.facts)
        of_axes: dict[int, Operand] = {}
        of_arrays: dict[int, Operand] = {}
        for (form, k), place in zip(known.axes_of_result(), at):
            if form == "axis":
                of_axes[k] = place
            elif form == "place":
                of_arrays[k] = place
        spread = known.spread()
        shared = [of_arrays[spread - k] for k in range(spread)]
        whole = self.axes_of_places(known)
        found: list[Operand] = []
        axis = 0
        for item in known.items:
            if item == Const(None):
                continue
            if isinstance(item, Slice):
                found.append(of_axes[axis])
            else:
                found.append(self.element(item, shared, whole, lines, like))
            axis += 1
        return found

    def axes_of_places(self, index: Index) -> list[Axis]:
        """The axes of arrays of places, broadcast together."""
        spread = index.spread()
        found = [ONE] * spread
        for array in index.arrays:
            axes = self.axes(array)
            for k, axis in enumerate(axes, spread - len(axes)):
                if axis.length != "one" and found[k].length != "many":
                    found[k] = axis
        return found

    def read(
        self,
        array: Var,
        places: Sequence[Operand],
        lines: list[Statement],
        like: Assign,
    ) -> Var:
        """One element of a variable."""
        index = places[0] if len(places) == 1 else pack_tuple(*places)
        value = Apply(operator.getitem, (array, index))
        dtype = dtype_of(self.facts.kinds[array.name])
        return self.named(value, lines, like, "item", NumPyScalar(dtype))

    def named(
        self,
        value: Apply,
        lines: list[Statement],
        like: Assign,
        stem: str,
        kind: Kind | None = None,
    ) -> Var:
        """A variable for an operation on elements."""
        kind = kind or NumPyScalar(self._dtype(value, like))
        if value.function in OPERATORS:
            value = Apply(OPERATORS[value.function], value.args)
        target = self.facts.fresh(stem, kind)
        lines.append(Assign(like.span, target, value, kind, derived=like.derived))
        return target

    def _dtype(self, value: Apply, like: Assign) -> str:
        """The dtype of an operation on numbers."""
        if value.function in CASTS:
            dtype = (
                value.args[1] if len(value.args) > 1 else dict(value.keywords)["dtype"]
            )
            assert isinstance(dtype, Const)
            return np.dtype(dtype.value).name
        samples = []
        for arg in value.args:
            kind = self.facts.kind(arg)
            samples.append(np.ones((), dtype_of(kind) or "float64")[()])  # type: ignore[arg-type]
        if value.function is as_dtype_of:
            return samples[0].dtype.name
        if value.function in (choose, np.where):
            return str(np.result_type(*samples[1:]))
        try:
            with np.errstate(all="ignore"):
                return np.asarray(value.function(*samples)).dtype.name
        except TypeError:
            return "float64"

    def named_length(
        self, place: Place, lines: list[Statement], like: Assign
    ) -> Operand:
        """A length as an operand."""
        if isinstance(place, Const):
            return place
        if isinstance(place, Common):
            *others, last = place.places
            length = self.named_length(last, lines, like)
            for other in reversed(others):
                first = self.named_length(other, lines, like)
                test = self._line(
                    Apply(operator.ne, (first, Const(1))), lines, like, "wide"
                )
                chosen = Apply(choose, (test, first, length))
                length = self._line(chosen, lines, like, "length")
            return length
        operand, axis = place
        if axis == ITSELF:
            return operand
        if axis == AT_LEAST_ZERO:
            return self._line(Apply(max, (operand, Const(0))), lines, like, "length")
        read = Apply(axis_length, (operand, Const(axis)))
        return self._line(read, lines, like, "length")

    def _line(
        self, value: Apply, lines: list[Statement], like: Assign, stem: str
    ) -> Var:
        kind = Scalar("bool") if stem == "wide" else INT
        target = self.facts.fresh(stem, kind)
        lines.append(Assign(None, target, value, kind, derived=like.derived))
        return target

    def _asked(
        self,
        operand: Operand,
        axis: int,
        place: Operand,
        lines: list[Statement],
        like: Assign,
    ) -> Operand:
        """The place along an axis that may be of length 1."""
        length = self.named_length(self.length(operand, axis), lines, like)
        if isinstance(length, Const):
            return Const(0) if length == Const(1) else place
        test = self.named(
            Apply(operator.ne, (length, Const(1))), lines, like, "wide", Scalar("bool")
        )
        return self.named(
            Apply(choose, (test, place, Const(0))), lines, like, "place", INT
        )


def _same(axis: Axis, other: Axis) -> bool:
    return axis.symbol is not None and axis.symbol == other.symbol


def _is_setting(operand: Operand) -> bool:
    """A dtype, or None."""
    if not isinstance(operand, Const):
        return False
    value = operand.value
    return value is None or isinstance(value, type | np.dtype | str)


def _is_whole(kind: Kind | None) -> bool:
    return isinstance(kind, Scalar) and kind.type == "int"
