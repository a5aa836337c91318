"""What is known of the operands of one operation, and tests of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.codegen.numba.programs import Facts, is_array, is_float_array
from s2sad.ops import buffers

DTYPES = ("float64", "int64", "bool", "complex128")
"""The dtypes of numbers and arrays."""


@dataclass(frozen=True)
class Call:
    """One operation with what is known of it."""

    value: ir.Apply
    kinds: tuple[ir.Kind | None, ...]
    """Of its operands."""
    facts: Facts

    @property
    def first(self) -> ir.Kind | None:
        return self.kinds[0] if self.kinds else None

    def are_numbers(self) -> bool:
        """True where all operands are numbers."""
        return all(isinstance(k, ir.Scalar | ir.NumPyScalar) for k in self.kinds)

    def words(self) -> dict[str, Any]:
        """Its keywords."""
        return dict(self.value.keywords)


Test = Callable[[Call], bool]


def anything(call: Call) -> bool:
    return True


def power_of_numbers(call: Call) -> bool:
    """Two numbers, but no whole number to a power that is surely negative: Python gives
    a float, and Numba 0."""
    if len(call.value.args) != 2:
        return False
    exponent = call.value.args[1]
    negative = isinstance(exponent, ir.Const) and exponent.value < 0
    return call.are_numbers() and not (negative and are_whole(call))


def are_whole(call: Call) -> bool:
    """True where all operands are whole numbers."""
    return {ir.dtype_of(k) for k in call.kinds if k is not None} <= {"int64", "bool"}


def an_array(call: Call) -> bool:
    return is_array(call.first)


def floats(ranks: tuple[int, ...]) -> Test:
    """Operands that are all arrays of floats of one of these ranks."""

    def test(call: Call) -> bool:
        return all(
            is_float_array(k) and k is not None and ir.rank_of(k) in ranks
            for k in call.kinds
        )

    return test


def complex_arrays(call: Call) -> bool:
    """Operands that are all vectors or matrices of complex numbers."""
    return all(
        k is not None
        and is_array(k)
        and ir.dtype_of(k) == "complex128"
        and ir.rank_of(k) in (1, 2)
        for k in call.kinds
    )


def of_all_elements(call: Call) -> bool:
    """A reduction of all elements."""
    return is_array(call.first) and len(call.value.args) == 1 and not call.words()


def new_array(call: Call) -> bool:
    """A shape that is a number or a tuple of them, and perhaps a dtype."""
    words = call.words()
    dtype = words.pop("dtype", None)
    rest = call.value.args[1:] + ((dtype,) if dtype is not None else ())
    return not words and all(map(_is_dtype, rest))


def _is_dtype(operand: Any) -> bool:
    if not isinstance(operand, ir.Const):
        return False
    if operand.value is None:
        return True
    try:
        return np.dtype(operand.value).name in DTYPES
    except TypeError:
        return False


def array_alone(call: Call) -> bool:
    return is_array(call.first) and not call.words() and len(call.value.args) == 1


def array_and_dtype(call: Call) -> bool:
    """An array, alone or with the dtype of what is made like it."""
    dtype = call.value.args[1:]
    return is_array(call.first) and not call.words() and dtype in ((), _DOUBLE)


_DOUBLE = (ir.Const(np.float64),)


def part_of_array(call: Call) -> bool:
    """Numbers, slices and None; one array of places, or one mask, alone."""
    index = call.value.args[1]
    kind = call.first
    if isinstance(kind, ir.Structure) or kind is None:
        return isinstance(index, ir.Const)
    if not is_array(kind):
        return False
    items = index.items if isinstance(index, ir.Pack) else (index,)
    if len(items) == 1 and is_array(call.facts.kind(items[0])):
        one = call.facts.kind(items[0])
        return ir.rank_of(one) == 1 or ir.dtype_of(one) == "bool"  # type: ignore[arg-type]
    return all(map(call.facts.is_number, filter(is_place, items)))


def is_place(item: Any) -> bool:
    return not isinstance(item, ir.Slice) and item not in (
        ir.Const(None),
        ir.Const(Ellipsis),
    )


def write_into_array(call: Call) -> bool:
    """A write at numbers and slices; repeated places have been written as loops."""
    _, index, _, *rest = call.value.args
    if call.value.function is buffers.index_add and rest[:1] == [ir.Const(True)]:
        return False
    if call.value.function is buffers.accumulated:
        return False
    items = index.items if isinstance(index, ir.Pack) else (index,)
    return is_array(call.first) and all(
        map(call.facts.is_number, filter(is_place, items))
    )


def of_arrays_in_place(call: Call) -> bool:
    """``x += y`` of arrays, the second not of more axes than the first."""
    ranks = [ir.rank_of(k) if k is not None else None for k in call.kinds]
    return None not in ranks and ranks[1] <= ranks[0]  # type: ignore[operator]


def joined_arrays(call: Call) -> bool:
    """A tuple of arrays, joined along an axis known by its number."""
    parts = call.value.args[0]
    if not isinstance(parts, ir.Pack):
        return False
    axis = call.words().get("axis", ir.Const(0))
    rest = call.value.args[1:]
    axis = rest[0] if rest else axis
    return (
        isinstance(axis, ir.Const)
        and type(axis.value) is int
        and all(is_array(call.facts.kind(p)) for p in parts.items)
    )


def reshaped_array(call: Call) -> bool:
    shape = call.value.args[1]
    items = shape.items if isinstance(shape, ir.Pack) else (shape,)
    return is_array(call.first) and len(call.value.args) == 2 and bool(items)


def product(call: Call) -> bool:
    """Two factors of one dtype; a third array is where ``np.dot`` writes."""
    most = 3 if call.value.function is np.dot else 2
    alike = floats((1, 2))(call) or complex_arrays(call)
    return alike and 2 <= len(call.kinds) <= most


def numbers_written_out(call: Call) -> bool:
    """An array of numbers that are written out."""

    def numbers(operand: Any) -> bool:
        if isinstance(operand, ir.Pack):
            return operand.constructor is list and all(map(numbers, operand.items))
        return call.facts.is_number(operand)

    first = call.value.args[0]
    one = len(call.value.args) == 1 and not call.words()
    return isinstance(first, ir.Pack) and one and numbers(first)
