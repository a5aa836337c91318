"""Stored zeros: an element that is set to zero and then added to is stored once.

::

    x.bar = stored(x.bar, k, 0.0)         x.bar = stored(x.bar, k, v)
    x.bar = index_add(x.bar, k, v)   ->

Nothing reads the array in between. Part of the optimisation ``scatters``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from s2sad import ir, ops


def store_sums_over_zeros(function: ir.Function) -> ir.Function:
    """The function without zeros that are only added to."""
    body = function.body
    if not any(_is_zero_stored(s) for s in ir.walk(body)):
        return function
    reads = Counter(v.name for s in ir.walk(body) for v in ir.direct_reads(s))
    return replace(function, body=_block(body, reads))


def _block(block: ir.Block, reads: Mapping[str, int]) -> ir.Block:
    lines = [ir.with_blocks(s, lambda b: _block(b, reads)) for s in block]
    for position, line in enumerate(lines):
        if not _is_zero_stored(line):
            continue
        later = _sum_over(lines, position, reads)
        if later is None:
            continue
        added = lines[later]
        assert isinstance(line, ir.Assign) and isinstance(added, ir.Assign)
        lines[later] = replace(added, value=_both(line, added))
        lines[position] = _NOTHING
    return tuple(line for line in lines if line is not _NOTHING)


_NOTHING = ir.Assign(None, ir.Var(""), ir.Const(None))


def _both(zero: ir.Assign, added: ir.Assign) -> ir.Apply:
    assert isinstance(zero.value, ir.Apply) and isinstance(added.value, ir.Apply)
    args = (*zero.value.args[:2], added.value.args[2])
    return replace(zero.value, args=args)


def _is_zero_stored(s: ir.Statement) -> bool:
    return (
        isinstance(s, ir.Assign)
        and isinstance(s.value, ir.Apply)
        and s.value.function is ops.stored
        and s.value.args[2] == ir.Const(0.0)
        and isinstance(s.target, ir.Var)
        and isinstance(s.value.args[0], ir.Var)
    )


def _sum_over(
    lines: list[ir.Statement], position: int, reads: Mapping[str, int]
) -> int | None:
    """The line that adds to the zero, and alone reads the array."""
    line = lines[position]
    assert isinstance(line, ir.Assign) and isinstance(line.value, ir.Apply)
    base, index = line.value.args[:2]
    target = line.target
    held = {base, *ir.operand_variables(index)}
    for later in range(position + 1, len(lines)):
        other = lines[later]
        if _adds_to(other, target, index):
            assert isinstance(other, ir.Assign)
            only = other.target == target or reads[target.name] == 1  # type: ignore[union-attr]
            return later if only else None
        inside = list(ir.walk((other,)))
        if any(target == v for s in inside for v in ir.direct_reads(s)):
            return None
        if any(v in held or v == target for s in inside for v in ir.direct_writes(s)):
            return None
    return None


def _adds_to(s: ir.Statement, target: object, index: object) -> bool:
    """True for ``target[index] += value`` that names no element twice."""
    if not isinstance(s, ir.Assign) or not isinstance(s.value, ir.Apply):
        return False
    args = s.value.args
    if s.value.function is not ops.index_add or args[:2] != (target, index):
        return False
    repeats = len(args) > 3 and args[3] != ir.Const(False)
    return not repeats and target not in set(ir.operand_variables(args[2]))
