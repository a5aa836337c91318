"""Cotangents of lists as lists: where only single elements of it are read and written,
the cotangent of a list of numbers is a list, too, and no array.

::

    b = zeros_along(items)                    b = zero_numbers(items)
    b = index_add(b, i, v)             ->     b = with_item_added(b, i, v)
    t = zero_inserted(b, n)                   t = with_inserted_item(b, n, 0.0)
    u = without_last(t)                       u = without_item(t, -1)

A list is several times as fast by elements, and gets longer without being copied. So is
the cotangent of a list of lists of numbers: a list of lists instead of one of arrays.

Elements of an array are NumPy's numbers, those of a list may be Python's, which raise
where the others give inf. So what is computed of elements is followed, and quotients of
what may be Python's numbers only become calls of ``quotient``; where an element goes
into an operation of which it isn't known that it gives the same, arrays stay.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from s2sad.codegen.helper_functions.scalars import power, quotient
from s2sad.ir.kinds import (
    FLOAT,
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
    Block,
    Const,
    For,
    Function,
    If,
    Operand,
    Pack,
    Restore,
    Return,
    Save,
    Statement,
    Var,
    While,
)
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    direct_writes,
    operand_variables,
    value_variables,
    walk,
    with_blocks,
)
from s2sad.transform.buffers import (
    index_add,
    index_set,
    overwritten_part,
    own_copy,
    stored,
)
from s2sad.transform.inner_lists import (
    added_within,
    appended_within,
    item_within,
    with_item_stored_within,
    with_longer_row,
    with_shorter_row,
    with_zero_element,
    without_item_within,
)
from s2sad.transform.lists import (
    appended,
    numbers_of,
    with_inserted_item,
    with_item_added,
    with_item_stored,
    without_item,
    without_last,
    without_place,
    zero_appended,
    zero_inserted,
    zero_items,
    zero_numbers,
    zeros_along,
)
from s2sad.transform.rows import with_row, with_zero_row, without_row, zero_rows

_ZERO, _LAST = Const(0.0), Const(-1)
_LENGTHS = (without_last, zero_appended, zero_inserted, without_place)
"""The operations that change how long a cotangent is."""
_OF_NUMBERS = (index_add, index_set, stored, *_LENGTHS)
_OF_ROWS = (with_zero_element, with_shorter_row, with_longer_row, without_row)
_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.iadd, operator.isub, operator.imul, operator.neg, operator.pos),
)
_COMPARISONS = (
    *(operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.eq, operator.ne),
)


def with_list_cotangents(function: Function) -> Function:
    """The function with lists in place of arrays of which only elements are used."""
    if not any(_is_of_lists(s) for s in walk(function.body)):
        return function
    if any(_is_of_other_precision(kind) for kind in function.kinds.values()):
        return function
    chosen = _Choice(function).chosen()
    if not chosen.names:
        return function
    kinds = dict(function.kinds)
    body = _Rewriting(chosen, kinds).block(function.body)
    for name in chosen.names:
        kinds[name] = List(List(FLOAT)) if name in chosen.rows else List(FLOAT)
    temporaries = function.temporaries | (set(kinds) - set(function.kinds))
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _is_of_lists(s: Statement) -> bool:
    """True for what makes the cotangent of a list, or changes its length."""
    own = (zeros_along, zero_rows, *_LENGTHS)
    value = s.value if isinstance(s, Assign) else None
    return isinstance(value, Apply) and value.function in own


def _is_of_other_precision(kind: Kind | None) -> bool:
    """True for numbers that take the precision of what they meet from Python's."""
    if isinstance(kind, List):
        return _is_of_other_precision(kind.item)
    if not isinstance(kind, Array | NumPyScalar):
        return False
    return dtype_of(kind) not in (None, "float64", "int64", "int32", "bool")


class _Chosen:
    """The variables that are to hold lists."""

    def __init__(self, names: set[str], rows: set[str], quotients: set[int]) -> None:
        self.names, self.rows = names, rows
        self.quotients = quotients
        """The statements, by identity, that may divide Python's numbers."""


class _Choice:
    """Finds the variables that may hold lists: all that share a cotangent do, or
    none."""

    def __init__(self, function: Function) -> None:
        self.function, self.kinds = function, function.kinds
        self.parent: dict[str, str] = {}
        for name, kind in function.kinds.items():
            if _is_vector(kind) or _holds_vectors(kind):
                self.parent[name] = name
        self.bad: set[str] = set()
        self.wanted: set[str] = set()

    def chosen(self) -> _Chosen:
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
                return _Chosen(names, set(), set())
            numbers = _PythonNumbers(self.function, names, self._root)
            refused = numbers.refused()
            if not refused:
                break
            self.bad |= refused
        rows = {n for n in names if _holds_vectors(self.kinds[n])}
        return _Chosen(names, rows, numbers.quotients)

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
        if any(o in self.parent for o in others) and function not in (
            with_row,
            with_zero_row,
            without_row,
        ):
            return False
        if known and name in self.parent and self._changes(value, held):
            self._unite(name, first)  # type: ignore[arg-type]
            if function in _LENGTHS:
                self.wanted.add(name)
            return True
        if name in self.parent and not known and _is_vector(self.kinds[name]):
            # an array that an operation gives is made a list
            return not any(v.name in self.parent for v in value_variables(value))
        return False

    def _read(self, name: str, value: Apply, held: Kind | None) -> bool:
        if value.function is len:
            return True
        if not all(_is_whole(a, self.kinds) for a in value.args[1:]):
            return False
        if value.function is item_within:
            return _holds_vectors(held)
        if _holds_vectors(held):  # a row is a list, too
            self._unite(name, value.args[0])
            return name in self.parent
        return name not in self.parent

    def _changes(self, value: Apply, held: Kind | None) -> bool:
        """True for a change of elements, or of the length."""
        function, (_, *args) = value.function, value.args
        whole = _holds_vectors(held)
        if function is own_copy:
            return not whole
        if function is index_add and whole:
            index, amount, *repeats = args
            pair = isinstance(index, Pack) and len(index.items) == 2
            places = index.items if isinstance(index, Pack) else (index,)
            single = pair and all(_is_whole(i, self.kinds) for i in places)
            return single and self._is_number(amount) and repeats != [Const(True)]
        if function in (with_row, with_zero_row):
            return whole and self._is_whole_like(args)
        if function in _OF_ROWS:
            longer = function is with_longer_row
            return whole and (not longer or args[1] == _LAST)
        if whole or function not in _OF_NUMBERS:
            return False
        if function in (without_last, zero_appended):
            return True
        if not _is_whole(args[0], self.kinds):
            return False
        if function in (zero_inserted, without_place):
            return True
        return self._is_number(args[1]) and args[2:] != [Const(True)]

    def _is_whole_like(self, args: list[Operand]) -> bool:
        """True where a row of zeros gets the length of a list or a row."""
        like = args[1]
        kind = self.kinds.get(like.name) if isinstance(like, Var) else None
        count = (
            isinstance(like, Var) and isinstance(kind, Scalar) and kind.type == "int"
        )
        return count or _is_list_of_numbers(kind) or _is_vector(kind)

    def _is_number(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return isinstance(operand.value, float)
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        if isinstance(kind, Known):
            return False
        return isinstance(kind, Scalar | NumPyScalar)


class _PythonNumbers:
    """Which variables may be Python's numbers, once some cotangents are lists: for each
    the lists whose elements they come from."""

    def __init__(
        self, function: Function, names: set[str], root: Callable[[str], str]
    ) -> None:
        self.function, self.kinds = function, function.kinds
        self.names, self.root = names, root
        self.statements = [s for s in walk(function.body) if not blocks_of(s)]
        self.sure: set[str] = set()
        self.sources: dict[str, frozenset[str]] = {}
        self.quotients: set[int] = set()

    def refused(self) -> set[str]:
        """The lists of which an element goes where it would make a difference."""
        statements = self.statements
        self.sure = self._sure()
        changed = True
        while changed:
            changed = False
            for s in statements:
                for name, found in self._follow(s):
                    known = self.sources.get(name, frozenset())
                    if not found <= known:
                        self.sources[name] = known | found
                        changed = True
        bad: set[str] = set()
        for s in statements:
            found = self._of(direct_reads(s))
            if found and not self._is_harmless(s):
                bad |= found
        return bad

    def _of(self, variables: Iterable[Var]) -> frozenset[str]:
        empty: frozenset[str] = frozenset()
        return empty.union(*(self.sources.get(v.name, empty) for v in variables))

    def _follow(self, s: Statement) -> Iterator[tuple[str, frozenset[str]]]:
        match s:
            case Save(stack=stack, value=value):
                yield stack.name, self._of(operand_variables(value))
            case Restore(target=target, stack=stack):
                yield target.name, self._of((stack,))
            case Assign(target=Var(name=name), value=Var() as value):
                if name not in self.names:
                    yield name, self._of((value,))
            case Assign(target=Var(name=name), value=Apply() as value):
                first = value.args[0] if value.args else None
                if isinstance(first, Var) and first.name in self.names:
                    if name not in self.names and value.function is not len:
                        yield name, frozenset((self.root(first.name),))
                elif value.function in _ARITHMETIC and name not in self.names:
                    if not self._is_surely_numpy(value):
                        yield name, self._of(value_variables(value))

    def _is_surely_numpy(self, value: Apply) -> bool:
        """True where an operand makes the result one of NumPy's."""
        for a in value.args:
            if isinstance(a, Var):
                if a.name in self.sure or _is_array(self.kinds.get(a.name)):
                    return True
        return False

    def _sure(self) -> set[str]:
        """The variables that surely hold a number of NumPy's: their kind alone doesn't
        tell, as of what is one on some paths only."""
        self.sure = {
            name
            for name, kind in self.kinds.items()
            if isinstance(kind, NumPyScalar) and dtype_of(kind) == "float64"
        }
        self.sure |= {s.stack.name for s in self.statements if isinstance(s, Save)}
        while True:
            lost = {
                name
                for s in self.statements
                for name in self._unsure(s)
                if name in self.sure
            }
            if not lost:
                return self.sure
            self.sure -= lost

    def _unsure(self, s: Statement) -> Iterator[str]:
        match s:
            case Save(stack=stack, value=value):
                if not (isinstance(value, Var) and value.name in self.sure):
                    yield stack.name
            case Restore(target=target, stack=stack):
                if stack.name not in self.sure:
                    yield target.name
            case Assign(target=Var(name=name), value=Var() as value):
                if value.name not in self.sure:
                    yield name
            case Assign(target=Var(name=name), value=Apply() as value):
                if not self._gives_numpy(value):
                    yield name
            case _:
                yield from (v.name for v in direct_writes(s))

    def _gives_numpy(self, value: Apply) -> bool:
        first = value.args[0] if value.args else None
        if value.function in (operator.getitem, overwritten_part):
            own = isinstance(first, Var) and first.name not in self.names
            return own and _is_array(self.kinds.get(first.name))  # type: ignore[union-attr]
        if value.function in _ARITHMETIC:
            return self._is_surely_numpy(value)
        return isinstance(value.function, np.ufunc)

    def _is_harmless(self, s: Statement) -> bool:
        """True where it makes no difference that an operand is one of Python's
        numbers."""
        match s:
            case Save() | Restore():
                return True
            case Return(value=value):
                return not isinstance(value, Apply)
            case Assign(value=Var()):
                return True
            case Assign(target=Var(name=name), value=Apply() as value):
                function = value.function
                if function is operator.truediv:
                    if not self._is_surely_numpy(value) and not _is_nonzero(
                        value.args[1]
                    ):
                        self.quotients.add(id(s))
                    return True
                if function in (*_ARITHMETIC, *_COMPARISONS, quotient, power):
                    return True
                if function in (index_add, index_set, stored):
                    index = value.args[1]
                    return not self._of(operand_variables(index))
                module = getattr(function, "__module__", None)
                return module == "math" and name not in self.names
        return False


class _Rewriting:
    """Writes the operations on lists."""

    def __init__(self, chosen: _Chosen, kinds: dict[str, Kind]) -> None:
        self.chosen, self.kinds = chosen, kinds
        self.before = dict(kinds)

    def block(self, block: Block) -> Block:
        """A block with lists in place of arrays."""
        lines: list[Statement] = []
        for s in self._with_reads_first(list(block)):
            if isinstance(s, If | For | While) or blocks_of(s):
                lines.append(with_blocks(s, self.block))
            elif isinstance(s, Assign) and isinstance(s.value, Apply):
                lines += self._line(s, s.value)
            else:
                lines.append(self._renamed(s))
        return tuple(lines)

    def _with_reads_first(self, block: list[Statement]) -> list[Statement]:
        """Elements that are read from a list after it changed under another name are
        read before, so that it need not be copied."""
        place = 0
        while place < len(block):
            s = block[place]
            first = self._changed(s)
            if first is not None and first not in direct_writes(s):
                ahead = self._reads_of(first, block, place)
                if ahead:
                    moved = [block[k] for k in ahead]
                    for k in reversed(ahead):
                        del block[k]
                    block[place:place] = moved
                    place += len(moved)
            place += 1
        return block

    def _changed(self, s: Statement) -> Var | None:
        """The list that a line changes."""
        value = s.value if isinstance(s, Assign) and isinstance(s.target, Var) else None
        if not isinstance(value, Apply) or not value.args:
            return None
        first = value.args[0]
        if not isinstance(first, Var) or first.name not in self.chosen.names:
            return None
        reading = (len, operator.getitem, overwritten_part, item_within)
        return None if value.function in reading else first

    def _reads_of(self, items: Var, block: list[Statement], place: int) -> list[int]:
        """The places of lines that read elements of a list after a line, and may as
        well stand before it."""
        found: list[int] = []
        written: set[str] = {v.name for v in direct_writes(block[place])}
        read: set[str] = {v.name for v in direct_reads(block[place])}
        for k in range(place + 1, len(block)):
            s = block[k]
            if any(items in direct_writes(inner) for inner in walk((s,))):
                break
            value = s.value if isinstance(s, Assign) else None
            if (
                isinstance(value, Apply)
                and value.function in (operator.getitem, overwritten_part, item_within)
                and value.args[0] == items
                and not {v.name for v in direct_reads(s)} & written
                and not {v.name for v in direct_writes(s)} & (written | read)
            ):
                found.append(k)
                continue
            for inner in walk((s,)):
                written |= {v.name for v in direct_writes(inner)}
                read |= {v.name for v in direct_reads(inner)}
        return found

    def _renamed(self, s: Statement) -> Statement:
        if isinstance(s, Assign) and isinstance(s.target, Var):
            if s.target.name in self.chosen.names:
                return replace(s, kind=self._kind(s.target.name))
        return s

    def _kind(self, name: str) -> Kind:
        return List(List(FLOAT)) if name in self.chosen.rows else List(FLOAT)

    def _line(self, s: Assign, value: Apply) -> Block:
        if id(s) in self.chosen.quotients:
            return (replace(s, value=replace(value, function=quotient)),)
        first = value.args[0] if value.args else None
        name = s.target.name if isinstance(s.target, Var) else ""
        if isinstance(first, Var) and first.name in self.chosen.names:
            extra, made = self._of_lists(value, first)
            kind = self._kind(name) if name in self.chosen.names else s.kind
            return (*extra, replace(s, value=made, kind=kind))
        if name not in self.chosen.names:
            return (s,)
        kind = self._kind(name)
        if value.function is zero_rows:
            return (replace(s, value=Apply(zero_items, value.args), kind=kind),)
        if value.function is zeros_along:
            return (replace(s, value=Apply(zero_numbers, value.args), kind=kind),)
        array = self._fresh(self.before[name])
        made = Apply(numbers_of, (array,))
        return replace(s, target=array), replace(s, value=made, kind=kind)

    def _of_lists(self, value: Apply, first: Var) -> tuple[Block, Apply]:
        """The operation on a list, and lines ahead of it."""
        function, (_, *args) = value.function, value.args
        if first.name in self.chosen.rows:
            return self._of_rows(value, first, args)
        if function in (index_add, index_set):
            return (), Apply(with_item_added, (first, *args[:2]))
        if function is stored:
            return (), Apply(with_item_stored, (first, *args[:2]))
        if function is without_last:
            return (), Apply(without_item, (first, _LAST))
        if function is zero_appended:
            return (), Apply(appended, (first, _ZERO))
        if function is without_place:
            return (), Apply(without_item, (first, *args))
        if function is zero_inserted:
            return (), Apply(with_inserted_item, (first, *args, _ZERO))
        if function is overwritten_part:
            return (), Apply(operator.getitem, (first, *args))
        return (), value

    def _of_rows(
        self, value: Apply, rows: Var, args: list[Operand]
    ) -> tuple[Block, Apply]:
        function = value.function
        if function is index_add:
            assert isinstance(args[0], Pack)
            return (), Apply(added_within, (rows, *args[0].items, args[1]))
        if function is with_zero_element:
            return (), Apply(with_item_stored_within, (rows, *args, _ZERO))
        if function is with_shorter_row:
            return (), Apply(without_item_within, (rows, *args))
        if function is with_longer_row:
            return (), Apply(appended_within, (rows, args[0], _ZERO))
        if function is without_row:
            return (), Apply(without_item, (rows, args[0]))
        if function is overwritten_part:
            return (), Apply(operator.getitem, (rows, *args))
        if function not in (with_row, with_zero_row):
            return (), value
        zeros = self._fresh(List(FLOAT))
        made = Assign(None, zeros, Apply(zero_numbers, (args[1],)), List(FLOAT), True)
        if function is with_zero_row:
            return (made,), Apply(with_item_stored, (rows, args[0], zeros))
        if args[0] == _LAST:
            return (made,), Apply(appended, (rows, zeros))
        return (made,), Apply(with_inserted_item, (rows, args[0], zeros))

    def _fresh(self, kind: Kind) -> Var:
        count = 1
        while f"numbers.{count}" in self.kinds:
            count += 1
        self.kinds[f"numbers.{count}"] = kind
        return Var(f"numbers.{count}")


def _is_vector(kind: Kind | None) -> bool:
    return (
        isinstance(kind, Array)
        and not kind.promoted
        and kind.dtype == "float64"
        and kind.axes is not None
        and len(kind.axes) == 1
    )


def _is_array(kind: Kind | None) -> bool:
    return isinstance(kind, Array) and not kind.promoted and bool(kind.axes)


def _holds_vectors(kind: Kind | None) -> bool:
    return isinstance(kind, List) and kind.constructor is list and _is_vector(kind.item)


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


def _is_whole(index: Operand, kinds: Mapping[str, Kind]) -> bool:
    if isinstance(index, Const):
        return type(index.value) is int
    kind = kinds.get(index.name) if isinstance(index, Var) else None
    if isinstance(kind, NumPyScalar):
        return dtype_of(kind) in ("int64", "int32")
    return isinstance(kind, Scalar) and kind.type == "int"


def _is_nonzero(operand: Operand) -> bool:
    return isinstance(operand, Const) and bool(operand.value)
