"""Which cotangents may be lists instead of arrays: those of which only elements are
read and written; see :mod:`s2sad.optimise.buffers.list_cotangents`."""

import operator
from collections.abc import Iterable, Mapping

from s2sad import ir, ops
from s2sad.optimise.products.python_numbers import PythonNumbers

LENGTHS = (ops.without_last, ops.zero_appended, ops.zero_inserted, ops.without_place)
"""The operations that change how long a cotangent is."""
_OF_NUMBERS = (ops.index_add, ops.index_set, ops.stored, *LENGTHS)
_OF_ROWS = (
    ops.with_zero_element,
    ops.with_shorter_row,
    ops.with_longer_row,
    ops.without_row,
)


class Chosen:
    """The variables that are to hold lists."""

    def __init__(self, names: set[str], rows: set[str], quotients: set[int]) -> None:
        self.names, self.rows = names, rows
        self.quotients = quotients
        """The statements, by identity, that may divide Python's numbers."""


class Choice:
    """Finds the variables that may hold lists: all that share a cotangent do, or
    none."""

    def __init__(self, function: ir.Function) -> None:
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
        for s in ir.walk(self.function.body):
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

    def _unite(self, a: str, b: ir.Operand) -> None:
        if isinstance(b, ir.Var) and a in self.parent and b.name in self.parent:
            self.parent[self._root(a)] = self._root(b.name)
        else:
            self._refuse((a, *(v.name for v in ir.operand_variables(b))))

    def _refuse(self, names: Iterable[str]) -> None:
        self.bad |= {name for name in names if name in self.parent}

    def _look_at(self, s: ir.Statement) -> None:
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            name, value = s.target.name, s.value
            if isinstance(value, ir.Var) and (
                name in self.parent or value.name in self.parent
            ):
                return self._unite(name, value)
            if isinstance(value, ir.Apply) and self._operation(name, value):
                return None
        touched = (*ir.direct_reads(s), *ir.direct_writes(s))
        return self._refuse(v.name for v in touched)

    def _operation(self, name: str, value: ir.Apply) -> bool:
        """Take note of an operation. False where it isn't one of elements."""
        function, args = value.function, value.args
        first = args[0] if args else None
        held = ir.kind_of(first, self.kinds)
        known = isinstance(first, ir.Var) and first.name in self.parent
        others = [v.name for a in args[1:] for v in ir.operand_variables(a)]
        if (
            function in (len, operator.getitem, ops.overwritten_part, ops.item_within)
            and known
        ):
            return self._read(name, value, held)
        if function is ops.in_lists and known:  # as it is returned
            return name not in self.parent
        if function in (ops.zeros_along, ops.zero_rows) and name in self.parent:
            self.wanted.add(name)
            return len(args) == 1 and _is_list(held) and not known
        if self._stores_slice(value, held):
            if known and name in self.parent and args[2].name in self.parent:  # type: ignore[union-attr]
                self._unite(name, first)  # type: ignore[arg-type]
                self._unite(name, args[2])  # as a list into a list, or as arrays
                return True
            return False
        if any(o in self.parent for o in others) and function not in (
            ops.index_add,
            ops.with_row,
            ops.with_zero_row,
            ops.without_row,
        ):
            return False
        if known and name in self.parent and self._changes(value, held):
            self._unite(name, first)  # type: ignore[arg-type]
            if function in LENGTHS:
                self.wanted.add(name)
            return True
        if name in self.parent and not known and is_vector(self.kinds[name]):
            # an array that an operation gives is made a list
            return not any(v.name in self.parent for v in ir.value_variables(value))
        return False

    def _read(self, name: str, value: ir.Apply, held: ir.Kind | None) -> bool:
        if value.function is len:
            return True
        if not all(is_whole(a, self.kinds) for a in value.args[1:]):
            return False
        if value.function is ops.item_within:
            return holds_vectors(held)
        if holds_vectors(held):  # a row is a list, too
            self._unite(name, value.args[0])
            return name in self.parent
        return name not in self.parent

    def _stores_slice(self, value: ir.Apply, held: ir.Kind | None) -> bool:
        """True for ``items.bar[1:] = part.bar``, the cotangent of a slice that is as
        long: a slice of a list would take any other length, too."""
        if value.function is not ops.index_set or not is_vector(held):
            return False
        index, amount, *repeats = value.args[1:]
        return (
            isinstance(index, ir.Slice)
            and isinstance(amount, ir.Var)
            and is_vector(self.kinds.get(amount.name))
            and repeats != [ir.Const(True)]
        )

    def _changes(self, value: ir.Apply, held: ir.Kind | None) -> bool:
        """True for a change of elements, or of the length."""
        function, (_, *args) = value.function, value.args
        whole = holds_vectors(held)
        if function is ops.own_copy:
            return not whole
        if function is ops.index_add and whole:
            index, amount, *repeats = args
            if is_whole(index, self.kinds) and self._is_row_of_zeros(amount):
                self._unite(str(amount), value.args[0])
                return repeats != [ir.Const(True)]
            pair = isinstance(index, ir.Pack) and len(index.items) == 2
            places = index.items if isinstance(index, ir.Pack) else (index,)
            single = pair and all(is_whole(i, self.kinds) for i in places)
            return single and self._is_number(amount) and repeats != [ir.Const(True)]
        if function in (ops.with_row, ops.with_zero_row):
            return whole and self._is_whole_like(args)
        if function in _OF_ROWS:
            longer = function is ops.with_longer_row
            return whole and (not longer or args[1] == ir.Const(-1))
        if whole or function not in _OF_NUMBERS:
            return False
        if function in (ops.without_last, ops.zero_appended):
            return True
        if not is_whole(args[0], self.kinds):
            return False
        if function in (ops.zero_inserted, ops.without_place):
            return True
        if function is ops.stored and _is_int(args[1], self.kinds):
            return False  # an array would make it a float
        return self._is_number(args[1]) and args[2:] != [ir.Const(True)]

    def _is_row_of_zeros(self, amount: ir.Operand) -> bool:
        """True for a row that starts as zeros, to which elements are added."""
        if not isinstance(amount, ir.Var) or amount.name not in self.parent:
            return False
        made = ir.uses_in(self.function.body).definitions.get(amount.name, ())
        return any(ir.is_line(s, ops.zeros_along) for s in made)

    def _is_whole_like(self, args: list[ir.Operand]) -> bool:
        """True where a row of zeros gets the length of a list or a row."""
        kind = ir.kind_of(args[1], self.kinds)
        count = isinstance(kind, ir.Scalar) and kind.type == "int"
        is_list = ir.is_list_of_numbers(ir.without_none(kind))
        return count or is_list or is_vector(kind)

    def _is_number(self, operand: ir.Operand) -> bool:
        if isinstance(operand, ir.Const):
            return isinstance(operand.value, float)
        return isinstance(ir.kind_of(operand, self.kinds), ir.Scalar | ir.NumPyScalar)


def is_vector(kind: ir.Kind | None) -> bool:
    """True for an array of floats with one axis."""
    return (
        isinstance(kind, ir.Array)
        and not kind.promoted
        and kind.dtype == "float64"
        and kind.axes is not None
        and len(kind.axes) == 1
    )


def holds_vectors(kind: ir.Kind | None) -> bool:
    """True for a list of such arrays."""
    return (
        isinstance(kind, ir.List) and kind.constructor is list and is_vector(kind.item)
    )


def _is_list(kind: ir.Kind | None) -> bool:
    """True for a list or tuple of numbers, or of such lists; there may be None."""
    kind = ir.without_none(kind)
    if ir.is_list_of_numbers(kind):
        return True
    return isinstance(kind, ir.List) and ir.is_list_of_numbers(kind.item)


def _is_int(operand: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    kind = ir.kind_of(operand, kinds)
    return isinstance(kind, ir.Scalar) and kind.type != "float"


def is_whole(index: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for an index that names one element."""
    kind = ir.kind_of(index, kinds)
    if isinstance(kind, ir.NumPyScalar):
        return ir.dtype_of(kind) in ("int64", "int32")
    return ir.is_whole_number(index, kinds)
