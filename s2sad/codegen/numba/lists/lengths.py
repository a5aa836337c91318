"""Which operations compute or move elements, and how long the axes of their results
are."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.arrays.indexing import Index
from s2sad.codegen.numba.call_lines import known_value
from s2sad.codegen.numba.functions import ELEMENTWISE
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.ops.runtime.broadcasting import as_dtype_of, broadcast_to_shape_of

COPIES = (ops.own_copy, np.copy, np.ndarray.copy)
SPREAD = (ops.broadcast_like, ops.full_like_of, broadcast_to_shape_of)


@dataclass(frozen=True)
class Common:
    """The length that several broadcast to, of which each may be 1."""

    places: tuple[Place, ...]


Place = tuple[ir.Operand, int] | ir.Const | Common
"""Where a length is read: a variable and the number of its axis; or the length."""
ITSELF, AT_LEAST_ZERO = -1, -2
"""In the place of an axis: the length is the number itself, or 0 where that is less."""


class Lengths:
    """What is known of operations on arrays; ``lazy`` are the variables that nothing
    computes as a whole."""

    def __init__(self, facts: Facts, lazy: Mapping[str, ir.Assign]) -> None:
        self.facts, self.lazy = facts, lazy

    def axes(self, operand: ir.Operand) -> tuple[ir.Axis, ...]:
        """The axes of an operand; () of a number."""
        kind = self.facts.kind(operand)
        return kind.axes or () if isinstance(kind, ir.Array) else ()

    def is_elementwise(self, value: Any) -> bool:
        """True for an operation on each element, of operands that are understood."""
        if not isinstance(value, ir.Apply):
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
            return is_array(kinds[0]) and len({ir.dtype_of(k) for k in kinds if k}) == 1
        return known and all(
            is_array(self.facts.kind(a)) or self.facts.is_number(a) or is_setting(a)
            for a in (*value.args, *(v for _, v in value.keywords))
        )

    def is_moved(self, value: Any) -> bool:
        """True for an operation that moves or picks elements."""
        if not isinstance(value, ir.Apply) or not value.args:
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
        if ops.rearranges(function):
            return ops.index_map_of(value, rank) is not None
        if function is np.roll:
            return self.rolled(value) is not None
        if function is operator.getitem:
            index = Index(value.args[1], rank, self.facts)
            return index.mask is None and index.is_simple()
        return False

    def rolled(self, value: ir.Apply) -> tuple[ir.Operand, int] | None:
        """How far ``np.roll`` moves elements along which axis; None where that isn't
        known."""
        words = dict(zip(("shift", "axis"), value.args[1:])) | dict(value.keywords)
        shift, axis = words.get("shift"), known_value(words.get("axis"))
        rank = len(self.axes(value.args[0]))
        if isinstance(axis, tuple) and len(axis) == 1:
            (axis,) = axis
        if axis is None and rank == 1 and words.get("axis") in (None, ir.Const(None)):
            axis = 0
        if shift is None or not _is_whole(self.facts.kind(shift)):
            return None
        return (shift, axis % rank) if isinstance(axis, int) else None

    def length(self, operand: ir.Operand, axis: int) -> Place:
        """Where the length of an axis of an operand is read."""
        if isinstance(operand, ir.Var) and operand.name in self.lazy:
            value = self.lazy[operand.name].value
            assert isinstance(value, ir.Apply)
            return self.length_of_value(value, axis, len(self.axes(operand)))
        return (operand, axis)

    def length_of_value(self, value: ir.Apply, axis: int, rank: int) -> Place:
        """Where the length of an axis of an operation's result is read."""
        first = value.args[0]
        inner = len(self.axes(first))
        if value.function in SPREAD:
            return self.length(value.args[1], axis)
        if value.function is np.arange:
            kind = self.facts.kind(first)
            if isinstance(first, ir.Const):
                return ir.Const(max(first.value, 0))
            known = isinstance(kind, ir.Scalar) and kind.length_of is not None
            return (first, ITSELF if known else AT_LEAST_ZERO)
        if value.function is np.outer:
            return self.length(value.args[axis], 0)
        if self.is_elementwise(value):
            return self._length_of_operands(value.args, axis, rank)
        if value.function is np.roll:
            return self.length(first, axis)
        moved = ops.index_map_of(value, inner)
        if moved is not None:
            source = moved.sources[axis]
            return ir.Const(1) if source is None else self.length(first, source)
        index = Index(value.args[1], inner, self.facts)
        form, k = index.axes_of_result()[axis]
        if form == "new":
            return ir.Const(1)
        if form == "axis":
            return self.length(first, k)
        spread = index.spread()
        return self._length_of_operands(index.arrays, spread - k, spread)

    def _length_of_operands(
        self, operands: Sequence[ir.Operand], axis: int, rank: int
    ) -> Place:
        """The length that operands broadcast to: that of one that isn't of length 1."""
        open_places: dict[ir.Axis, Place] = {}
        for operand in operands:
            axes = self.axes(operand)
            k = axis - (rank - len(axes))
            if k < 0 or axes[k].length == "one":
                continue
            place = self.length(operand, k)
            if axes[k].length == "many":
                return place
            key = axes[k] if axes[k].symbol is not None else ir.Axis("any", place)
            open_places.setdefault(key, place)
        places = tuple(open_places.values())
        if len(places) < 2:
            return places[0] if places else ir.Const(1)
        return Common(places)

    def read_for(self, value: ir.Apply) -> set[str]:
        """The variables that are read where an operation's result is computed element
        by element."""
        found: set[str] = set()
        for name in {v.name for v in ir.value_variables(value)}:
            if name in self.lazy:
                inner = self.lazy[name].value
                assert isinstance(inner, ir.Apply)
                found |= self.read_for(inner)
            else:
                found.add(name)
        return found


def is_setting(operand: ir.Operand) -> bool:
    """A dtype, or None."""
    if not isinstance(operand, ir.Const):
        return False
    value = operand.value
    return value is None or isinstance(value, type | np.dtype | str)


def _is_whole(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Scalar) and kind.type == "int"
