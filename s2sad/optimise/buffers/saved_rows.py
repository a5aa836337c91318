"""Saved rows: arrays that a loop keeps because it is about to write into them become
rows of one array, made once. A list would hold copies, for each of which memory is
fetched anew.

::

    u.saved = new_stack()                    u.saved = empty((n, u.shape[0]))
    for t in range(0, n, 1):                 for t in range(0, n, 1):
        save u on u.saved            ->          u.saved = index_set(u.saved, t, u)
        u = stored(u, k, v)                      u = stored(u, k, v)
    for t in reversed range(0, n, 1):        for t in reversed range(0, n, 1):
        restore u from u.saved                   u = getitem(u.saved, t)

Needs to know how often the loop runs and that all arrays have one shape. Arrays that
nobody writes into stay in lists, which then hold no copies.
"""

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.reverse.stacks_by_iteration import (
    StackByTurn,
    place_of_turn,
    stacks_by_iteration,
)
from s2sad.optimise.buffers.own_buffers import Follow, own_written_buffers
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.memory.references.array_homes import is_placeholder


def with_saved_rows(function: ir.Function, follow: Follow = points_to) -> ir.Function:
    """The function with such stacks as arrays, where that saves copies.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = ir.Array("float64", (ir.Axis("many", ("x", 0)),))
    >>> u, s, n = ir.Var("u"), ir.Var("u.saved"), ir.Var("n")
    >>> change = ir.Apply(ops.stored, (u, ir.Const(0), ir.Const(2.0)))
    >>> ahead = ir.Save(None, s, u), ir.Assign(None, u, change, vector)
    >>> body = (
    ...     ir.Assign(None, u, ir.Apply(ops.own_copy, (ir.Var("x"),)), vector),
    ...     ir.Assign(None, s, ir.Apply(ops.new_stack, ())),
    ...     ir.For(None, ir.Var("t"), ir.Const(0), n, ir.Const(1), ahead),
    ...     ir.For(
    ...         None,
    ...         ir.Var("t"),
    ...         ir.Const(0),
    ...         n,
    ...         ir.Const(1),
    ...         (ir.Restore(None, u, s),),
    ...         True,
    ...     ),
    ...     ir.Return(None, u),
    ... )
    >>> kinds = {"x": vector, "u": vector, "n": ir.INT, "t": ir.INT}
    >>> print(
    ...     ir.function_text(with_saved_rows(ir.Function("f", ("x", "n"), body, kinds)))
    ... )
    def f(x: float64[n], n: int):
        u = own_copy(x)  # float64[n]
        turns.1 = max(n, 0)  # int
        length.1 = axis_length(u, 0)  # int
        u.saved = empty(tuple(turns.1, length.1))  # float64[?, n]
        for t in range(0, n, 1):
            u.saved = index_set(u.saved, t, u)  # float64[?, n]
            u = stored(u, 0, 2.0)  # float64[n]
        for t in reversed range(0, n, 1):
            u = getitem(u.saved, t)  # float64[n]
        return u
    """
    names = [stack.name for stack in _candidates(function)]
    if not names:
        return function
    copies = _copies_in_loops(function, follow)
    for name in names:
        if copies == 0:
            break
        stack = next(s for s in _candidates(function) if s.name == name)
        changed = _Rows(function, stack).with_rows()
        if changed is None:
            continue
        fewer = _copies_in_loops(changed, follow)
        if fewer < copies:
            function, copies = changed, fewer
    return function


def _candidates(function: ir.Function) -> list[StackByTurn]:
    """The stacks of arrays that have one shape."""
    stacks = stacks_by_iteration(function)
    if not any(_is_write(s) for s in ir.walk(function.body)):
        return []
    empty = _may_be_placeholders(function) if stacks else set()
    return [
        s
        for s in stacks
        if _row_kind(function, s) is not None and str(s.save.value) not in empty
    ]


def _is_write(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.WRITES, ops.overwritten_part)


def _row_kind(function: ir.Function, stack: StackByTurn) -> ir.Array | None:
    """The kind of what a stack holds; None where it may have several shapes."""
    kind = ir.array_kind(stack.save.value, function.kinds)
    if kind is None or not kind.axes:
        return None
    if kind.dtype is None or kind != function.kinds.get(stack.restore.target.name):
        return None
    lasting = all(a.length == "one" or ir.is_lasting(a.symbol) for a in kind.axes)
    return kind if lasting else None


def _copies_in_loops(function: ir.Function, follow: Follow) -> int:
    """How many copies the loops of a program would make, so that nobody sees what is
    written into arrays."""
    owned = own_written_buffers(function, follow)
    inside = [
        s for loop in ir.walk(owned.body) if isinstance(loop, ir.For) for s in loop.body
    ]
    return sum(ir.is_line(s, *_COPIES) for s in ir.walk(tuple(inside)))


_COPIES = (ops.own_copy, ops.own_rows, ops.overwritten_part)


def _may_be_placeholders(function: ir.Function) -> set[str]:
    """The variables that may hold an empty array in place of one that isn't there yet,
    or what was computed from it: their lengths tell nothing."""
    found: set[str] = set()
    lines = [s for s in ir.walk(function.body) if isinstance(s, ir.Assign)]
    for s in lines:
        if is_placeholder(s):
            found |= ir.names_written(s)
    while True:
        before = len(found)
        for s in lines:
            if not found.isdisjoint(ir.names_read(s)):
                found |= ir.names_written(s)
        if not found or len(found) == before:
            return found


class _Rows(ir.Rewriting):
    """The program with one stack as an array."""

    def __init__(self, function: ir.Function, stack: StackByTurn) -> None:
        super().__init__(function)
        self.stack = stack

    def with_rows(self) -> ir.Function | None:
        """None where no variable has the shape of a row when the stack is made."""
        stack, kind = self.stack, _row_kind(self.function, self.stack)
        assert kind is not None and kind.axes is not None
        lines: list[ir.Statement] = []
        lengths = [self._named("turns", n, lines) for n in stack.lengths]
        for axis in kind.axes:
            length = self._length(axis, lines)
            if length is None:
                return None
            lengths.append(length)
        array = ir.Var(stack.name)
        turns = tuple(ir.Axis("any") for _ in stack.lengths)
        self.kinds[stack.name] = all_kind = ir.Array(kind.dtype, (*turns, *kind.axes))
        dtype = (
            () if kind.dtype == "float64" else (ir.Const(np.dtype(kind.dtype).type),)
        )
        made = ir.Apply(np.empty, (ir.pack_tuple(*lengths), *dtype))
        lines.append(replace(stack.made, value=made, kind=all_kind))
        forward, reverse = map(self._counted, (stack.forward, stack.reverse))
        place = place_of_turn(tuple(forward.values()))
        store = ir.Apply(ops.index_set, (array, place, stack.save.value))
        back = place_of_turn(tuple(reverse.values()))
        read = ir.Apply(operator.getitem, (array, back))
        restore = stack.restore
        taken = ir.Assign(restore.span, restore.target, read, kind, derived=True)
        kept = ir.Assign(stack.save.span, array, store, all_kind)
        lines_for: dict[int, ir.Block] = {
            id(stack.made): tuple(lines),
            id(stack.save): (kept,),
            id(restore): (taken,),
        }
        copied, written = self._copied_part(), self._first_write()
        if copied is not None:
            part = ir.Apply(operator.getitem, copied.value.args)
            lines_for[id(copied)] = (replace(copied, value=part), kept)
            lines_for[id(stack.save)] = ()
        elif written is not None:
            lines_for[id(written)] = (kept, written)
            lines_for[id(stack.save)] = ()
        targets = {k: loop.target for k, loop in (forward | reverse).items()}

        def changed(block: ir.Block) -> ir.Block:
            result: list[ir.Statement] = []
            for s in block:
                inner = ir.with_blocks(s, changed)
                if id(s) in targets:
                    inner = replace(inner, target=targets[id(s)])  # type: ignore[call-arg]
                result += lines_for.get(id(s), (inner,))
            return ir.as_block(result, block)

        return self.finished(changed(self.function.body))

    def _copied_part(self) -> ir.Line | None:
        """The line that copies a part of an array only in order to keep it."""
        name, uses = str(self.stack.save.value), self.uses
        made = uses.definitions.get(name, [])
        if uses.reads[name] != 1 or len(made) != 1:
            return None
        innermost = self.stack.forward[-1].body
        (line,) = made
        if not ir.is_line(line, ops.overwritten_part):
            return None
        return line if any(s is line for s in innermost) else None

    def _first_write(self) -> ir.Statement | None:
        """The line in front of the save that writes into what is kept first."""
        found: ir.Statement | None = None
        for s in self.stack.forward[-1].body:
            if s is self.stack.save:
                return found
            if str(self.stack.save.value) in ir.names_written_within(s):
                found = None
            elif found is None and _is_write(s):
                found = s if s.value.args[0] == self.stack.save.value else None
        return None

    def _counted(self, loops: Iterable[ir.For]) -> dict[int, ir.For]:
        """The loops by their identity, those that count by ``_`` by a name."""
        result: dict[int, ir.For] = {}
        for loop in loops:
            nameless = loop.target.name.split("~")[0] == "_"
            target = self.fresh("turn", ir.INT) if nameless else loop.target
            result[id(loop)] = replace(loop, target=target)
        return result

    def _named(self, stem: str, value: Any, lines: list[ir.Statement]) -> ir.Operand:
        """A length as an operand; lines that compute it are added."""
        if not isinstance(value, ir.Apply):
            return value
        args = tuple(self._named(stem, a, lines) for a in value.args)
        variable = self.fresh(stem, ir.INT)
        lines.append(ir.Assign(None, variable, replace(value, args=args), ir.INT))
        return variable

    def _length(self, axis: ir.Axis, lines: list[ir.Statement]) -> ir.Operand | None:
        if axis.length == "one":
            return ir.Const(1)
        assigned = assigned_variables(self.function.body, self.function.parameters)
        known: Iterable[str] = assigned.before.get(id(self.stack.made), frozenset())
        saved = str(self.stack.save.value)
        empty = _may_be_placeholders(self.function)
        for name in sorted(set(known) - empty, key=lambda n: (n != saved, n)):
            kind = ir.array_kind(ir.Var(name), self.function.kinds)
            for k, other in enumerate(kind.axes or () if kind is not None else ()):
                if other.symbol == axis.symbol:
                    query = ir.Apply(axis_length, (ir.Var(name), ir.Const(k)))
                    return self._named("length", query, lines)
        return None
