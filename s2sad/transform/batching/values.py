"""Values that all tangents share, repeated for each of them; zeros of their shapes."""

from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.sequences import zero_tangents
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.adjoints.cotangent_table import CotangentTable
from s2sad.transform.batching.kinds import with_leading_axis
from s2sad.transform.batching.lists.lists import repeated_list


class RepeatedValues(CotangentTable):
    """Repeats values along the leading axis."""

    size: core.Leaf
    axis: ir.Axis
    item_kinds: dict[str, ir.Kind]
    batched: set[str]

    def kind(self, name: str) -> ir.Kind:
        """The kind that a variable has in the batched program."""
        kind = self.item_kinds.get(name, ir.UNKNOWN)
        return with_leading_axis(kind, self.axis) if name in self.batched else kind

    def leaf(self, name: str) -> core.Leaf:
        """The variable in the batched program."""
        return core.Leaf(ir.Var(name), self.kind(name))

    def with_leading_axis(self, kind: ir.Kind) -> ir.Kind:
        """The kind of many values of a kind, here."""
        return with_leading_axis(kind, self.axis)

    def repeated(
        self, value: core.Leaf, item: ir.Kind, *, zeros: bool = False
    ) -> core.Leaf:
        """A value that all tangents share, once for each; ``zeros`` takes its shape
        alone, for zeros."""
        if isinstance(item, ir.List):
            zeros = zeros or self._is_list_of_zeros(value.operand)
            return repeated_list(self, value, item, zeros)
        if not isinstance(
            item, ir.Scalar | ir.NumPyScalar | ir.Array
        ) or ir.is_promoted(item):
            raise core.NotBatched(f"{item} is repeated")
        axes = ir.axes_of(item)
        if axes is None:
            raise core.NotBatched("the rank of a value isn't known")
        items = self._list_of_its_shape(value.operand)
        if items is not None:
            return self._zeros_along(items, axes[1:])
        zero = value if zeros else self._as_zero(value.operand)
        if zero is not None:
            value = zero
        shape = self.shape_with_size(value, axes)
        if zero is not None:
            return self._zeros(shape, item)
        wide = self._apply(np.broadcast_to, value, shape)
        return self._apply(np.ndarray.copy, wide, spelling="method:copy")

    def zeros_of_one(self, name: str) -> core.Leaf:
        """Zeros of the shape of one of the values of a batched variable."""
        item = self.item_kinds.get(name, ir.UNKNOWN)
        axes = ir.axes_of(item)
        if axes is None:
            raise core.NotBatched(f"{item} is asked for its shape")
        if not axes:
            return core.constant(0.0)
        own = self.leaf(name)
        lengths = (self.length_of(own, k + 1) for k in range(len(axes)))
        return self._zeros(core.aggregate_of(tuple(lengths)), item)

    def _zeros(self, shape: core.Value, item: ir.Kind) -> core.Leaf:
        dtype = ir.dtype_of(item)
        own = () if dtype in (None, "float64") else (_type_of(dtype),)
        return self._apply(np.zeros, shape, *own)

    def length_of(self, array: core.Leaf, place: int) -> core.Leaf:
        """The length of an axis."""
        return self._apply(axis_length, array, core.constant(place))

    def shape_with_size(self, like: core.Leaf, axes: tuple[ir.Axis, ...]) -> core.Value:
        """The shape ``(size, *like.shape)``."""
        lengths = (self.length_of(like, k) for k in range(len(axes)))
        return core.aggregate_of((self.size, *lengths))

    def _as_zero(self, operand: ir.Operand) -> core.Leaf | None:
        """Something of the shape of an operand that surely is zero; None for others."""
        if isinstance(operand, ir.Const) and operand.value == 0:
            return core.Leaf(operand, ir.FLOAT)
        match self.only_value(operand):
            case ir.Var() as other:
                return self._as_zero(other)
            case ir.Apply(function=np.zeros_like, args=(ir.Var() as like, *_)):
                return self._as_zero(like) or self.leaf(like.name)
            case ir.Apply(
                function=function, args=(ir.Const(value=0), ir.Var() as like)
            ):
                if function in (ops.full_like_of, ops.broadcast_like):
                    return self._as_zero(like) or self.leaf(like.name)
        return None

    def only_value(self, operand: ir.Operand) -> Any:
        """What a variable that is assigned once is assigned."""
        if not isinstance(operand, ir.Var):
            return None
        (made, *others) = self.definitions.get(operand.name, [None])
        return None if made is None or others else made.value

    def _list_of_its_shape(self, operand: ir.Operand) -> core.Leaf | None:
        """The list that zeros have the shape of; that of an empty one shows no axes."""
        match self.only_value(operand):
            case ir.Apply(function=function, args=(ir.Var() as items,)):
                return self.leaf(items.name) if function is ops.zeros_along else None
            case ir.Var() as other:
                return self._list_of_its_shape(other)
        return None

    def _zeros_along(self, items: core.Leaf, axes: tuple[ir.Axis, ...]) -> core.Leaf:
        """Zeros for each item of a list, for each tangent; ``axes`` are the items'."""
        lengths = [self._length_of_parameter(axis) for axis in axes]
        known = [length for length in lengths if length is not None]
        if len(known) < len(axes):
            return self._apply(zero_tangents, items, self.size)
        shape = (self.size, self._apply(len, items), *known)
        return self._apply(np.zeros, core.aggregate_of(shape))

    def _length_of_parameter(self, axis: ir.Axis) -> core.Leaf | None:
        """The length of an axis, as a parameter has it."""
        if axis.length == "one":
            return core.constant(1)
        for name in self.function.parameters:
            kind = self.item_kinds.get(name, ir.UNKNOWN)
            if name in self.definitions or name in self.batched or ir.is_promoted(kind):
                continue
            for place, other in enumerate(ir.axes_of(kind) or ()):
                if other.symbol == axis.symbol and ir.is_lasting(axis.symbol):
                    return self.length_of(self.leaf(name), place)
        return None

    def _is_list_of_zeros(self, operand: ir.Operand) -> bool:
        value = self.only_value(operand)
        made_of_zeros = (ops.zero_items, ops.zero_rows)
        return isinstance(value, ir.Apply) and value.function in made_of_zeros

    def _apply(self, function: Any, *args: core.Value, spelling: str = "") -> core.Leaf:
        return core.single(self.spec.apply(function, args, spelling=spelling))


def _type_of(dtype: str | None) -> core.Value:
    return core.constant(np.dtype(dtype).type)
