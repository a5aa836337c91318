"""Row scatters: elements of a row are added into their array at once.

::

    r.bar = zeros_like(r)
    r.bar = index_set(r.bar, 1, v)               x.bar = index_add(x.bar, (k, 1), v)
    r.bar = index_add(r.bar, 0, w)      ->       x.bar = index_add(x.bar, (k, 0), w)
    x.bar = index_add(x.bar, k, r.bar)

The adjoint of the row is read nowhere else. Part of the optimisation ``scatters``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import (
    direct_reads,
    direct_writes,
    operand_variables,
    walk,
    with_blocks,
)
from s2sad.ops.buffers import index_add, index_set
from s2sad.ops.lists import zeros_along

_Element = tuple[int, Any, Operand, Operand]
"""The place of a line, its function, an index in the row, and what is added there."""


def scatter_elements_of_rows(function: Function) -> Function:
    """The function without the adjoints of rows that are only scattered into."""
    while any(_is_scatter(s) for s in walk(function.body)):
        reads = Counter(v.name for s in walk(function.body) for v in direct_reads(s))
        writes = Counter(v.name for s in walk(function.body) for v in direct_writes(s))
        once = {name for name, n in writes.items() if n == 1 and reads[name] == 1}
        body = _block(function.body, once, function.kinds)
        rows = _count(function.body) - _count(body)
        function = replace(function, body=body)
        if not rows:
            break  # else a row may have been one of another row
    return function


def _count(block: Block) -> int:
    """How many rows of zeros a block makes."""
    return sum(
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in (np.zeros_like, zeros_along)
        for s in walk(block)
    )


def _block(block: Block, once: set[str], kinds: Mapping[str, Kind]) -> Block:
    block = tuple(with_blocks(s, lambda b: _block(b, once, kinds)) for s in block)
    made = {
        s.target.name: place
        for place, s in enumerate(block)
        if isinstance(s, Assign) and isinstance(s.target, Var) and s.target.name in once
    }
    lines: dict[int, Block] = {}
    for place, s in enumerate(block):
        if not _is_scatter(s) or not isinstance(s, Assign):
            continue
        assert isinstance(s.value, Apply)
        _, row, value, *_ = s.value.args
        elements, dropped = _elements(block, value, made, kinds)
        if not elements or not _is_whole_number(row, kinds):
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
    block: Block, value: Operand, made: Mapping[str, int], kinds: Mapping[str, Kind]
) -> tuple[list[_Element], list[int]]:
    """What is scattered into a row of zeros, and the places of its lines; nothing where
    the row is anything else."""
    elements: list[_Element] = []
    places: list[int] = []
    while isinstance(value, Var) and value.name in made:
        place = made[value.name]
        s = block[place]
        assert isinstance(s, Assign)
        places.append(place)
        if not isinstance(s.value, Apply) or not s.derived:
            break
        if s.value.function in (np.zeros_like, zeros_along):
            kind = kinds.get(value.name)
            plain = isinstance(kind, Array) and not kind.promoted
            return (elements[::-1], places) if plain else ([], [])
        if s.value.function not in (index_add, index_set):
            break
        row, index, part, *repeats = s.value.args
        if repeats == [Const(True)] or not _is_basic(index, kinds):
            break
        elements.append((place, s.value.function, index, part))
        value = row
    return [], []


def _scattered(s: Assign, row: Operand, elements: list[_Element]) -> Block:
    assert isinstance(s.value, Apply) and isinstance(s.target, Var)
    buffer: Operand = s.value.args[0]
    untouched = s.value.function is index_set
    result = []
    for _, function, index, part in elements:
        whole = pack_tuple(row, *_items(index))
        value = Apply(function if untouched else index_add, (buffer, whole, part))
        result.append(replace(s, value=value))
        buffer = s.target
    return tuple(result)


def _is_scatter(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.target, Var)
        and isinstance(s.value, Apply)
        and s.value.function in (index_add, index_set)
        and Const(True) not in s.value.args[3:]
    )


def _written(block: Block) -> set[str]:
    return {v.name for s in walk(block) for v in direct_writes(s)}


def _reads(*operands: Operand) -> set[str]:
    return {v.name for operand in operands for v in operand_variables(operand)}


def _items(index: Operand) -> tuple[Operand, ...]:
    if isinstance(index, Pack) and index.constructor is tuple:
        return index.items
    return (index,)


def _is_basic(index: Operand, kinds: Mapping[str, Kind]) -> bool:
    return all(
        isinstance(i, Slice) or _is_whole_number(i, kinds) for i in _items(index)
    )


def _is_whole_number(index: Operand, kinds: Mapping[str, Kind]) -> bool:
    if isinstance(index, Const):
        return isinstance(index.value, int) and not isinstance(index.value, bool)
    kind = kinds.get(index.name) if isinstance(index, Var) else None
    return isinstance(kind, Scalar) and kind.type == "int"
