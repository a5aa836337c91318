"""Folding: temporaries that are read once go back into the expression that reads them.

Takes statements in normal form; gives statements whose operands may be whole
operations::

    product.1 = matmul(x, w)
    residual = sub(product.1, y)     ->     residual = sub(matmul(x, w), y)

A temporary stays where an operand changes before the read, where the read is in a loop,
or where a derived line would become long.
"""

import operator
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from functools import cached_property
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.memory import NO_BUFFERS, Buffers, Memory
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.memory.view_operations import is_number
from s2sad.analysis.passes.purity import is_pure
from s2sad.codegen.python.loops_over_items import LoopsOverItems
from s2sad.codegen.python.row_expressions import WRITTEN_BY_KIND
from s2sad.codegen.python.short_circuits import (
    and_then,
    lazily_computed,
    or_else,
    short_circuit,
)
from s2sad.ops.runtime.products import add_turned_products
from s2sad.ops.runtime.structures import zeros_of_structure
from s2sad.rules.python.choice import choose, equals_zero
from s2sad.transform.reverse.guards import guarded_term

WRITES_BUFFER = (
    *(*ops.WRITES, *ops.CONTAINER_CHANGES, operator.iadd, operator.isub),
    add_turned_products,
)
_INTO_BUFFERS = (*ops.WRITES, *ops.CONTAINER_CHANGES, add_turned_products)
"""Their first argument, the buffer, must stay a name."""
_KEPT = (ops.new_stack, ops.new_list, *_INTO_BUFFERS)
"""What makes or changes a buffer, which must have a name."""
_READ_AT_ONCE = (
    *(*ops.READS_OF_STORED, ops.stored_length, ops.stored_contains, ops.at_its_time),
    zeros_of_structure,
)
"""What is read where the line stands, or behind lines that change nothing."""
LONGEST_DERIVED = 64
"""Estimated characters up to which a derived expression is folded."""


def fold(function: ir.Function) -> ir.Function:
    """The function with single-use temporaries folded into their readers.

    >>> product = ir.Assign(
    ...     None, ir.Var("t"), ir.Apply(max, (ir.Var("x"), ir.Var("w")))
    ... )
    >>> total = ir.Assign(None, ir.Var("y"), ir.Apply(min, (ir.Var("t"), ir.Var("b"))))
    >>> body = (product, total, ir.Return(None, ir.Var("y")))
    >>> function = ir.Function("f", ("x", "w", "b"), body, {}, frozenset({"t"}))
    >>> print(ir.function_text(fold(function)))
    def f(x: ?, w: ?, b: ?):
        y = min(max(x, w), b)
        return y
    """
    function = _with_lengths_in_heads(_with_places_from_data(function))
    return ir.altered(function, body=_Folding(function).block(function.body))


def _with_places_from_data(function: ir.Function) -> ir.Function:
    """The function with ``xs[k]`` for ``place = k; xs[place]``, of an index that is
    data."""
    if not any(ir.is_line(s, ops.place_in_list) for s in ir.walk(function.body)):
        return function
    left = Counter(ir.uses_in(function.body).reads)

    def read_from_data(block: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        known: dict[str, ir.Var] = {}

        def name(variable: ir.Var) -> ir.Var:
            found = known.get(variable.name, variable)
            left[variable.name] -= found is not variable
            return found

        for statement in block:
            written = ir.names_written_in((statement,))
            if isinstance(statement, ir.COMPOUND):
                known = _without(known, written)
                statement = ir.with_blocks(statement, read_from_data)
            (s,) = ir.renamed((statement,), name)
            known = _without(known, written)
            if ir.is_line(s, ops.place_in_list) and isinstance(s.value.args[0], ir.Var):
                known[str(s.target)] = s.value.args[0]
            result.append(s)
        return tuple(result)

    def is_read(s: ir.Statement) -> bool:
        return not ir.is_line(s, ops.place_in_list) or left[str(s.target)] > 0

    body = read_from_data(function.body)
    return ir.altered(function, body=ir.with_leaves(body, lambda s: (s,) * is_read(s)))


def _without(known: dict[str, ir.Var], written: Set[str]) -> dict[str, ir.Var]:
    return {
        name: data
        for name, data in known.items()
        if name not in written and data.name not in written
    }


def _with_lengths_in_heads(function: ir.Function) -> ir.Function:
    """The function with the length of what never changes asked for at the head of each
    loop that runs so often, where nothing else reads it."""
    uses = ir.uses_in(function.body)
    heads = Counter(
        s.stop.name
        for s in ir.walk(function.body)
        if isinstance(s, ir.For) and isinstance(s.stop, ir.Var)
    )
    changed: set[str] = set()
    resized: set[str] = set()
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign | ir.Effect):
            changed.update(v.name for v in ir.changed_arguments(s.value))
        if ir.applies(s) and s.value.function in WRITES_BUFFER:
            changed.update(ir.names_written(s))
            changed.update(v.name for v in ir.operand_variables(s.value.args[0]))
        if ir.applies(s) and s.value.function in ops.CONTAINER_CHANGES:
            resized.update(ir.names_written(s))
    lengths: dict[str, ir.Apply] = {}
    for name, times in heads.items():
        if times == uses.reads[name] and uses.writes[name] == 1:
            (s,) = uses.definitions[name]
            if name in function.temporaries and ir.is_line(s, len):
                (items,) = s.value.args
                if isinstance(items, ir.Var) and items.name not in changed:
                    given = items.name in function.parameters
                    if uses.writes[items.name] + given < 2:
                        lengths[name] = s.value

    def change(s: ir.Statement) -> ir.Block:
        if ir.is_line(s, len) and s.target.name in lengths:
            return ()
        if isinstance(s, ir.For) and str(s.stop) in lengths:
            s = replace(s, stop=lengths[str(s.stop)])  # type: ignore[arg-type]
        return (s,)

    if lengths and resized:
        # a list that nobody reads any more may have been taken for another one
        memory = points_to(function).anywhere
        parts = [memory.of(name) for name in resized]
        lengths = {
            name: length
            for name, length in lengths.items()
            if all(memory.of(str(length.args[0])).isdisjoint(part) for part in parts)
        }
    if not lengths:
        return function
    return replace(function, body=ir.rewritten(function.body, change))


def with_short_circuits(function: ir.Function) -> ir.Function:
    """The function with branches that only ``and`` or ``or`` made as expressions; the
    same one where there are none."""
    own = _own_names(function)
    body = ir.rewritten(function.body, lambda s: (short_circuit(s, own) or s,))
    return ir.altered(function, body=body)


def _own_names(function: ir.Function) -> set[str]:
    """The temporaries of normal form, of ``and`` and ``or`` among others."""
    own = {name for name in function.temporaries if name.startswith(".")}
    return own - ir.flags_of(function.body)


def _items_run_over(function: ir.Function) -> set[str]:
    """What loops take from the lists that they run over: ``for x in xs`` reads better
    than ``xs[k]`` in a line."""
    loops = LoopsOverItems(function)
    found = (loops.run_over(s) for s in ir.walk(function.body) if isinstance(s, ir.For))
    items = (item for over in found if over is not None for item in over.items)
    return {v.name for item in items for v in ir.operand_variables(item)}


def _read_by_kind(s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> Iterator[ir.Var]:
    """The lists that operations walk through to a depth that their kind tells; some
    operations have been folded already."""
    for value in ir.operations(s):
        if value.function in (operator.getitem, ops.overwritten_part):
            items, index = value.args
            if isinstance(index, ir.Pack) and isinstance(items, ir.Var):
                if isinstance(kinds.get(items.name), ir.List):
                    yield items
        elif value.function is ops.item_within:
            yield from ir.operand_variables(value.args[0])
        elif value.function in WRITTEN_BY_KIND:
            yield from ir.value_variables(value)


class _Writes:
    """The places in one block at which variables change."""

    def __init__(self, buffers_of: Callable[[str], Buffers]) -> None:
        self.buffers_of = buffers_of
        self.of_names: dict[str, list[int]] = {}
        self.stores: list[str] = []
        """What is written into, in order: what shares memory with it changes, too."""
        self.places: list[int] = []
        """Where."""

    def note(self, name: str, place: int) -> None:
        """A statement assigns a variable."""
        self.of_names.setdefault(name, []).append(place)

    def note_store(self, name: str, place: int) -> None:
        """A statement writes into the memory that a variable uses."""
        self.stores.append(name)
        self.places.append(place)

    def between(self, name: str, after: int, before: int) -> bool:
        """True where a variable changes behind one place and in front of another."""
        found = self.of_names.get(name, [])
        if bisect_left(found, before) > bisect_right(found, after):
            return True
        first, last = bisect_right(self.places, after), bisect_left(self.places, before)
        written = set(self.stores[first:last])
        own = self.buffers_of(name) if written else NO_BUFFERS
        return any(not own.isdisjoint(self.buffers_of(other)) for other in written)


class _Folding:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.attempts = 0
        """How many try statements are around."""
        lines = tuple(ir.walk(function.body))
        uses = ir.uses_in(function.body)
        self.reads, self.writes = Counter(uses.reads), Counter(uses.writes)
        self.temporaries = function.temporaries - {
            v.name for s in lines for v in _read_by_kind(s, function.kinds)
        }
        self.temporaries -= _items_run_over(function)
        self.own = _own_names(function)

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory; asked for where a write is on the way."""
        return points_to(self.function).anywhere

    def _buffers_of(self, name: str) -> Buffers:
        if is_number(self.function.kinds.get(name)):
            return NO_BUFFERS
        return self.memory.of(name)

    def block(self, block: ir.Block, header: ir.Operand | None = None) -> ir.Block:
        statements, _ = self.block_and_test(block, None)
        return statements

    def block_and_test(
        self, block: ir.Block, test: ir.Operand | None
    ) -> tuple[ir.Block, ir.Operand | None]:
        """A block folded, and a test read at its end (of a While) with it."""
        writes = self._writes(block)
        pending: dict[str, tuple[ir.Assign, ir.Apply, int]] = {}
        result: list[ir.Statement] = []

        def reader(place: int, span: object, derived: bool):
            def read(variable: ir.Var) -> ir.Operand:
                found = pending.get(variable.name)
                if found is None or self.reads[variable.name] != 1:
                    return variable
                assignment, value, after = found
                between = result[after + 1 : place]
                if _reads_arrays(value) and not all(
                    id(s) in dropped or _leaves_arrays(s) for s in between
                ):
                    return variable
                if self.attempts and any(id(s) not in dropped for s in between):
                    return variable  # an exception must come as early as it does
                if any(
                    writes.between(v.name, after, place)
                    for v in ir.value_variables(value)
                ):
                    return variable
                own = assignment.span is span or place == len(block)  # or its test
                long = assignment.derived or not own
                long = long and width(value) > LONGEST_DERIVED
                if place < len(block):
                    if _adds(block[place], variable):
                        long &= guarded_term(value) is None  # else it will be a branch
                    long &= not _may_choose(block[place], variable)
                if long:
                    return variable
                del pending[variable.name]
                dropped.add(id(assignment))
                origins[place] = assignment.span
                return value  # type: ignore[return-value]

            return read

        dropped: set[int] = set()
        origins: dict[int, ir.Span | None] = {}
        """Where what was folded into a statement comes from."""
        for place, statement in enumerate(block):
            derived = isinstance(statement, ir.Assign) and statement.derived
            folded = self.statement(statement, reader(place, statement.span, derived))
            if isinstance(folded, ir.Save) and folded.span is None:
                folded = ir.altered(folded, span=origins.get(place))
            result.append(folded)
            if self._can_fold(folded):
                pending[folded.target.name] = (folded, folded.value, place)  # type: ignore[attr-defined,assignment]
        if test is not None:
            test = ir.map_value(test, reader(len(block), None, False))
        return ir.as_block([s for s in result if id(s) not in dropped], block), test

    def _writes(self, block: ir.Block) -> _Writes:
        writes = _Writes(self._buffers_of)
        for place, statement in enumerate(block):
            for s in ir.walk((statement,)):
                names = ir.names_written(s)
                for name in names:
                    writes.note(name, place)
                if ir.applies(s) and s.value.function in WRITES_BUFFER:
                    for name in names:
                        writes.note_store(name, place)
                if isinstance(s, ir.Assign | ir.Effect):
                    for variable in ir.changed_arguments(s.value):
                        if is_number(self.function.kinds.get(variable.name)):
                            continue
                        writes.note(variable.name, place)
                        writes.note_store(variable.name, place)
        return writes

    def _can_fold(self, statement: ir.Statement) -> bool:
        return (
            ir.is_line(statement)
            and statement.target.name in self.temporaries
            and self.writes[statement.target.name] == 1
            and statement.value.function not in _KEPT
            and _may_move(statement.value)
        )

    def statement(self, s: ir.Statement, read) -> ir.Statement:
        if ir.applies(s) and s.value.function in _INTO_BUFFERS:
            first, *rest = s.value.args
            args = (first, *(ir.map_value(a, read) for a in rest))
            return ir.altered(s, value=replace(s.value, args=args))
        if isinstance(s, ir.While):
            condition, test = self.block_and_test(s.condition, s.test)
            return ir.altered(
                s, condition=condition, test=test, body=self.block(s.body)
            )
        if isinstance(s, ir.Try):
            self.attempts += 1
            folded = ir.with_blocks(s, self.block)
            self.attempts -= 1
            return folded  # the classes of its handlers stay names
        s = ir.with_blocks(s, self.block)
        joined = short_circuit(s, self.own)
        if joined is None:
            return ir.with_variables(s, read)
        assert isinstance(joined.target, ir.Var)
        self.writes[joined.target.name] -= 1
        self.reads.subtract(v.name for v in ir.direct_reads(s))
        return self.statement(joined, read)


def _adds(statement: ir.Statement, term: ir.Var) -> bool:
    """True for a reverse line that adds a term to a number."""
    match statement:
        case ir.Assign(value=ir.Apply(function=operator.add, args=(ir.Var(), last))):
            return statement.derived and last == term
    return False


def _may_choose(statement: ir.Statement, variable: ir.Var) -> bool:
    """True for a choice that may leave out a number, which then isn't computed."""
    match statement:
        case ir.Assign(value=ir.Apply(function=function, args=(_, *either))):
            return function is choose and variable in either
    return False


def _reads_arrays(value: ir.Apply) -> bool:
    """True where something is read of an array or list that stands in run-time
    values."""
    if value.function in _READ_AT_ONCE:
        return True
    parts: tuple[Any, ...] = value.args
    return any(_reads_arrays(a) for a in parts if isinstance(a, ir.Apply))


def _leaves_arrays(s: ir.Statement) -> bool:
    """True for a line that surely writes into no such array."""
    if isinstance(s, ir.Save | ir.Restore):
        return True
    reads = (*ops.READS_OF_REFERENCES, *_READ_AT_ONCE)
    return isinstance(s, ir.Assign) and all(
        is_pure(o.function) or o.function in reads for o in ir.operations(s)
    )


def _may_move(value: ir.Apply) -> bool:
    """True for an operation without effects; of ``a and b``, no part has any."""
    if value.function in _READ_AT_ONCE:  # as long as nothing is written
        return True
    if lazily_computed(value):
        parts: tuple[Any, ...] = value.args
        return all(_may_move(a) for a in parts if isinstance(a, ir.Apply))
    return is_pure(value.function)


def width(operand: object) -> int:
    """About how many characters an expression takes."""
    match operand:
        case ir.Var(name=name):
            return len(name.split("~")[0].split(":")[-1])  # as it will be written
        case ir.Apply(function=function, args=args, keywords=keywords):
            own = len(getattr(function, "__name__", "")) + 5
            is_operator = getattr(function, "__module__", "") == "_operator"
            if is_operator or function in (equals_zero, ops.stored_item):
                own = 3
            if function in (and_then, or_else, ops.stored_length):
                own = 5
            return (
                own
                + sum(width(a) + 2 for a in args)
                + sum(width(v) + len(k) + 3 for k, v in keywords)
            )
        case ir.Pack(items=items):
            return 2 + sum(width(i) + 2 for i in items)
        case ir.Slice(lower=lower, upper=upper, step=step):
            return 2 + sum(width(p) for p in (lower, upper, step) if p is not None)
    return 3
