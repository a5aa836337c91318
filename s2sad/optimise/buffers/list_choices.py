"""Which cotangents may be lists instead of arrays: those of which only elements are
read and written; see :mod:`s2sad.optimise.buffers.list_cotangents`."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from s2sad.ir.kinds import (
    Array,
    Kind,
    Known,
    List,
    NumPyScalar,
    Scalar,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Function,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
)
from s2sad.ir.walking import (
    direct_reads,
    direct_writes,
    operand_variables,
    value_variables,
    walk,
)
from s2sad.ops.buffers import (
    index_add,
    index_set,
    overwritten_part,
    own_copy,
    stored,
)
from s2sad.ops.inner_lists import (
    item_within,
    with_longer_row,
    with_shorter_row,
    with_zero_element,
)
from s2sad.ops.lists import (
    without_last,
    without_place,
    zero_appended,
    zero_inserted,
    zeros_along,
)
from s2sad.ops.rows import with_row, with_zero_row, without_row, zero_rows
from s2sad.optimise.products.python_numbers import PythonNumbers

LENGTHS = (without_last, zero_appended, zero_inserted, without_place)
"""The operations that change how long a cotangent is."""
_OF_NUMBERS = (index_add, index_set, stored, *LENGTHS)
_OF_ROWS = (with_zero_element, with_shorter_row, with_longer_row, without_row)


class Chosen:
    """The variables that are to hold lists."""

    def __init__(self, names: set[str], rows: set[str], quotients: set[int]) -> None:
        self.names, self.rows = names, rows
        self.quotients = quotients
        """The statements, by identity, that may divide Python's numbers."""


class Choice:
    """Finds the variables that may hold lists: all that share a cotangent do, or
    none."""

    def __init__(self, function: Function) -> None:
        self.function, self.kinds = function, function.kinds
        self.parent: dict[str, str] = {}
        for name, kind in function.kinds.items():
            if is_vector(kind) or holds_vectors(kind):
                self.parent[name] = name
        self.bad: set[str] = set()
        self.wanted: set[str] = set()

    def chosen(self) -> Chosen:
        """The choice."""
        self._refuse(self.function.parameters)
        for s in walk(self.function.body):
            self._look_at(s)
        while True:
            names = {
                n
                for n in self.parent
                if self._root(n) in {self._root(w) for w in self.wanted}
                and self._root(n) not in {self._root(b) for b in self.bad}
            }
            if not names:
                return Chosen(names, set(), set())
            numbers = PythonNumbers(self.function, names, self._root)
            refused = numbers.refused()
            if not refused:
                break
            self.bad |= refused
        rows = {n for n in names if holds_vectors(self.kinds[n])}
        return Chosen(names, rows, numbers.quotients)

    def _root(self, name: str) -> str:
        while self.parent[name] != name:
            name = self.parent[name]
        return name

    def _unite(self, a: str, b: Operand) -> None:
        if isinstance(b, Var) and a in self.parent and b.name in self.parent:
            self.parent[self._root(a)] = self._root(b.name)
        else:
            self._refuse((a, *(v.name for v in operand_variables(b))))

    def _refuse(self, names: Iterable[str]) -> None:
        self.bad |= {name for name in names if name in self.parent}

    def _look_at(self, s: Statement) -> None:
        if isinstance(s, Assign) and isinstance(s.target, Var):
            name, value = s.target.name, s.value
            if isinstance(value, Var) and (
                name in self.parent or value.name in self.parent
            ):
                return self._unite(name, value)
            if isinstance(value, Apply) and self._operation(name, value):
                return None
        touched = (*direct_reads(s), *direct_writes(s))
        return self._refuse(v.name for v in touched)

    def _operation(self, name: str, value: Apply) -> bool:
        """Take note of an operation. False where it isn't one of elements."""
        function, args = value.function, value.args
        first = args[0] if args else None
        held = self.kinds.get(first.name) if isinstance(first, Var) else None
        known = isinstance(first, Var) and first.name in self.parent
        others = [v.name for a in args[1:] for v in operand_variables(a)]
        if function in (len, operator.getitem, overwritten_part, item_within) and known:
            return self._read(name, value, held)
        if function in (zeros_along, zero_rows) and name in self.parent:
            self.wanted.add(name)
            return len(args) == 1 and _is_list(held) and not known
        if self._stores_slice(value, held):
            if known and name in self.parent and args[2].name in self.parent:  # type: ignore[union-attr]
                self._unite(name, first)  # type: ignore[arg-type]
                self._unite(name, args[2])  # as a list into a list, or as arrays
                return True
            return False
        if any(o in self.parent for o in others) and function not in (
            with_row,
            with_zero_row,
            without_row,
        ):
            return False
        if known and name in self.parent and self._changes(value, held):
            self._unite(name, first)  # type: ignore[arg-type]
            if function in LENGTHS:
                self.wanted.add(name)
            return True
        if name in self.parent and not known and is_vector(self.kinds[name]):
            # an array that an operation gives is made a list
            return not any(v.name in self.parent for v in value_variables(value))
        return False

    def _read(self, name: str, value: Apply, held: Kind | None) -> bool:
        if value.function is len:
            return True
        if not all(is_whole(a, self.kinds) for a in value.args[1:]):
            return False
        if value.function is item_within:
            return holds_vectors(held)
        if holds_vectors(held):  # a row is a list, too
            self._unite(name, value.args[0])
            return name in self.parent
        return name not in self.parent

    def _stores_slice(self, value: Apply, held: Kind | None) -> bool:
        """True for ``items.bar[1:] = part.bar``, the cotangent of a slice that is as
        long: a slice of a list would take any other length, too."""
        if value.function is not index_set or not is_vector(held):
            return False
        index, amount, *repeats = value.args[1:]
        return (
            isinstance(index, Slice)
            and isinstance(amount, Var)
            and is_vector(self.kinds.get(amount.name))
            and repeats != [Const(True)]
        )

    def _changes(self, value: Apply, held: Kind | None) -> bool:
        """True for a change of elements, or of the length."""
        function, (_, *args) = value.function, value.args
        whole = holds_vectors(held)
        if function is own_copy:
            return not whole
        if function is index_add and whole:
            index, amount, *repeats = args
            pair = isinstance(index, Pack) and len(index.items) == 2
            places = index.items if isinstance(index, Pack) else (index,)
            single = pair and all(is_whole(i, self.kinds) for i in places)
            return single and self._is_number(amount) and repeats != [Const(True)]
        if function in (with_row, with_zero_row):
            return whole and self._is_whole_like(args)
        if function in _OF_ROWS:
            longer = function is with_longer_row
            return whole and (not longer or args[1] == Const(-1))
        if whole or function not in _OF_NUMBERS:
            return False
        if function in (without_last, zero_appended):
            return True
        if not is_whole(args[0], self.kinds):
            return False
        if function in (zero_inserted, without_place):
            return True
        if function is stored and _is_int(args[1], self.kinds):
            return False  # an array would make it a float
        return self._is_number(args[1]) and args[2:] != [Const(True)]

    def _is_whole_like(self, args: list[Operand]) -> bool:
        """True where a row of zeros gets the length of a list or a row."""
        like = args[1]
        kind = self.kinds.get(like.name) if isinstance(like, Var) else None
        count = (
            isinstance(like, Var) and isinstance(kind, Scalar) and kind.type == "int"
        )
        return count or _is_list_of_numbers(kind) or is_vector(kind)

    def _is_number(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return isinstance(operand.value, float)
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        if isinstance(kind, Known):
            return False
        return isinstance(kind, Scalar | NumPyScalar)


def is_vector(kind: Kind | None) -> bool:
    """True for an array of floats with one axis."""
    return (
        isinstance(kind, Array)
        and not kind.promoted
        and kind.dtype == "float64"
        and kind.axes is not None
        and len(kind.axes) == 1
    )


def holds_vectors(kind: Kind | None) -> bool:
    """True for a list of such arrays."""
    return isinstance(kind, List) and kind.constructor is list and is_vector(kind.item)


def _is_list(kind: Kind | None) -> bool:
    """True for a list of numbers, or of such lists."""
    if _is_list_of_numbers(kind):
        return True
    whole = isinstance(kind, List) and kind.constructor is list
    return whole and _is_list_of_numbers(kind.item)  # type: ignore[union-attr]


def _is_list_of_numbers(kind: Kind | None) -> bool:
    return (
        isinstance(kind, List)
        and kind.constructor is list
        and isinstance(kind.item, Scalar | NumPyScalar)
    )


def _is_int(operand: Operand, kinds: Mapping[str, Kind]) -> bool:
    kind = kinds.get(operand.name) if isinstance(operand, Var) else None
    return isinstance(kind, Scalar) and kind.type != "float"


def is_whole(index: Operand, kinds: Mapping[str, Kind]) -> bool:
    """True for an index that names one element."""
    if isinstance(index, Const):
        return type(index.value) is int
    kind = kinds.get(index.name) if isinstance(index, Var) else None
    if isinstance(kind, NumPyScalar):
        return dtype_of(kind) in ("int64", "int32")
    return isinstance(kind, Scalar) and kind.type == "int"
