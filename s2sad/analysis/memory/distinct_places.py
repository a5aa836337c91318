"""Distinct places: which indices surely name no element twice.

::

    rows, columns = triu_indices(d, 1)     # pairs that differ
    k = arange(n)                          # numbers that differ, from 0 on
    j = k[1:] - 1                          # likewise
    q[:, rows, columns] = v                # each element is named once
    q[k, labels] += v                      # likewise, with one label for each number
    q[labels] += v                         # nothing is known

Numbers below 0 count from the end, where they may name what others do, too.
"""

import math
import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from s2sad import ir

_TOGETHER = (
    *(np.triu_indices, np.tril_indices, np.triu_indices_from, np.tril_indices_from),
    np.nonzero,
)
"""Functions that give places, an array for each axis: no two places are the same."""
_SINGLE = (np.flatnonzero, np.argsort)
"""Functions of which each number in the result is another place."""


@dataclass(frozen=True)
class _Numbers:
    """A vector of numbers that all differ."""

    least: int
    """None is less than this."""


class DistinctPlaces:
    """What is known of the indices of one function."""

    def __init__(self, function: ir.Function) -> None:
        self.kinds: Mapping[str, ir.Kind] = function.kinds
        written = Counter(function.parameters)
        definitions: dict[str, ir.Apply | ir.Operand] = {}
        parts: dict[str, tuple[ir.Pack, int]] = {}
        for s in ir.walk(function.body):
            written.update(v.name for v in ir.direct_writes(s))
            if not isinstance(s, ir.Assign):
                continue
            if isinstance(s.target, ir.Var):
                definitions[s.target.name] = s.value
            elif isinstance(s.value, ir.Apply) and s.value.function in _TOGETHER:
                for place, item in enumerate(s.target.items):
                    if isinstance(item, ir.Var):
                        parts[item.name] = s.target, place
        self.written: Mapping[str, int] = written
        self.definitions = {n: v for n, v in definitions.items() if written[n] == 1}
        self.parts = {n: v for n, v in parts.items() if written[n] == 1}

    def names_once(self, index: ir.Operand) -> bool:
        """Whether no element is named twice by an index that holds arrays of places."""
        items = [index]
        if isinstance(index, ir.Pack):
            if index.constructor is not tuple:
                return False
            items = list(index.items)
        arrays = [item for item in items if not self._is_plain(item)]
        if not arrays:
            return True
        if self._are_all_parts(arrays):
            return True
        return any(self._tells_apart(item, arrays) for item in arrays)

    def counts(self, operand: ir.Operand) -> bool:
        """Whether an operand is 0, 1, 2, and so on."""
        made = self._made(operand)
        return (
            isinstance(made, ir.Apply)
            and made.function is np.arange
            and not made.keywords
            and len(made.args) == 1
        )

    def _is_plain(self, item: ir.Operand) -> bool:
        """True for an entry of an index that holds no array: a slice, a number."""
        if isinstance(item, ir.Slice | ir.Const):
            return True
        kind = self._kind(item)
        return isinstance(kind, ir.Scalar | ir.NumPyScalar)

    def _kind(self, item: ir.Operand) -> ir.Kind | None:
        return ir.kind_of(item, self.kinds)

    def _axis(self, item: ir.Operand) -> ir.Axis | None:
        """The axis of a vector."""
        kind = self._kind(item)
        if not isinstance(kind, ir.Array) or kind.promoted:
            return None
        axes = ir.axes_of(kind)
        return axes[0] if axes is not None and len(axes) == 1 else None

    def _are_all_parts(self, arrays: list[ir.Operand]) -> bool:
        """True for all the vectors that name places together."""
        found = [self._part(item) for item in arrays]
        first = found[0]
        if first is None:
            return False
        together, _ = first
        places = {one[1] for one in found if one is not None and one[0] is together}
        return len(arrays) == len(places) == len(together.items)

    def _part(self, item: ir.Operand) -> tuple[ir.Pack, int] | None:
        while isinstance(item, ir.Var) and item.name not in self.parts:
            made = self.definitions.get(item.name)
            if not isinstance(made, ir.Var):
                return None
            item = made
        return self.parts[item.name] if isinstance(item, ir.Var) else None

    def _tells_apart(self, item: ir.Operand, arrays: list[ir.Operand]) -> bool:
        """True where one vector of an index alone names other places with each number,
        and isn't broadcast along others."""
        own = self._axis(item)
        numbers = self._numbers(item)
        if own is None or numbers is None or numbers.least < 0:
            return False
        for other in arrays:
            axis = self._axis(other)
            if axis is None:
                return False
            same = axis.symbol is not None and axis.symbol == own.symbol
            if not (other == item or own.length == "many" or same):
                return False
        return True

    def _made(self, operand: ir.Operand) -> ir.Apply | ir.Operand | None:
        """What a variable was assigned, past other names of it."""
        made: ir.Apply | ir.Operand | None = operand
        while isinstance(made, ir.Var):
            made = self.definitions.get(made.name)
        return made

    def _numbers(self, operand: ir.Operand) -> _Numbers | None:
        """What is known of a vector of numbers that all differ."""
        made = self._made(operand)
        if not isinstance(made, ir.Apply) or made.keywords:
            return None
        function, args = made.function, made.args
        if function is np.arange:
            return _numbers_of_arange(args)
        if function in _SINGLE and len(args) == 1:
            vector = function is np.flatnonzero or self._axis(args[0]) is not None
            return _Numbers(0) if vector else None
        if function is operator.getitem and isinstance(args[1], ir.Slice):
            return self._numbers(args[0])
        if function in (operator.add, operator.sub) and len(args) == 2:
            number = ir.known_whole_number(args[1])
            known = self._numbers(args[0])
            if number is None and function is operator.add:
                number, known = ir.known_whole_number(args[0]), self._numbers(args[1])
            if number is None or known is None:
                return None
            sign = 1 if function is operator.add else -1
            return _Numbers(known.least + sign * number)
        return None


def _numbers_of_arange(args: tuple[ir.Operand, ...]) -> _Numbers | None:
    if len(args) == 1:
        return _Numbers(0)
    start, step = (
        ir.known_whole_number(args[0]),
        1 if len(args) == 2 else ir.known_whole_number(args[2]),
    )
    if start is None or step is None or step <= 0:
        return None
    return _Numbers(start)


def are_apart(index: ir.Operand, other: ir.Operand) -> bool:
    """True for two indices of numbers and slices that surely name other elements: they
    are apart along one axis, counted from its start or from its end.

    >>> others = ir.Slice(ir.Const(1), None, None)
    >>> are_apart(others, ir.Const(0)), are_apart(others, ir.Const(-1))
    (True, False)
    """
    parts, of_other = (
        i.items if isinstance(i, ir.Pack) else (i,) for i in (index, other)
    )
    known = [(_ranges(a), _ranges(b)) for a, b in zip(parts, of_other, strict=False)]
    return all(a and b for a, b in known) and any(
        stop <= start_of_other or stop_of_other <= start
        for ranges, others in known
        for (start, stop), (start_of_other, stop_of_other) in zip(
            ranges, others, strict=True
        )
    )


def _ranges(part: ir.Operand) -> list[tuple[float, float]]:
    """The places that a number or slice names, from and up to: counted from the start,
    and as negative numbers from the end. Nothing for what else an index consists of."""
    if not isinstance(part, ir.Slice):
        number = ir.known_whole_number(part)
        if number is None:
            return []
        here = number, number + 1
        return [here, (-math.inf, 0)] if number >= 0 else [(0, math.inf), here]
    low = 0 if part.lower is None else ir.known_whole_number(part.lower)
    high = math.inf if part.upper is None else ir.known_whole_number(part.upper)
    if low is None or high is None or part.step is not None:
        return []
    return [
        (max(low, 0), high if high >= 0 else math.inf),
        (low if low < 0 else -math.inf, min(high, 0)),
    ]
