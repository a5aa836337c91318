"""Elements as Python's numbers: what the reverse sweep of a loop reads from an array.

::

    for i in reversed(range(n)):              for i in reversed(range(n)):
        v = x[i]                       ->         v = x.item(i)
        y.bar = y.bar * v                         y.bar = y.bar * v

An element that is read by its index is one of NumPy's numbers, and so is all that is
computed with it: each operation then takes several times as long as on Python's. Only
derived lines are changed; the function's own compute with what they always did.

Python's numbers raise where NumPy's give inf, so what is computed of elements is
followed (:mod:`s2sad.optimise.products.python_numbers`), and quotients become calls of
``quotient``. Where an element goes into an operation of which it isn't known that it
gives the same, or only meets numbers of NumPy's, it is read as it was.
"""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

from s2sad import ir, ops
from s2sad.ops.runtime.scalars import quotient
from s2sad.optimise.buffers.list_choices import is_whole
from s2sad.optimise.buffers.list_cotangents import is_of_other_precision
from s2sad.optimise.products.python_numbers import PythonNumbers, holds_numpy_number

SPELLING = "method:item"


def with_element_numbers(
    function: ir.Function, procedure: ir.Procedure | None = None
) -> ir.Function:
    """The function with elements that are read in reverse loops as Python's numbers.
    ``procedure`` is the one whose program it is."""
    results = [s.kind for s in _calls(function, procedure)]
    lines = _repeated(function, whole=bool(results))
    reads = [s for s in lines if _is_read(s, function.kinds)]
    found = {id(s): f"element {k}" for k, s in enumerate(reads)}
    if not found or any(map(is_of_other_precision, function.kinds.values())):
        return function
    while found:
        returned = procedure is None or (
            bool(results) and not any(map(holds_numpy_number, results))
        )
        numbers = PythonNumbers(function, set(), str, found, returned)
        refused = numbers.refused() | (set(found.values()) - numbers.gaining())
        if not refused:
            break
        found = {s: label for s, label in found.items() if label not in refused}
    if not found:
        return function

    def change(s: ir.Statement) -> ir.Block:
        if ir.is_line(s) and id(s) in found:
            read = ir.Apply(operator.getitem, s.value.args, (), SPELLING)
            return (replace(s, value=read, kind=ir.FLOAT),)
        if ir.is_line(s) and id(s) in numbers.quotients:
            return (replace(s, value=replace(s.value, function=quotient)),)
        return (s,)

    return replace(function, body=ir.with_leaves(function.body, change))


def _calls(
    function: ir.Function, procedure: ir.Procedure | None
) -> Iterator[ir.Assign]:
    """The lines by which a program calls itself: all of it is run again and again."""
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply):
            if procedure is not None and s.value.function is procedure:
                yield s


def _repeated(function: ir.Function, whole: bool) -> Iterator[ir.Statement]:
    """What is run again and again: what stands in loops, or the ``whole``."""
    if whole:
        yield from ir.walk(function.body)
        return
    loops = [s for s in ir.walk(function.body) if isinstance(s, ir.Loop)]
    inner = {id(s) for loop in loops for s in _inside(loop) if s is not loop}
    for loop in loops:
        if id(loop) not in inner:
            yield from _inside(loop)


def _inside(loop: ir.Statement) -> Iterator[ir.Statement]:
    for block in ir.blocks_of(loop):
        yield from ir.walk(block)


def _is_read(s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> TypeGuard[ir.Line]:
    if not ir.is_line(s, operator.getitem, ops.overwritten_part) or not s.derived:
        return False
    array, index = s.value.args
    kind = ir.array_kind(array, kinds)
    if kind is None or kind.dtype != "float64":
        return False
    items = index.items if isinstance(index, ir.Pack) else (index,)
    return len(items) == len(kind.axes or ()) > 0 and all(
        is_whole(i, kinds) for i in items
    )
