"""Saved arrays as rows of one array.

Where each turn of loops saves an array that it makes, and all of these have lengths
that are known in front of the loops, one array holds them all, and the turn writes into
its row. A list would allocate each of them::

    y.saved = new_stack()                    y.saved = empty((n, m))
    for i in range(0, n, 1):                 for i in range(0, n, 1):
        y = empty(shape)             ->          y = getitem(y.saved, i)
        ...                                      ...
        save y on y.saved
    for i in reversed range(0, n, 1):        for i in reversed range(0, n, 1):
        restore y from y.saved                   y = getitem(y.saved, i)
"""

import operator
from collections.abc import Container
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.arrays import arrays_of_iterations
from s2sad.codegen.numba.lists import stack_arrays, stacks
from s2sad.codegen.numba.lists.counters import Counters
from s2sad.codegen.numba.programs import Facts, is_array, is_float_array

_PRODUCTS = (operator.matmul, np.matmul, np.dot)
_COPIES = (ops.own_copy, np.copy, np.ndarray.copy)


def is_array_of_numbers(stack: stacks.Stack, facts: Facts) -> bool:
    """True for a stack of arrays of known rank and dtype."""
    return bool(stack.saves) and all(
        is_array(facts.kind(save.value)) for save, _ in stack.saves
    )


class SavedRows(stack_arrays.StackArrays):
    """The lines that take the place of those of a stack of arrays."""

    def __init__(
        self, stack: stacks.Stack, counters: Counters, lengths: dict[Any, ir.Var]
    ) -> None:
        kind = counters.facts.kind(stack.saves[0][0].value)
        assert isinstance(kind, ir.Array)
        super().__init__(stack, kind, counters, lengths)
        self.item = kind

    def lines_of_rows(self, taken: Container[int]) -> dict[int, ir.Block] | None:
        """The lines by the identity of those whose place they take; None where the
        arrays stay in a list. ``taken``: lines that have a place elsewhere already."""
        if len(self.stack.saves) != 1 or self.stack.function is not ops.new_stack:
            return None
        (save, path) = self.stack.saves[0]
        if not isinstance(save.value, ir.Var) or self.is_returned(save.value):
            return None
        bindings = self.counters.bindings.get(save.value.name, [])
        if len(bindings) != 1 or bindings[0][1] != path:
            return None
        made = bindings[0][0]
        if id(made) in taken:
            return None
        lengths = [
            arrays_of_iterations.length_before(
                axis, self.counters, self.stack.made, self.stack.path
            )
            for axis in self.item.axes or ()
        ]
        if None in lengths or not self.may_be_written_into_row(made):
            return None
        assert ir.applies(made)
        self.inner = lengths
        lines = self.by_loops()
        if lines is None:
            return None
        *before, stored = lines[id(save)]
        assert ir.applies(stored)
        place = stored.value.args[1]
        found = {**lines, id(save): ()}
        found[id(made)] = (*before, *self.written_into_row(made, made.value, place))
        shape = made.value.args[0]
        if isinstance(shape, ir.Var) and self.facts.reads[shape.name] == 1:
            if made.value.function is np.empty and shape.name in self.facts.made_by:
                found |= {id(s): () for s, _ in self.counters.bindings[shape.name]}
        return found

    def may_be_written_into_row(self, made: ir.Statement) -> bool:
        """True for a line that makes an array, and may write into one instead."""
        if not ir.is_line(made):
            return False
        value = made.value
        if value.function in (np.empty, np.full, *arrays_of_iterations.ZEROS, *_COPIES):
            return True
        floats = all(is_float_array(self.facts.kind(a)) for a in value.args)
        return value.function in _PRODUCTS and floats and len(value.args) == 2

    def written_into_row(
        self, made: ir.Assign, value: ir.Apply, place: ir.Operand
    ) -> ir.Block:
        """The lines that make an array in its row."""
        row = ir.Apply(operator.getitem, (self.array, place))
        view = ir.Assign(made.span, made.target, row, self.item, derived=made.derived)
        if value.function is np.empty:
            return (view,)
        emptied = arrays_of_iterations.refilled(value, made.target, self.item)  # type: ignore[arg-type]
        if emptied is not None:
            return view, replace(made, value=emptied)
        if value.function in _COPIES:
            return self.line(made.span, self.stored(place, value.args[0]), made), view
        target = self.facts.fresh("row", self.item)
        product = ir.Apply(np.dot, (*value.args, target))
        return replace(view, target=target), replace(made, value=product)

    def is_returned(self, variable: ir.Var) -> bool:
        """True where the result may share memory with an array: it would keep all
        rows."""
        last = self.facts.function.body[-1]
        assert isinstance(last, ir.Return)
        shared = self.facts.sharing(variable.name)
        return any(v.name in shared for v in ir.direct_reads(last))
