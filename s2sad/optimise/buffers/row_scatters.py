"""Row scatters: elements of a row are added into their array at once.

::

    r.bar = zeros_like(r)
    r.bar = index_set(r.bar, 1, v)               x.bar = index_add(x.bar, (k, 1), v)
    r.bar = index_add(r.bar, 0, w)      ->       x.bar = index_add(x.bar, (k, 0), w)
    x.bar = index_add(x.bar, k, r.bar)

The adjoint of the row is read nowhere else. Part of the optimisation ``scatters``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops

_ZEROS = (np.zeros_like, ops.zeros_along)
_SCATTERS = (ops.index_add, ops.index_set)
_Element = tuple[int, Any, ir.Operand, ir.Operand]
"""The place of a line, its function, an index in the row, and what is added there."""


def scatter_elements_of_rows(function: ir.Function) -> ir.Function:
    """The function without the adjoints of rows that are only scattered into."""
    while any(_is_scatter(s) for s in ir.walk(function.body)):
        uses = ir.uses_in(function.body)
        once = {name for name, n in uses.writes.items() if n == uses.reads[name] == 1}
        body = _block(function.body, once, function.kinds)
        rows = _count(function.body) - _count(body)
        function = replace(function, body=body)
        if not rows:
            break  # else a row may have been one of another row
    return function


def _count(block: ir.Block) -> int:
    """How many rows of zeros a block makes."""
    return sum(ir.is_line(s, *_ZEROS) for s in ir.walk(block))


def _block(block: ir.Block, once: set[str], kinds: Mapping[str, ir.Kind]) -> ir.Block:
    block = tuple(ir.with_blocks(s, lambda b: _block(b, once, kinds)) for s in block)
    made = {
        s.target.name: place
        for place, s in enumerate(block)
        if ir.is_line(s) and s.target.name in once
    }
    lines: dict[int, ir.Block] = {}
    for place, s in enumerate(block):
        if not _is_scatter(s):
            continue
        _, row, value, *_ = s.value.args
        elements, dropped = _elements(block, value, made, kinds)
        if not elements or not ir.is_whole_number(row, kinds):
            continue
        if not lines.keys().isdisjoint(dropped):
            continue  # the row holds another, which has just been left out
        if any(
            _reads(index, part) & _written(block[at + 1 : place])
            for at, _, index, part in elements
        ):
            continue
        lines |= dict.fromkeys(dropped, ())
        lines[place] = _scattered(s, row, elements)
    return tuple(
        line for place, s in enumerate(block) for line in lines.get(place, (s,))
    )


def _elements(
    block: ir.Block,
    value: ir.Operand,
    made: Mapping[str, int],
    kinds: Mapping[str, ir.Kind],
) -> tuple[list[_Element], list[int]]:
    """What is scattered into a row of zeros, and the places of its lines; nothing where
    the row is anything else."""
    elements: list[_Element] = []
    places: list[int] = []
    while isinstance(value, ir.Var) and value.name in made:
        place = made[value.name]
        s = block[place]
        places.append(place)
        if not ir.is_line(s, *_ZEROS, *_SCATTERS) or not s.derived:
            break
        if s.value.function in _ZEROS:
            plain = ir.array_kind(value, kinds) is not None
            return (elements[::-1], places) if plain else ([], [])
        row, index, part, *repeats = s.value.args
        if repeats == [ir.Const(True)] or not _is_basic(index, kinds):
            break
        elements.append((place, s.value.function, index, part))
        value = row
    return [], []


def _scattered(s: ir.Line, row: ir.Operand, elements: list[_Element]) -> ir.Block:
    buffer: ir.Operand = s.value.args[0]
    untouched = s.value.function is ops.index_set
    result = []
    for _, function, index, part in elements:
        whole = ir.pack_tuple(row, *ir.tuple_items(index))
        value = ir.Apply(
            function if untouched else ops.index_add, (buffer, whole, part)
        )
        result.append(replace(s, value=value))
        buffer = s.target
    return tuple(result)


def _is_scatter(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *_SCATTERS) and ir.Const(True) not in s.value.args[3:]


def _written(block: ir.Block) -> set[str]:
    return {name for s in block for name in ir.names_written_within(s)}


def _reads(*operands: ir.Operand) -> set[str]:
    return {v.name for operand in operands for v in ir.operand_variables(operand)}


def _is_basic(index: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    return all(
        isinstance(i, ir.Slice) or ir.is_whole_number(i, kinds)
        for i in ir.tuple_items(index)
    )


def with_parts_of_lists_added(function: ir.Function) -> ir.Function:
    """The function in which what is scattered into zeros, and these added to a list
    that is kept, is added to the list::

        xs.bar = zeros_along(xs)
        xs.bar = index_set(xs.bar, :k, v)      ->      add_to_slice(p.bar, :k, v)
        add_to_items(p.bar, xs.bar)
    """
    if not any(_adds_items(s) for s in ir.walk(function.body)):
        return function
    uses = ir.uses_in(function.body)

    def block(lines: ir.Block) -> ir.Block:
        found = [ir.with_blocks(s, block) for s in lines]
        for place, (zeros, scatter, added) in reversed(
            [*enumerate(zip(found, found[1:], found[2:]))]
        ):
            if _adds_items(added) and ir.is_line(scatter, *_SCATTERS):
                rank = ir.rank_of(function.kinds.get(scatter.target.name, ir.UNKNOWN))
                if rank == 1 and _is_slice_of(zeros, scatter, added, uses):
                    adjoint, _ = added.value.args
                    _, index, values, *_ = scatter.value.args
                    value = ir.Apply(ops.add_to_slice, (adjoint, index, values))
                    found[place : place + 3] = [replace(added, value=value)]
        return ir.as_block(found, lines)

    return ir.altered(function, body=block(function.body))


def _adds_items(s: ir.Statement) -> TypeGuard[ir.Effect]:
    return isinstance(s, ir.Effect) and s.value.function is ops.add_to_items


def _is_slice_of(
    zeros: ir.Statement, scatter: ir.Line, added: ir.Effect, uses: ir.Uses
) -> bool:
    """True for three lines that add numbers to a part of a list."""
    if not ir.is_line(zeros, *_ZEROS):
        return False
    buffer, index, *_ = scatter.value.args
    made = zeros.target == buffer and added.value.args[1] == scatter.target
    names = {zeros.target.name, scatter.target.name}
    once = len(names) == sum(uses.reads[name] for name in names) == 2
    return made and once and isinstance(index, ir.Slice)
