"""Folding: temporaries that are read once go back into the expression that reads them.

Takes statements in normal form; gives statements whose operands may be whole
operations::

    product.1 = matmul(x, w)
    residual = sub(product.1, y)     ->     residual = sub(matmul(x, w), y)

A temporary stays where an operand changes before the read, where the read is in a loop,
or where a derived line would become long.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from s2sad.analysis.memory.memory import Buffer, Buffers, Memory
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes.purity import is_pure
from s2sad.codegen.python.row_expressions import WRITTEN_BY_KIND
from s2sad.codegen.python.short_circuits import lazily_computed, short_circuit
from s2sad.ir.kinds import Kind, List
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Effect,
    For,
    Function,
    If,
    Operand,
    Pack,
    Restore,
    Return,
    Save,
    Slice,
    Span,
    Statement,
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.plans import flags_of
from s2sad.ir.procedures import handed_arrays
from s2sad.ir.walking import (
    altered,
    as_block,
    direct_reads,
    direct_writes,
    map_value,
    names_written,
    operand_variables,
    operations,
    value_variables,
    walk,
    with_blocks,
)
from s2sad.ops.buffers import WRITES, overwritten_part
from s2sad.ops.dicts import CONTAINER_CHANGES
from s2sad.ops.inner_lists import item_within
from s2sad.ops.lists import new_list
from s2sad.ops.runtime.products import add_turned_products
from s2sad.ops.stacks import new_stack
from s2sad.rules.python.choice import choose, equals_zero
from s2sad.transform.reverse.guards import guarded_term

WRITES_BUFFER = (
    *(*WRITES, *CONTAINER_CHANGES, operator.iadd, operator.isub),
    add_turned_products,
)
_KEPT = (new_stack, new_list, *WRITES, *CONTAINER_CHANGES, add_turned_products)
"""What makes or changes a buffer, which must have a name."""
LONGEST_DERIVED = 64
"""Estimated characters up to which a derived expression is folded."""


def fold(function: Function) -> Function:
    """The function with single-use temporaries folded into their readers.

    >>> from s2sad.ir.text import function_text
    >>> product = Assign(None, Var("t"), Apply(max, (Var("x"), Var("w"))))
    >>> total = Assign(None, Var("y"), Apply(min, (Var("t"), Var("b"))))
    >>> body = (product, total, Return(None, Var("y")))
    >>> function = Function("f", ("x", "w", "b"), body, {}, frozenset({"t"}))
    >>> print(function_text(fold(function)))
    def f(x: ?, w: ?, b: ?):
        y = min(max(x, w), b)
        return y
    """
    return altered(function, body=_Folding(function).block(function.body))


def with_short_circuits(function: Function) -> Function:
    """The function with branches that only ``and`` or ``or`` made as expressions; the
    same one where there are none."""
    own = _own_names(function)
    found = False

    def block(statements: Block) -> Block:
        nonlocal found
        result: list[Statement] = []
        for s in statements:
            s = with_blocks(s, block)
            joined = short_circuit(s, own)
            found |= joined is not None
            result.append(joined or s)
        return as_block(result, statements)

    body = block(function.body)
    return altered(function, body=body) if found else function


def _own_names(function: Function) -> set[str]:
    """The temporaries of normal form, of ``and`` and ``or`` among others."""
    own = {name for name in function.temporaries if name.startswith(".")}
    return own - flags_of(function.body)


def _read_by_kind(s: Statement, kinds: Mapping[str, Kind]) -> Iterator[Var]:
    """The lists that operations walk through to a depth that their kind tells; some
    operations have been folded already."""
    for value in operations(s):
        if value.function in (operator.getitem, overwritten_part):
            items, index = value.args
            if isinstance(index, Pack) and isinstance(items, Var):
                if isinstance(kinds.get(items.name), List):
                    yield items
        elif value.function is item_within:
            yield from operand_variables(value.args[0])
        elif value.function in WRITTEN_BY_KIND:
            yield from value_variables(value)


class _Writes:
    """The places in one block at which variables change."""

    def __init__(self, buffers_of: Callable[[str], Buffers]) -> None:
        self.buffers_of = buffers_of
        self.of_names: dict[str, list[int]] = {}
        self.of_buffers: dict[Buffer, list[int]] = {}
        """What shares memory with a variable that is written into changes, too."""

    def note(self, name: str, place: int) -> None:
        """A statement assigns a variable."""
        self.of_names.setdefault(name, []).append(place)

    def note_buffers(self, name: str, place: int) -> None:
        """A statement writes into the memory that a variable uses."""
        for buffer in self.buffers_of(name):
            self.of_buffers.setdefault(buffer, []).append(place)

    def between(self, name: str, after: int, before: int) -> bool:
        """True where a variable changes behind one place and in front of another."""
        places = [self.of_names.get(name, [])]
        if self.of_buffers:
            places += [self.of_buffers.get(b, []) for b in self.buffers_of(name)]
        return any(
            bisect_left(found, before) > bisect_right(found, after) for found in places
        )


class _Folding:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.attempts = 0
        """How many try statements are around."""
        self.reads: Counter[str] = Counter()
        self.writes: Counter[str] = Counter()
        read_by_kind: set[str] = set()
        for s in walk(function.body):
            self.reads.update(v.name for v in direct_reads(s))
            self.writes.update(v.name for v in direct_writes(s))
            read_by_kind.update(v.name for v in _read_by_kind(s, function.kinds))
        self.temporaries = function.temporaries - read_by_kind
        self.own = _own_names(function)

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory; asked for only where an array is written into."""
        return points_to(self.function).anywhere

    def block(self, block: Block, header: Operand | None = None) -> Block:
        statements, _ = self.block_and_test(block, None)
        return statements

    def block_and_test(
        self, block: Block, test: Operand | None
    ) -> tuple[Block, Operand | None]:
        """A block folded, and a test read at its end (of a While) with it."""
        writes = self._writes(block)
        pending: dict[str, tuple[Assign, Apply, int]] = {}
        result: list[Statement] = []

        def reader(place: int, span: object, derived: bool):
            def read(variable: Var) -> Operand:
                found = pending.get(variable.name)
                if found is None or self.reads[variable.name] != 1:
                    return variable
                assignment, value, after = found
                between = result[after + 1 : place]
                if self.attempts and any(id(s) not in dropped for s in between):
                    return variable  # an exception must come as early as it does
                if any(
                    writes.between(v.name, after, place) for v in value_variables(value)
                ):
                    return variable
                long = assignment.derived or assignment.span is not span
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
        origins: dict[int, Span | None] = {}
        """Where what was folded into a statement comes from."""
        for place, statement in enumerate(block):
            derived = isinstance(statement, Assign) and statement.derived
            folded = self.statement(statement, reader(place, statement.span, derived))
            if isinstance(folded, Save) and folded.span is None:
                folded = altered(folded, span=origins.get(place))
            result.append(folded)
            if self._can_fold(folded):
                pending[folded.target.name] = (folded, folded.value, place)  # type: ignore[attr-defined,assignment]
        if test is not None:
            test = map_value(test, reader(len(block), None, False))
        return as_block([s for s in result if id(s) not in dropped], block), test

    def _writes(self, block: Block) -> _Writes:
        writes = _Writes(lambda name: self.memory.of(name))
        for place, statement in enumerate(block):
            for s in walk((statement,)):
                names = names_written(s)
                for name in names:
                    writes.note(name, place)
                if isinstance(s, Assign) and isinstance(s.value, Apply):
                    if s.value.function in WRITES_BUFFER:
                        for name in names:
                            writes.note_buffers(name, place)
                if isinstance(s, Assign | Effect):
                    for variable in handed_arrays(s.value):
                        writes.note(variable.name, place)
                        writes.note_buffers(variable.name, place)
        return writes

    def _can_fold(self, statement: Statement) -> bool:
        return (
            isinstance(statement, Assign)
            and isinstance(statement.target, Var)
            and statement.target.name in self.temporaries
            and self.writes[statement.target.name] == 1
            and isinstance(statement.value, Apply)
            and statement.value.function not in _KEPT
            and _may_move(statement.value)
        )

    def statement(self, s: Statement, read) -> Statement:
        match s:
            case Assign() | Effect() | Return():
                if isinstance(s, Assign) and isinstance(s.value, Apply):
                    if s.value.function in (
                        *WRITES,
                        *CONTAINER_CHANGES,
                        add_turned_products,
                    ):  # the buffer must stay a name
                        first, *rest = s.value.args
                        args = (first, *(map_value(a, read) for a in rest))
                        return altered(s, value=replace(s.value, args=args))
                return altered(s, value=map_value(s.value, read))
            case If():
                body, orelse = self.block(s.body), self.block(s.orelse)
                joined = short_circuit(altered(s, body=body, orelse=orelse), self.own)
                if joined is not None:
                    assert isinstance(joined.target, Var) and isinstance(s.test, Var)
                    self.writes[joined.target.name] -= 1
                    self.reads[s.test.name] -= 1
                    return self.statement(joined, read)
                test = map_value(s.test, read)
                return altered(s, test=test, body=body, orelse=orelse)
            case For():
                return altered(
                    s,
                    start=map_value(s.start, read),
                    stop=map_value(s.stop, read),
                    step=map_value(s.step, read),
                    body=self.block(s.body),
                )
            case While():
                condition, test = self.block_and_test(s.condition, s.test)
                assert test is not None
                return altered(
                    s, condition=condition, test=test, body=self.block(s.body)
                )
            case With():
                value = map_value(s.value, read)
                return altered(s, value=value, body=self.block(s.body))
            case Try():
                self.attempts += 1
                folded = with_blocks(s, self.block)
                self.attempts -= 1
                return folded
            case Save():
                return altered(s, value=map_value(s.value, read))
            case Restore():
                return s
        raise TypeError(f"unknown statement {s!r}")


def _adds(statement: Statement, term: Var) -> bool:
    """True for a reverse line that adds a term to a number."""
    match statement:
        case Assign(value=Apply(function=operator.add, args=(Var(), last))):
            return statement.derived and last == term
    return False


def _may_choose(statement: Statement, variable: Var) -> bool:
    """True for a choice that may leave out a number, which then isn't computed."""
    match statement:
        case Assign(value=Apply(function=function, args=(_, *either))):
            return function is choose and variable in either
    return False


def _may_move(value: Apply) -> bool:
    """True for an operation without effects; of ``a and b``, no part has any."""
    if lazily_computed(value):
        parts: tuple[Any, ...] = value.args
        return all(_may_move(a) for a in parts if isinstance(a, Apply))
    return is_pure(value.function)


def width(operand: object) -> int:
    """About how many characters an expression takes."""
    match operand:
        case Var(name=name):
            return len(name.split("~")[0].split(":")[-1])  # as it will be written
        case Apply(function=function, args=args, keywords=keywords):
            own = len(getattr(function, "__name__", "")) + 5
            is_operator = getattr(function, "__module__", "") == "_operator"
            if is_operator or function is equals_zero:
                own = 3
            return (
                own
                + sum(width(a) + 2 for a in args)
                + sum(width(v) + len(k) + 3 for k, v in keywords)
            )
        case Pack(items=items):
            return 2 + sum(width(i) + 2 for i in items)
        case Slice(lower=lower, upper=upper, step=step):
            return 2 + sum(width(p) for p in (lower, upper, step) if p is not None)
    return 3
