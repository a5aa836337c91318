"""Saved numbers in arrays.

A stack of numbers is a list in Python. Where it is filled once in each turn of a loop,
and emptied once in each turn of the same loop backwards, the place is the loop's own::

    x.saved = new_stack()                    x.saved = empty(n)
    for i in range(0, n, 1):                 for i in range(0, n, 1):
        save x on x.saved            ->          x.saved = index_set(x.saved, i, x)
    for i in reversed range(0, n, 1):        for i in reversed range(0, n, 1):
        restore x from x.saved                   x = getitem(x.saved, i)

Elsewhere, where the loops around say before them how long it may get, a count says how
much the array holds. Other stacks stay lists, to which Numba appends in a sixth of the
time that an array takes that doubles its length. Only residuals, which another function
reads, are such arrays: no list goes through Python to that of a pullback. Arrays are
rows of one array where ``saved_rows.py`` knows their lengths; other stacks of arrays
stay lists, too.
"""

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.lists import saved_rows, stack_arrays
from s2sad.codegen.numba.lists.counters import Counters
from s2sad.codegen.numba.lists.stacks import Stack, stacks_of
from s2sad.codegen.numba.programs import Facts


def with_saved_arrays(function: ir.Function, lists: bool = False) -> ir.Function:
    """The program with its stacks of numbers as arrays, and stacks of arrays of one
    shape as arrays of one axis more; ``lists``: what it is given to read backwards may
    be lists."""
    facts = Facts(function)
    counters = Counters(facts)
    stacks = stacks_of(facts)
    lines: dict[int, ir.Block] = {}
    lengths: dict[Any, ir.Var] = {}
    for stack in stacks:
        returned = stack.others == [function.body[-1]]
        if not stack.written_once or (stack.others and not returned):
            continue
        if not returned and saved_rows.is_array_of_numbers(stack, facts):
            found = saved_rows.SavedRows(stack, counters, lengths).lines_of_rows(lines)
            if found is not None:
                lines |= found
            continue
        kind = _kind_of_items(stack, facts)
        if kind is None:
            if lists and stack.function is reversed:
                lines |= stack_arrays.lines_of_list(stack, facts)
            continue
        arrays = stack_arrays.StackArrays(stack, kind, counters, lengths)
        if arrays.stays_list():
            continue
        lines |= arrays.lines()
        if returned:
            last = lines.pop(id(function.body[-1]), (function.body[-1],))
            lines[id(function.body[-1])] = arrays.handed_on(last)
    if not lines:
        return function
    body = ir.with_leaves(function.body, lambda s: lines.get(id(s), (s,)))
    kinds = {**function.kinds, **facts.added}
    made = frozenset(facts.added) - {s.name for s in stacks}
    temporaries = function.temporaries | made
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _kind_of_items(stack: Stack, facts: Facts) -> ir.Kind | None:
    """The kind of the numbers on a stack; None where there is anything else."""
    dtypes = set()
    held = [save.value for save, _ in stack.saves]
    for value in held or [restore.target for restore, _ in stack.restores]:
        kind = facts.kind(value)
        if not isinstance(kind, ir.Scalar | ir.NumPyScalar):
            return None
        dtypes.add(ir.dtype_of(kind))
    if dtypes == {"int64", "float64"}:
        return ir.Scalar("float")
    names = {
        "float64": "float",
        "int64": "int",
        "bool": "bool",
        "complex128": "complex",
    }
    (dtype,) = dtypes if len(dtypes) == 1 else (None,)
    return ir.Scalar(names[dtype]) if dtype in names else None
