"""Layouts: which arrays surely are contiguous in the user's program.

``np.reshape`` and ``np.ravel`` give a view of an array whose layout allows it, and a
copy of any other. Where arrays are written into, the difference shows. This follows the
layouts along all paths, given those of the parameters: only the caller knows these, so
the answer names the parameters that it relies on.
"""

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.dataflow.shared_tables import SharedTable
from s2sad.analysis.memory.view_operations import (
    gives_what_others_hold,
    is_view_operation,
)
from s2sad.ops.runtime.products import add_turned_products


class Order(Enum):
    """How the elements of an array follow each other in memory."""

    BY_ROWS = "C"
    BY_COLUMNS = "F"
    APART = "none"
    """Surely neither."""
    WITH_GAPS = "rows"
    """By rows, with gaps between them where there are several: a part of a larger
    array, which only texts of the library ask for."""


@dataclass(frozen=True)
class Layout:
    """The order of an array's elements, if the parameters named are by rows."""

    order: Order
    given: frozenset[str] = frozenset()


Layouts = Mapping[str, Layout | None]
"""None, or no entry, for what isn't known."""
Known = SharedTable[Layout | None]

_MADE_BY_ROWS = (
    *(np.zeros, np.ones, np.empty, np.full, np.arange, np.linspace, np.eye),
    *(np.outer, np.ndarray.flatten, np.matmul, np.dot, operator.matmul),
)
_KEEP_THE_ORDER = (
    *(np.copy, np.array, np.zeros_like, np.ones_like, np.empty_like, np.full_like),
    *(np.concatenate, np.where, np.clip, np.ndarray.astype, np.ndarray.copy),
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow),
    *(operator.neg, operator.pos, operator.mod, operator.floordiv),
)
_SAME_BUFFER = (
    *ops.STORES,
    *ops.PLAIN,
    add_turned_products,
)
_STACK = (np.stack, np.vstack, np.hstack, np.column_stack)
_COPIES = (np.copy, np.array, np.ndarray.astype)
_SAME_IF_ARRAY = (np.asarray, np.asanyarray)


def layouts_of(function: ir.Function) -> Facts[Known]:
    """What is known of layouts at each place of a program."""
    start = {
        name: Layout(Order.BY_ROWS, frozenset({name}))
        for name in function.parameters
        if is_surely_an_array(function.kinds.get(name))
    }
    known: Known = SharedTable.of(start)
    return solve_forward(function.body, known, _Follow(function.kinds))


def is_surely_an_array(kind: ir.Kind | None) -> bool:
    """False where the value may turn out to be a number."""
    return isinstance(kind, ir.Array) and not kind.promoted and kind.axes is not None


def reshape_shares(
    value: ir.Apply,
    layouts: Layouts,
    kinds: Mapping[str, ir.Kind],
    result: ir.Kind | None,
) -> tuple[bool, frozenset[str]] | None:
    """Whether a ``reshape``, ``ravel`` or ``ascontiguousarray``, or an ``asarray`` with
    an order, is a view, and which parameters must be by rows for that; None where it
    can't be said."""
    source = value.args[0]
    if not isinstance(source, ir.Var):
        return None
    kind, known = kinds.get(source.name), layouts.get(source.name)
    if not is_surely_an_array(kind):
        return None
    axes = kind.axes  # type: ignore[union-attr]
    if value.function is np.reshape and len(axes) <= 1:
        return True, frozenset()
    if known is None:
        return None
    if known.order is (order_asked(value) or Order.BY_ROWS):
        return True, known.given
    if known.order is Order.WITH_GAPS:
        copies = _is_long(kind) and value.function is not np.reshape
        return (False, known.given) if copies else None
    # a columnwise array is rowwise too, where but one axis is longer than 1
    if known.order is not Order.APART:
        if _is_one_line(kind):
            return True, known.given
        if sum(axis.length == "many" for axis in axes) < 2:
            return None
    if value.function is np.reshape:
        flat = known.order is Order.BY_COLUMNS and ir.rank_of(result or ir.UNKNOWN) == 1
        return (False, known.given) if flat else None
    return False, known.given


def order_asked(value: ir.Apply) -> Order | None:
    """What ``order=`` asks of a copy, if it is given: the front end leaves none that
    isn't known, or that keeps the order of what is copied."""
    order = dict(value.keywords).get("order")
    return Order(order.value) if isinstance(order, ir.Const) else None


class _Follow(Analysis[Known]):
    def __init__(self, kinds: Mapping[str, ir.Kind]) -> None:
        self.kinds = kinds

    def join(self, a: Known, b: Known) -> Known:
        met: dict[str, Layout | None] = {}
        for name, known in b.different(a):
            if known is None or known == b.get(name):
                continue
            other = b.get(name)
            alike = other is not None and other.order is known.order
            met[name] = (
                Layout(known.order, known.given | other.given) if alike else None
            )
        return a.updated(met)

    def leaf(self, statement: ir.Statement, fact: Known) -> Known:
        written = ir.names_written(statement)
        found = None
        if isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Var):
            if isinstance(statement.value, ir.Var):
                found = fact.get(statement.value.name)
            elif isinstance(statement.value, ir.Apply):
                kind = statement.kind or self.kinds.get(statement.target.name)
                found = self._result(statement.value, kind, fact)
        after: dict[str, Layout | None] = {n: None for n in written if n in fact}
        if found is not None:
            after[statement.target.name] = found  # type: ignore[attr-defined]
        return fact.updated(after)

    def _result(
        self, value: ir.Apply, kind: ir.Kind | None, fact: Layouts
    ) -> Layout | None:
        function = value.function
        words = dict(value.keywords)
        first = value.args[0] if value.args else None
        known = fact.get(first.name) if isinstance(first, ir.Var) else None
        if "out" in words:
            return None
        if "order" in words:
            return self._in_order(value, kind, fact)
        if function in _SAME_BUFFER:
            return known
        if function in _MADE_BY_ROWS or self._is_new_line(value, kind):
            return Layout(Order.BY_ROWS)
        if function in _STACK and self._are_vectors(first):
            return Layout(Order.BY_ROWS)
        if function is np.array and self._is_list(first):
            return Layout(Order.BY_ROWS)
        if function in _KEEP_THE_ORDER or isinstance(function, np.ufunc):
            return self._elementwise(value, fact)
        if function in (np.reshape, np.ravel, np.ascontiguousarray):
            shares = reshape_shares(value, fact, self.kinds, kind)
            if function is not np.reshape:
                return Layout(Order.BY_ROWS, shares[1] if shares else frozenset())
            return known if shares and known and shares[0] else None
        if known is None:
            return None
        if function in _SAME_IF_ARRAY and len(value.args) == 1:
            return known if not words else None
        if function is operator.getitem:
            return self._part(value.args[1], known, kind)
        if function is np.squeeze:  # of whichever axes
            return known if known.order is Order.BY_ROWS else None
        return self._rearranged(value, known, kind)

    def _in_order(
        self, value: ir.Apply, kind: ir.Kind | None, fact: Layouts
    ) -> Layout | None:
        """Of what copies into an order by rows or by columns."""
        asked = order_asked(value)
        if asked is None:
            return None
        if _is_one_line(kind) and asked is not Order.WITH_GAPS:
            asked = Order.BY_ROWS
        if value.function in _SAME_IF_ARRAY:
            shares = reshape_shares(value, fact, self.kinds, kind)
            return Layout(asked, shares[1] if shares else frozenset())
        return Layout(asked) if value.function in _COPIES else None

    def _rearranged(
        self, value: ir.Apply, known: Layout, kind: ir.Kind | None
    ) -> Layout | None:
        """Of operations that have an index map."""
        rank = ir.rank_of(ir.kind_of(value.args[0], self.kinds) or ir.UNKNOWN)
        moved = None if rank is None else ops.index_map_of(value, rank)
        if rank is None or moved is None:
            return None
        if moved.backwards:
            return _reversed(known, kind) if rank == 1 else None
        if moved.keeps_rows:
            by_rows = known.order is Order.BY_ROWS
            return known if by_rows or len(moved.sources) == rank else None
        turned = moved.order == tuple(reversed(range(rank)))
        return _turned(known) if turned else None

    def _are_vectors(self, operand: ir.Operand | None) -> bool:
        """True for a list or tuple of arrays with one axis."""
        if isinstance(operand, ir.Pack):
            kinds = [ir.kind_of(item, self.kinds) for item in operand.items]
        elif isinstance(operand, ir.Var):
            whole = self.kinds.get(operand.name)
            kinds = [whole.item if isinstance(whole, ir.List) else None]
        else:
            return False
        return all(is_surely_an_array(k) and ir.rank_of(k) == 1 for k in kinds)  # type: ignore[arg-type]

    def _is_new_line(self, value: ir.Apply, kind: ir.Kind | None) -> bool:
        """True for a vector, or a matrix of one row or column, in memory of its own:
        there it has no gaps."""
        if not _is_one_line(kind):
            return False
        if is_view_operation(value, self.kinds):
            return False
        return not gives_what_others_hold(value)

    def _is_list(self, operand: ir.Operand | None) -> bool:
        if isinstance(operand, ir.Var):
            return isinstance(self.kinds.get(operand.name), ir.List)
        return isinstance(operand, ir.Pack)

    def _elementwise(self, value: ir.Apply, fact: Layouts) -> Layout | None:
        like = self._like_operands(value.args, fact)
        if value.function is np.full_like:  # what fills it has no say
            first = self._like_operands(value.args[:1], fact)
            like = like if first and first.order is Order.BY_ROWS else first
        if value.spelling == "method:copy":  # by rows, which np.copy need not be
            by_rows = like is not None and like.order is Order.BY_ROWS
            return like if by_rows else Layout(Order.BY_ROWS)
        return like

    def _like_operands(
        self, operands: tuple[ir.Operand, ...], fact: Layouts
    ) -> Layout | None:
        """Of elementwise functions, which keep the order of their operands."""
        arrays: list[tuple[Layout, ir.Kind]] = []
        for operand in _items_of(operands):
            kind = self._kind_of(operand)
            if kind is None:
                continue
            rank = ir.rank_of(kind)
            if rank is None or (isinstance(kind, ir.Array) and kind.promoted):
                return None
            if rank >= 2:
                known = _of_module(operand) or fact.get(str(operand))
                if known is None or known.order is Order.APART:
                    return None
                arrays.append((known, kind))
        return _met(arrays)

    def _kind_of(self, operand: ir.Operand) -> ir.Kind | None:
        """The kind of a variable, and of an array of the module that is known; None for
        others."""
        if isinstance(operand, ir.Global):
            return operand.kind if operand.order else None
        if not isinstance(operand, ir.Var):
            return None
        return self.kinds.get(operand.name, ir.UNKNOWN)

    def _part(
        self, index: ir.Operand, known: Layout, kind: ir.Kind | None
    ) -> Layout | None:
        items = index.items if isinstance(index, ir.Pack) else (index,)
        if known.order is Order.WITH_GAPS and ir.rank_of(kind) == 1:  # type: ignore[arg-type]
            one_row = self._is_whole_number(items[0])
            known = replace(known, order=Order.BY_ROWS) if one_row else known
        if known.order is not Order.BY_ROWS:
            return None
        if len(items) == 1 and isinstance(items[0], ir.Slice) and ir.rank_of(kind) == 1:  # type: ignore[arg-type]
            bounds = items[0]
            backwards = isinstance(bounds.step, ir.Const) and bounds.step.value == -1
            if backwards and bounds.lower is None and bounds.upper is None:
                return _reversed(known, kind)
        rest = list(items)
        while rest and self._is_whole_number(rest[0]):
            rest.pop(0)
        if (
            rest
            and isinstance(rest[0], ir.Slice)
            and rest[0].step in (None, ir.Const(1))
        ):
            rest.pop(0)
        whole = (ir.Slice(None, None, None), ir.Const(Ellipsis), ir.Const(None))
        return known if all(i in whole for i in rest) else None

    def _is_whole_number(self, item: ir.Operand) -> bool:
        if isinstance(item, ir.Const):
            return type(item.value) is int
        kind = ir.kind_of(item, self.kinds)
        return not isinstance(kind, ir.Array) and ir.rank_of(kind) == 0  # type: ignore[arg-type]


def _is_one_line(kind: ir.Kind | None) -> bool:
    """True for arrays of which at most one axis may be longer than 1: without gaps,
    they are laid out by rows and by columns."""
    if not is_surely_an_array(kind):
        return False
    axes = kind.axes  # type: ignore[union-attr]
    return sum(axis.length != "one" for axis in axes) <= 1


def _met(arrays: list[tuple[Layout, ir.Kind]]) -> Layout | None:
    """What is computed from arrays element by element. Where some lie by columns, one
    by rows decides that has as many axes, if it isn't repeated along any."""
    given = frozenset[str]().union(*(known.given for known, _ in arrays))
    columns = [kind for known, kind in arrays if known.order is Order.BY_COLUMNS]
    rows = [kind for known, kind in arrays if known.order is not Order.BY_COLUMNS]
    most = max((ir.rank_of(kind) or 0 for kind in columns), default=0)
    if not columns or any(_is_long(k) and ir.rank_of(k) >= most for k in rows):  # type: ignore[operator]
        return Layout(Order.BY_ROWS, given)
    alike = not rows and all(map(_is_long, columns))
    return Layout(Order.BY_COLUMNS, given) if alike else None


def _of_module(operand: ir.Operand) -> Layout | None:
    known = isinstance(operand, ir.Global) and operand.order
    return Layout(Order(operand.order)) if known else None  # type: ignore[union-attr]


def _is_long(kind: ir.Kind | None) -> bool:
    """True for arrays of which all axes are longer than 1."""
    axes = kind.axes if isinstance(kind, ir.Array) else None
    return axes is not None and all(axis.length == "many" for axis in axes)


def _items_of(operands: tuple[ir.Operand, ...]) -> list[ir.Operand]:
    found: list[ir.Operand] = []
    for argument in operands:
        found += argument.items if isinstance(argument, ir.Pack) else (argument,)
    return found


def _turned(known: Layout) -> Layout | None:
    if known.order is Order.APART:
        return known
    if known.order is Order.WITH_GAPS:
        return None
    rows = known.order is Order.BY_ROWS
    return replace(known, order=Order.BY_COLUMNS if rows else Order.BY_ROWS)


def _reversed(known: Layout, kind: ir.Kind | None) -> Layout | None:
    """A vector backwards."""
    axes = kind.axes if isinstance(kind, ir.Array) else None
    if known.order is not Order.BY_ROWS or not axes or axes[0].length != "many":
        return None
    return replace(known, order=Order.APART)
