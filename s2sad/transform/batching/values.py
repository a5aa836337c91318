"""Values that all tangents share, repeated for each of them; zeros of their shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.specialise.core.exceptions import NotBatched
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value, constant
from s2sad.ir.kinds import (
    FLOAT,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    axes_of,
    dtype_of,
    is_lasting,
    is_promoted,
)
from s2sad.ir.nodes import (
    Apply,
    Const,
    Operand,
    Var,
)
from s2sad.ops.buffers import broadcast_like, full_like_of
from s2sad.ops.lists import zero_items, zeros_along
from s2sad.ops.rows import zero_rows
from s2sad.ops.runtime.sequences import zero_tangents
from s2sad.rules.steps.shape_queries import (
    axis_length,
)
from s2sad.transform.adjoints.cotangent_table import CotangentTable
from s2sad.transform.batching.kinds import with_leading_axis
from s2sad.transform.batching.lists import repeated_list


class RepeatedValues(CotangentTable):
    """Repeats values along the leading axis."""

    size: Leaf
    axis: Axis
    item_kinds: dict[str, Kind]
    batched: set[str]

    def kind(self, name: str) -> Kind:
        """The kind that a variable has in the batched program."""
        kind = self.item_kinds.get(name, UNKNOWN)
        return with_leading_axis(kind, self.axis) if name in self.batched else kind

    def leaf(self, name: str) -> Leaf:
        """The variable in the batched program."""
        return Leaf(Var(name), self.kind(name))

    def with_leading_axis(self, kind: Kind) -> Kind:
        """The kind of many values of a kind, here."""
        return with_leading_axis(kind, self.axis)

    def repeated(self, value: Leaf, item: Kind, *, zeros: bool = False) -> Leaf:
        """A value that all tangents share, once for each; ``zeros`` takes its shape
        alone, for zeros."""
        if isinstance(item, List):
            zeros = zeros or self._is_list_of_zeros(value.operand)
            return repeated_list(self, value, item, zeros)
        if not isinstance(item, Scalar | NumPyScalar | Array) or is_promoted(item):
            raise NotBatched(f"{item} is repeated")
        axes = axes_of(item)
        if axes is None:
            raise NotBatched("the rank of a value isn't known")
        items = self._list_of_its_shape(value.operand)
        if items is not None:
            return self._zeros_along(items, axes[1:])
        zero = value if zeros else self._as_zero(value.operand)
        if zero is not None:
            value = zero
        shape = self.shape_with_size(value, axes)
        if zero is not None:
            dtype = dtype_of(item)
            own = () if dtype in (None, "float64") else (_type_of(dtype),)
            return self._apply(np.zeros, shape, *own)
        wide = self._apply(np.broadcast_to, value, shape)
        return self._apply(np.ndarray.copy, wide, spelling="method:copy")

    def length_of(self, array: Leaf, place: int) -> Leaf:
        """The length of an axis."""
        return self._apply(axis_length, array, constant(place))

    def shape_with_size(self, like: Leaf, axes: tuple[Axis, ...]) -> Value:
        """The shape ``(size, *like.shape)``."""
        lengths = tuple(
            self._apply(axis_length, like, constant(k)) for k in range(len(axes))
        )
        return Aggregate(tuple, tuple(range(len(axes) + 1)), (self.size, *lengths))

    def _as_zero(self, operand: Operand) -> Leaf | None:
        """Something of the shape of an operand that surely is zero; None for others."""
        if isinstance(operand, Const) and operand.value == 0:
            return Leaf(operand, FLOAT)
        if not isinstance(operand, Var):
            return None
        (made, *others) = self.definitions.get(operand.name, [None])
        if made is None or others or not isinstance(made.target, Var):
            return None
        match made.value:
            case Var():
                return self._as_zero(made.value)
            case Apply(function=np.zeros_like, args=(Var() as like, *_)):
                return self._as_zero(like) or self.leaf(like.name)
            case Apply(function=function, args=(Const(value=0), Var() as like)):
                if function in (full_like_of, broadcast_like):
                    return self._as_zero(like) or self.leaf(like.name)
        return None

    def _only_value(self, operand: Operand) -> Any:
        """What a variable that is assigned once is assigned."""
        if not isinstance(operand, Var):
            return None
        (made, *others) = self.definitions.get(operand.name, [None])
        return None if made is None or others else made.value

    def _list_of_its_shape(self, operand: Operand) -> Leaf | None:
        """The list that zeros have the shape of; that of an empty one shows no axes."""
        match self._only_value(operand):
            case Apply(function=function, args=(Var() as items,)):
                return self.leaf(items.name) if function is zeros_along else None
            case Var() as other:
                return self._list_of_its_shape(other)
        return None

    def _zeros_along(self, items: Leaf, axes: tuple[Axis, ...]) -> Leaf:
        """Zeros for each item of a list, for each tangent; ``axes`` are the items'."""
        lengths = [self._length_of_parameter(axis) for axis in axes]
        known = [length for length in lengths if length is not None]
        if len(known) < len(axes):
            return self._apply(zero_tangents, items, self.size)
        shape = (self.size, self._apply(len, items), *known)
        return self._apply(np.zeros, Aggregate(tuple, tuple(range(len(shape))), shape))

    def _length_of_parameter(self, axis: Axis) -> Leaf | None:
        """The length of an axis, as a parameter has it."""
        if axis.length == "one":
            return constant(1)
        for name in self.function.parameters:
            kind = self.item_kinds.get(name, UNKNOWN)
            if name in self.definitions or name in self.batched or is_promoted(kind):
                continue
            for place, other in enumerate(axes_of(kind) or ()):
                if other.symbol == axis.symbol and is_lasting(axis.symbol):
                    parameter = self.leaf(name)
                    return self._apply(axis_length, parameter, constant(place))
        return None

    def _is_list_of_zeros(self, operand: Operand) -> bool:
        value = self._only_value(operand)
        return isinstance(value, Apply) and value.function in (zero_items, zero_rows)

    def _apply(self, function: Any, *args: Value, spelling: str = "") -> Leaf:
        made = self.spec.apply(function, args, spelling=spelling)
        assert isinstance(made, Leaf)
        return made


def _type_of(dtype: str | None) -> Value:
    return constant(np.dtype(dtype).type)
